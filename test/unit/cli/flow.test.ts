/** `echomq flow`: a tree of jobs, drawn and as JSON. */

import { describe, expect, it } from "vitest";
import { deliverSignals } from "../../../src/queue/flow-delivery.ts";
import { FlowProducerCore } from "../../../src/queue/flow-producer.ts";
import { setupStore } from "./store.ts";

async function setupFlow() {
  const store = setupStore();
  const lease = { engine: store.engine, release: () => Promise.resolve() };
  const flows = new FlowProducerCore(lease, { node: 5 });
  const { job, children } = await flows.add({
    name: "report",
    queueName: "mail",
    children: [
      { name: "fetch", queueName: "files", opts: { onFailure: "ignore" } },
      { name: "sum", queueName: "sums", children: [{ name: "part", queueName: "files", data: { n: 1 } }] },
      { name: "draw", queueName: "files" },
    ],
  });
  const [fetch, sum, draw] = children.map((child) => child.job.id);
  const part = children[1]?.children[0]?.job.id;
  return { ...store, flows, id: job.id, fetch, sum, draw, part };
}

describe("flow", () => {
  it("draws each job under the one that waits for it", async () => {
    const { run, id, fetch, sum, draw, part } = await setupFlow();
    const { code, out } = await run(["flow", "mail", id], { columns: 120 });
    expect(code).toBe(0);
    expect(out).toBe(
      `${id}  mail  report  awaiting_children\n` +
        `├─ ${fetch}  files  fetch  pending  on failure ignore\n` +
        `├─ ${sum}  sums  sum  awaiting_children\n` +
        `│  └─ ${part}  files  part  pending\n` +
        `└─ ${draw}  files  draw  pending\n`,
    );
  });

  it("tells of jobs that have ended what they left", async () => {
    const { run, runJson, jobs, engine, id } = await setupFlow();
    const lease = await jobs.claim("files", 30_000);
    await jobs.complete("files", lease?.id ?? "", lease?.attempts ?? 0, '{"rows":7}');
    await deliverSignals(engine, "files", 100);
    const { out } = await run(["flow", "mail", id], { columns: 120 });
    expect(out).toContain(`${lease?.id}  files  done  on failure ignore  → {"rows":7}`);
    const { json } = await runJson(["flow", "mail", id]);
    expect(json).toMatchObject({
      id,
      state: "awaiting_children",
      childCount: 3,
      children: [{ outcome: "done", state: "absent", result: { rows: 7 } }, { outcome: "open" }, {}],
    });
  });

  it("draws no more than it is asked for, and cuts lines at the width of the terminal", async () => {
    const { run, id, fetch } = await setupFlow();
    const shallow = await run(["flow", "mail", id, "--depth", "1"]);
    expect(shallow.out).toBe(`${id}  mail  report  awaiting_children\n└─ 3 more children\n`);
    const few = await run(["flow", "mail", id, "--children", "1"], { columns: 30 });
    expect(few.out.split("\n")).toEqual([
      `${id}  mail  report …`,
      `├─ ${fetch}  files  fet…`,
      "└─ 2 more children",
      "",
    ]);
    expect((await run(["flow", "mail", id, "--depth", "0"])).code).toBe(2);
  });

  it("says that a job is not there", async () => {
    const { run, runJson } = setupStore();
    expect(await run(["flow", "mail", "JOB0Nb1VTbfnu4"])).toMatchObject({ code: 1, out: "" });
    expect((await runJson(["flow", "mail", "JOB0Nb1VTbfnu4"])).json).toEqual({
      id: "JOB0Nb1VTbfnu4",
      queueName: "mail",
      state: "absent",
    });
  });

  it("names the parent of a job in all that is told of it", async () => {
    const { run, runJson, id, fetch } = await setupFlow();
    expect((await run(["job", "files", fetch ?? ""])).out).toContain(`  parent    ${id} of mail\n`);
    const { json } = await runJson(["job", "files", fetch ?? ""]);
    expect(json).toMatchObject({ parent: { id, queueName: "mail" } });
    expect((await run(["list", "mail", "awaiting_children"])).out).toContain(id);
    expect((await run(["counts", "mail"])).out).toContain("  awaiting   1\n");
  });

  it("explains a job that waits for others, and one that others wait for", async () => {
    const { run, runJson, id, fetch } = await setupFlow();
    expect((await run(["explain", "mail", id])).out).toContain("It waits for 3 children: ");
    const { json } = await runJson(["explain", "files", fetch ?? ""]);
    expect(json).toMatchObject({ state: "pending", parents: [{ id, queueName: "mail" }] });
    expect((json as { text: string }).text).toContain(`Job ${id} of the queue "mail" waits for it.`);
  });
});
