/** `echomq events` on a store in this process. */

import { describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeHost } from "./fake-host.ts";
import { setupStore } from "./store.ts";

const LISTENERS = "emq:{mail}:listeners";

/** The command, running until it has told of a cancel; resolves to its end. */
async function listen(args: readonly string[], act: (store: ReturnType<typeof setupStore>) => Promise<void>) {
  const store = setupStore();
  const host = fakeHost({ env: { ECHOMQ_URL: "valkey://store" } });
  const end = runCli(["events", "mail", ...args], host, store.openEngine);
  // The mark is what makes the acts tell.
  while ((await store.engine.command(["EXISTS", LISTENERS])) === 0) await new Promise(setImmediate);
  await act(store);
  while (!host.stdout().includes("cancelled")) await new Promise(setImmediate);
  host.interrupt();
  return { code: await end, out: host.stdout(), err: host.stderr() };
}

async function addAndCancel({ queue, jobs }: ReturnType<typeof setupStore>): Promise<void> {
  const { id } = await queue.add("welcome", {}, { jobId: "order\n7" });
  await jobs.cancel("mail", id, "\u001b[31menough");
}

describe("events", () => {
  it("prints a line for each event until Ctrl-C, with nothing in it that a terminal would obey", async () => {
    const { code, out, err } = await listen([], addAndCancel);
    const lines = out.trimEnd().split("\n");
    expect(code).toBe(130);
    expect(err).toBe("");
    expect(lines.length).toBe(2);
    expect(lines[0]).toMatch(/^\d{4}-\S+Z {2}added {9}JOB\S{11} .*state=pending {2}name=welcome/);
    expect(lines[1]).toContain("reason=");
    expect(out).not.toContain("\u001b");
  });

  it("prints a document a line with --json, and the events alone that are named", async () => {
    const { out } = await listen(["cancelled", "--json"], addAndCancel);
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([expect.objectContaining({ queue: "mail", event: "cancelled", state: "pending", jobId: "order\n7" })]);
  });

  it("refuses a name that is none, and a server that is none, each with its code", async () => {
    const { runJson } = setupStore();
    expect(await runJson(["events", "mail", "waiting"])).toMatchObject({
      code: 2,
      json: { error: { code: "unknown_event" } },
    });
    expect(await runJson(["events", "mail"], { env: {} })).toMatchObject({
      code: 2,
      json: { error: { code: "memory" } },
    });
  });
});
