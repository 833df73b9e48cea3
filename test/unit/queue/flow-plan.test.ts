/** What of a flow is judged before anything is written: its form, its circles, its names and its size. */

import { describe, expect, it } from "vitest";
import type { EchoMQError } from "../../../src/protocol/errors.ts";
import { FLOW_JOBS_MAX } from "../../../src/queue/defaults.ts";
import { type FlowPlan, FlowPlanner } from "../../../src/queue/flow-plan.ts";
import { Drafter } from "../../../src/queue/job-draft.ts";
import { JobPlanner } from "../../../src/queue/job-options.ts";
import { PayloadCodec } from "../../../src/queue/payload-codec.ts";
import { checkedSchemas } from "../../../src/queue/schema.ts";

const ID = "JOB0Nb1VTbfnu4";

const failing = {
  "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "no such month" }] }) },
};

function planner(maxDepth = 8): FlowPlanner {
  const drafter = new Drafter(new JobPlanner(), new PayloadCodec());
  const schemas = checkedSchemas({ judged: failing });
  return new FlowPlanner({ queueOf: () => ({ drafter, schemas }), maxDepth });
}

const job = (queueName: string, children: readonly object[] = [], opts: object = {}) => ({
  name: "step",
  queueName,
  data: { queueName },
  opts,
  children,
});

const node = (opts: object = {}) => ({ name: "step", queueName: "q", opts });

/** The jobs of a plan, each with its queue and what it tells its parents. */
function shape({ items }: FlowPlan): unknown[] {
  return items.map(({ at, queue, parents }) => [
    at,
    queue,
    ...parents.map(({ parent, policy }) => [parent.at, policy]),
  ]);
}

async function faultOf(plan: Promise<unknown>): Promise<{ code: string; details: object; message: string }> {
  const error = (await plan.then(
    () => undefined,
    (fault: unknown) => fault,
  )) as EchoMQError;
  return { code: error?.code, details: error?.details, message: error?.message };
}

/** A chain of so many levels. */
const levels = (count: number): object => job("q", count === 1 ? [] : [levels(count - 1)]);

describe("a tree", () => {
  it("puts each job behind its parent, with the policy of its options", async () => {
    const plan = await planner().tree(
      job("reports", [
        job("files", [job("parts")], { onFailure: "ignore" }),
        job("reports", [], { continueParentOnFailure: true }),
      ]),
    );
    expect(shape(plan)).toEqual([
      ["", "reports"],
      ["children[0]", "files", ["", "ignore"]],
      ["children[0].children[0]", "parts", ["children[0]", "fail-parent"]],
      ["children[1]", "reports", ["", "continue"]],
    ]);
    expect(plan.items.map(({ payload }) => payload)).toContain('{"queueName":"parts"}');
    expect(plan.root.children).toHaveLength(2);
  });

  it("has as many levels as the producer takes and not one more", async () => {
    expect((await planner().tree(levels(8))).items).toHaveLength(8);
    expect(await faultOf(planner().tree(levels(9)))).toMatchObject({
      code: "flow_too_deep",
      details: { maxDepth: 8, at: `${"children[0].".repeat(7)}children[0]` },
    });
    expect((await planner(9).tree(levels(9))).items).toHaveLength(9);
  });

  it("is refused for an object that is its own ancestor", async () => {
    const loop: { children: object[] } = { ...job("q"), children: [] };
    loop.children = [job("q", [loop])];
    expect(await faultOf(planner().tree(loop))).toMatchObject({ code: "flow_cycle" });
  });

  it("is refused for one id at two places, and for a parent as its own child", async () => {
    const twice = planner().tree(job("q", [job("a", [], { id: ID }), job("b", [], { id: ID })]));
    expect(await faultOf(twice)).toMatchObject({
      code: "flow_duplicate_id",
      details: { at: "children[1]", other: "children[0]" },
    });
    const own = planner().tree(job("q", [job("a", [job("b", [], { id: ID })])], { id: ID }));
    expect(await faultOf(own)).toMatchObject({
      code: "flow_parent_as_child",
      details: { at: "children[0].children[0]" },
    });
  });

  it.each([
    ["jobId", { jobId: "one" }],
    ["deduplication id", { deduplication: { id: "one" } }],
  ])("is refused for two jobs of one %s in one queue, and not in two", async (_, opts) => {
    const fault = await faultOf(planner().tree(job("q", [job("a", [], opts), job("a", [], opts)])));
    expect(fault.code).toBe("flow_duplicate_id");
    expect((await planner().tree(job("q", [job("a", [], opts), job("b", [], opts)]))).items).toHaveLength(3);
  });

  it.each([
    ["a queue without a name", { name: "x" }, "invalid_queue"],
    ["a queue with a brace", job("a{b"), "invalid_queue"],
    ["an unknown member", { ...job("q"), deps: [] }, "unknown_option"],
    ["children that are no list", { ...job("q"), children: {} }, "invalid_option"],
    ["a bad policy", job("q", [], { onFailure: "ignored" }), "invalid_option"],
    ["two policies", job("q", [], { onFailure: "ignore", removeDependencyOnFailure: true }), "invalid_option"],
    ["a policy that is only denied", job("q", [], { failParentOnFailure: false }), "invalid_option"],
    ["a flag that is no flag", job("q", [], { ignoreDependencyOnFailure: "yes" }), "invalid_option"],
    ["an option that no job has", job("q", [], { tries: 3 }), "unknown_option"],
    ["data that JSON cannot hold", { ...job("q"), data: { n: 1n } }, "invalid_payload"],
    ["data that its schema refuses", { ...job("q"), name: "judged" }, "invalid_payload"],
  ])("is refused for %s, with the place", async (_, bad, code) => {
    const fault = await faultOf(planner().tree(job("q", [bad])));
    expect(fault.code).toBe(code);
    if (code !== "unknown_option") expect(`${fault.message} ${JSON.stringify(fault.details)}`).toContain("children[0]");
  });

  it("takes a denied flag beside the policy that says what happens instead", async () => {
    const plan = await planner().tree(
      job("q", [job("q", [], { failParentOnFailure: false, ignoreDependencyOnFailure: true })]),
    );
    expect(plan.items[1]?.parents[0]?.policy).toBe("ignore");
  });

  it("is refused when it is nothing", async () => {
    for (const nothing of [undefined, null, 7, []]) {
      expect((await faultOf(planner().tree(nothing))).code).toBe("invalid_option");
    }
  });

  it("is refused above the number of jobs that one flow may have", async () => {
    const child = job("q");
    const children = Array.from({ length: FLOW_JOBS_MAX }, () => child);
    expect(await faultOf(planner().tree(job("q", children)))).toMatchObject({ code: "flow_too_large" });
  });
});

describe("a graph", () => {
  it("puts each node behind all that wait for it, one edge a policy", async () => {
    const plan = await planner().graph({
      nodes: { a: node(), b: node({ onFailure: "remove" }), c: node(), d: node() },
      deps: { d: ["b", { node: "c", onFailure: "ignore" }], b: ["a"], c: [{ node: "a", onFailure: "continue" }] },
    });
    expect(shape(plan)).toEqual([
      ["d", "q"],
      ["b", "q", ["d", "remove"]],
      ["c", "q", ["d", "ignore"]],
      ["a", "q", ["b", "fail-parent"], ["c", "continue"]],
    ]);
  });

  it("counts levels by its longest way", async () => {
    const nodes = { a: node(), b: node(), c: node() };
    const deps = { a: ["b", "c"], b: ["c"] };
    expect(await faultOf(planner(2).graph({ nodes, deps }))).toMatchObject({
      code: "flow_too_deep",
      details: { at: "c", maxDepth: 2 },
    });
    expect((await planner(3).graph({ nodes, deps })).items).toHaveLength(3);
  });

  it("names the nodes of a circle, and not those beside it", async () => {
    const nodes = { top: node(), a: node(), b: node(), c: node(), leaf: node() };
    const fault = await faultOf(planner().graph({ nodes, deps: { top: ["a"], a: ["b"], b: ["c"], c: ["a", "leaf"] } }));
    expect(fault.code).toBe("flow_cycle");
    expect([...(fault.details as { nodes: string[] }).nodes].sort()).toEqual(["a", "b", "c"]);
    expect(fault.message).not.toContain("leaf");
  });

  it.each([
    ["itself", { a: ["a"] }, "flow_parent_as_child"],
    ["one node twice", { a: ["b", "b"] }, "flow_duplicate_id"],
    ["a node that there is not", { a: ["x"] }, "flow_unknown_node"],
    ["and there is no such node", { x: ["a"] }, "flow_unknown_node"],
    ["what is no list", { a: "b" }, "invalid_option"],
    ["what is no node", { a: [{ name: "b" }] }, "unknown_option"],
    ["what has no name", { a: [{}] }, "invalid_option"],
    ["with a policy that is none", { a: [{ node: "b", onFailure: "skip" }] }, "invalid_option"],
  ])("is refused where a node waits for %s", async (_, deps, code) => {
    expect((await faultOf(planner().graph({ nodes: { a: node(), b: node() }, deps }))).code).toBe(code);
  });

  it("is refused with a job that more jobs wait for than one act can name", async () => {
    const names = Array.from({ length: 1000 }, (_, at) => `n${at}`);
    const nodes = Object.fromEntries([...names, "shared"].map((name) => [name, node()]));
    const deps = Object.fromEntries(names.map((name) => [name, ["shared"]]));
    const fault = await faultOf(planner().graph({ nodes, deps }));
    expect(fault).toMatchObject({ code: "flow_too_large", details: { at: "shared", max: 999 } });
  });

  it("is refused without nodes, with children, and for an edge list", async () => {
    expect((await faultOf(planner().graph({ nodes: {} }))).code).toBe("invalid_option");
    expect((await faultOf(planner().graph(undefined))).code).toBe("invalid_option");
    expect((await faultOf(planner().graph({ nodes: { a: job("q", [node()]) } }))).code).toBe("unknown_option");
    expect((await faultOf(planner().graph({ nodes: { a: node() }, edges: [] }))).code).toBe("unknown_option");
  });
});
