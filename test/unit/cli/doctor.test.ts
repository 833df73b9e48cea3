/** `echomq doctor`: what it says, what it asks before it deletes, and how it ends. */

import { describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeHost } from "./fake-host.ts";
import { setupStore } from "./store.ts";

/** A store whose queue has a job that lies nowhere, and logs of a job that is gone. */
async function setup() {
  const store = setupStore();
  const { engine, queue } = store;
  const { id } = await queue.add("welcome", {});
  await engine.command(["ZREM", "emq:{mail}:pending", id]);
  const orphan = "emq:{mail}:job:JOB0Nb1VTbfnu4:logs";
  await engine.command(["RPUSH", orphan, "line"]);
  const hasOrphan = async () => (await engine.command(["EXISTS", orphan])) === 1;
  const answer = async (text: string, ...args: string[]) => {
    const host = fakeHost({ env: { ECHOMQ_URL: "valkey://store" }, answer: text });
    const code = await runCli(["doctor", "mail", "--repair", ...args], host, store.openEngine);
    return { code, out: host.stdout(), err: host.stderr() };
  };
  return { ...store, id, orphan, hasOrphan, answer };
}

describe("a look", () => {
  it("at a clean queue ends well", async () => {
    const { run, queue } = setupStore();
    await queue.add("welcome", {});
    const { code, out, err } = await run(["doctor", "mail"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("clean");
    expect((await run(["doctor", "--queue", "mail"])).code).toBe(0);
  });

  it("names what is wrong with key and mend, writes nothing, and ends with 1", async () => {
    const { run, runJson, id, orphan, queue, hasOrphan } = await setup();
    const { code, out } = await run(["doctor", "mail"]);
    expect(code).toBe(1);
    expect(out).toContain(
      `left    row-place       emq:{mail}:job:${id} state pending belongs in pending and lies nowhere`,
    );
    expect(out).toContain("mend: put it there");
    expect(out).toContain(`side-key        ${orphan} has no row`);
    expect(out).toContain("deletes: delete the key");
    expect(out).toContain("2 findings left");
    const { json } = await runJson(["doctor", "mail"]);
    expect(json).toMatchObject({
      queue: "mail",
      isClean: false,
      counts: { "row-place": 1, "side-key": 1 },
      omitted: 0,
      unchecked: [],
    });
    expect((json as { findings: unknown[] }).findings).toContainEqual({
      code: "side-key",
      key: orphan,
      member: "",
      detail: "has no row",
      mend: "delete the key",
      destroys: true,
      outcome: "left",
    });
    expect(await queue.getState(id)).toBe("unknown");
    expect(await hasOrphan()).toBe(true);
  });

  it("lists as many findings as asked for and counts the rest", async () => {
    const { runJson } = await setup();
    const { json } = await runJson(["doctor", "mail", "--limit", "1"]);
    expect(json).toMatchObject({ findings: [{}], omitted: 1, isClean: false });
  });
});

describe("a repair", () => {
  it("deletes nothing where nobody can be asked", async () => {
    const { runJson, queue, id, hasOrphan } = await setup();
    const { code, json } = await runJson(["doctor", "mail", "--repair"]);
    expect(code).toBe(1);
    expect(json).toMatchObject({ findings: [{ code: "row-place", outcome: "mended" }, { outcome: "left" }] });
    expect(await queue.getState(id)).toBe("pending");
    expect(await hasOrphan()).toBe(true);
  });

  it("deletes what a person has said yes to, and nothing after a no", async () => {
    const { answer, hasOrphan, orphan } = await setup();
    const no = await answer("");
    expect(no.code).toBe(1);
    expect(no.err).toContain(orphan);
    expect(no.err).toContain("Delete what one finding names, for good? [y/N]");
    expect(await hasOrphan()).toBe(true);
    const yes = await answer("y");
    expect(yes.code).toBe(0);
    expect(yes.out).toContain("mended  side-key");
    expect(yes.out).toContain("clean");
    expect(await hasOrphan()).toBe(false);
  });

  it("tells all that it mended, before the question and after it", async () => {
    const { answer } = await setup();
    const { code, out } = await answer("yes");
    expect(code).toBe(0);
    expect(out).toContain("mended  row-place");
    expect(out).toContain("mended  side-key");
  });

  it("does not ask with --yes", async () => {
    const { answer, hasOrphan } = await setup();
    const { code, err } = await answer("", "--yes");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(await hasOrphan()).toBe(false);
  });
});

describe("a command line that cannot be meant", () => {
  it.each([
    [["doctor"], "name the queue"],
    [["doctor", "mail", "--queue", "mail"], "name the queue once"],
    [["doctor", "mail", "--yes"], "give --repair"],
    [["doctor", "mail", "--limit", "0"], "1 to 10000"],
    [["doctor", "mail", "--limit", "10001"], "1 to 10000"],
  ])("%j is refused", async (args, words) => {
    const { run } = setupStore();
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });

  it("with a queue that can have no name has its own code", async () => {
    const { runJson } = setupStore();
    expect((await runJson(["doctor", "a{b"])).json).toMatchObject({ error: { code: "invalid_queue" } });
  });
});
