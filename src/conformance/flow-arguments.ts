/** Arguments of flow verbs, good and bad, for the scenarios that hold every verb to its refusals. */

import type { Bytes } from "../protocol/bytes.ts";

/** The parent in arguments of `CHILD`: ids of no job, which stand for others than the one that is asked for. */
export const FLOW_PARENT = "JOB5fzvKvMtoX1";
const PARENT = FLOW_PARENT;
const CHILD = "JOB5fzvKvMtoX2";
const OTHER = "JOB5fzvKvMtoX3";

/** Kinds of rest that flow verbs have. */
export type FlowRest = "flow" | "hold" | "child" | "expect";

/** Arguments that pass the check of values. */
export function goodFlowArguments(kind: FlowRest, id: Bytes): Bytes[] {
  switch (kind) {
    case "flow":
      return ["", id, "p", "1", "fp", "", CHILD, "p"];
    case "hold":
      return ["1", "", id, "p"];
    case "child":
      return [PARENT, "", "fp", "", id, "p"];
    case "expect":
      return [id, "", CHILD, "", "fp", "", ""];
  }
}

/** Argument lists of which exactly one value is bad, and its name. */
export function badFlowArguments(kind: FlowRest, id: Bytes): [Bytes[], string][] {
  switch (kind) {
    case "flow":
      return badFlows(id);
    case "hold":
      return badHolds(id);
    case "child":
      return badChildren(id);
    case "expect":
      return badExpectations(id);
  }
}

/** Bad jobs, whose arguments stand between those before and those behind. */
function badJobs(id: Bytes, before: readonly Bytes[], behind: readonly Bytes[], foreign: Bytes): [Bytes[], string][] {
  const job = (name: string, ...parts: Bytes[]): [Bytes[], string] => [[...before, ...parts, ...behind], name];
  return [
    job("shape", "q", id, "p", "1"),
    job("shape", "pn", id, "p", "1", "n"),
    job("shape", foreign, id, "p", "1"),
    job("id", "", "nobody", "p"),
    job("priority", "p", id, "p", "2097153"),
    job("lane", "g", id, "p", "a{b"),
    job("expire_ms", "x", id, "p", "0"),
  ];
}

function badFlows(id: Bytes): [Bytes[], string][] {
  const child = ["1", "fp", "", CHILD, "p"];
  const flow = (name: string, ...parts: Bytes[]): [Bytes[], string] => [["", id, "p", ...parts], name];
  return [
    ...badJobs(id, [], child, "j"),
    ...badJobs(CHILD, ["", id, "p", "1", "fp"], [], "j"),
    flow("n"),
    flow("n", "0"),
    flow("n", "1000", "fp"),
    flow("policy", "1"),
    flow("policy", "1", "no", "", CHILD, "p"),
    flow("shape", "1", "fp"),
    flow("row", "1", "fp", "", CHILD),
    flow("row", ...child, "more"),
    flow("id", "1", "fp", "", id, "p"),
    flow("id", "2", "fp", "", CHILD, "p", "id", "", CHILD, "p"),
    flow("payload", "1", "fp", "", CHILD, "x".repeat(1_048_576)),
  ];
}

function badHolds(id: Bytes): [Bytes[], string][] {
  const hold = (name: string, ...parts: Bytes[]): [Bytes[], string] => [["1", "", id, "p", ...parts], name];
  const root = ["", "", ""];
  const child = ["c", CHILD, "", "fp", ""];
  return [
    ...badJobs(id, ["1"], [], "d"),
    hold("parent_id", PARENT),
    hold("parent_id", "nobody", "", "fp"),
    hold("parent_queue", PARENT, "a{b", "fp"),
    hold("policy", PARENT, "", "no"),
    hold("group", ...root, "c", CHILD),
    hold("group", ...root, "x", CHILD, "", "fp", ""),
    hold("group", ...root, ...Array.from({ length: 1001 }, () => child).flat()),
    hold("child_id", ...root, "c", "nobody", "", "fp", ""),
    hold("child_id", ...root, ...child, ...child),
    hold("child_id", ...root, "c", id, "", "fp", ""),
    hold("parent_id", id, "", "fp"),
    hold("parent_id", ...root, "p", id, "", "fp", ""),
    hold("child_queue", ...root, "c", CHILD, "a}b", "fp", ""),
    hold("policy", ...root, "c", CHILD, "", "no", ""),
    hold("key", ...root, "c", CHILD, "", "fp", "a\0b"),
    hold("key", ...root, "c", CHILD, "", "fp", "k".repeat(257)),
    hold("key", ...root, "p", PARENT, "", "fp", "k"),
    hold("n", ...root, ...child, "c", OTHER, "", "fp", ""),
  ];
}

function badChildren(id: Bytes): [Bytes[], string][] {
  const link = [PARENT, "", "fp"];
  const job = ["", id, "p"];
  const child = (name: string, ...parts: Bytes[]): [Bytes[], string] => [parts, name];
  return [
    ...badJobs(id, link, [], "m"),
    child("parent_id", "nobody", "", "fp", ...job),
    child("parent_id", id, "", "fp", ...job),
    child("parent_id", ...link, ...job, "p", id, "", "fp", ""),
    child("group", ...link, ...job, "p", PARENT),
    child("n", ...link, ...job, "c", CHILD, "", "fp", ""),
    child("parent_id", ...link, ...job, "p", "nobody", "", "fp", ""),
    child("key", ...link, ...job, "p", OTHER, "", "fp", "k"),
  ];
}

function badExpectations(id: Bytes): [Bytes[], string][] {
  const group = [CHILD, "", "fp", "", ""];
  const expect = (name: string, ...parts: Bytes[]): [Bytes[], string] => [[id, ...parts], name];
  return [
    expect("token", "01", ...group),
    expect("group", ""),
    expect("group", "", CHILD),
    expect("group", "", ...Array.from({ length: 1001 }, () => group).flat()),
    expect("child_id", "", "nobody", "", "fp", "", ""),
    expect("child_id", "", id, "", "fp", "", ""),
    expect("child_queue", "", CHILD, "a\0b", "fp", "", ""),
    expect("policy", "", CHILD, "", "no", "", ""),
    expect("job_id", "", CHILD, "", "fp", "nobody", ""),
    expect("key", "", CHILD, "", "fp", "", "a\0b"),
  ];
}
