/** Flows in every situation that an act can meet, made by plain commands, and the acts that meet them. */

import type { Bytes } from "../protocol/bytes.ts";
import type { Verb } from "../protocol/verbs.generated.ts";
import { LEASE_MS, type Trial } from "./trial.ts";

const LANE = "lane-a";
const LEASE = String(LEASE_MS);

/** The jobs of the scene. */
const ROLES = ["root", "parent", "held", "running", "open", "dead", "fallen", "failed"] as const;

export type FlowScene = Readonly<Record<(typeof ROLES)[number], string>>;

/** One call: the verb, its arguments, and further rows that it declares. */
export interface FlowAct {
  readonly verb: Verb;
  readonly args: readonly Bytes[];
  readonly more?: readonly string[];
}

/** Fresh ids for the jobs of the scene. */
export function flowScene(t: Trial): FlowScene {
  return Object.fromEntries(ROLES.map((role) => [role, t.id()])) as unknown as FlowScene;
}

/** Every act that reads or writes a flow, in the form that goes furthest. */
export function flowActs(t: Trial, scene: FlowScene): FlowAct[] {
  const { parent, held, running, open, dead, fallen } = scene;
  const [first, second] = t.ids(2);
  return [
    { verb: "COMPLETE", args: [held, "1", "r"] },
    { verb: "RETRY", args: [held, "1", "0", "1", "boom"] },
    { verb: "REMOVE", args: [held, ""] },
    { verb: "CANCEL", args: [parent, "r"] },
    { verb: "REMOVE", args: [parent, ""] },
    { verb: "FDELIVER", args: [held, "r", parent] },
    { verb: "FFAIL", args: [held, "boom", "fp", parent] },
    { verb: "FFAIL", args: [held, "removed", "id", parent] },
    { verb: "PARK", args: [running, "1", LEASE] },
    { verb: "EXPECT", args: [running, "1", first, "", "fp", "", ""] },
    { verb: "REPROCESS", args: [dead] },
    { verb: "REPROCESS", args: [fallen] },
    { verb: "FLOW", args: ["g", first, "p", LANE, "1", "fp", "g", second, "c", LANE], more: [`job:${second}`] },
    { verb: "HOLD", args: ["1", "x", first, "p", LEASE, parent, "", "fp", "c", second, "", "fp", ""] },
    { verb: "HOLD", args: ["1", "", open, "p", parent, "", "fp"] },
    { verb: "CHILD", args: [parent, "", "fp", "gdj", first, "c", LANE, "d1", "a1", "p", running, "far", "id", ""] },
    { verb: "CHILD", args: [parent, "", "fp", "", open, "c"] },
  ];
}

/** Makes the scene from nothing by plain commands, sent together. */
export async function arrangeFlows(t: Trial, scene: FlowScene, far: string): Promise<void> {
  const { root, parent, held, running, open, dead, fallen, failed } = scene;
  const row = (id: string, state: string, ...more: string[]) => [
    ["HSET", t.row(id), "state", state, "attempts", "1", "payload", "p", ...more],
  ];
  const counts = (id: string, ...children: string[]) => [
    ["SET", `${t.row(id)}:dependencies`, String(children.length)],
    ["HSET", `${t.row(id)}:children`, ...children.flatMap((child) => [child, "fp\0"])],
  ];
  const link = (id: string) => ["parent", id, "parent_policy", "fp"];
  const commands = [
    ...row(root, "awaiting_children"),
    ...counts(root, parent),
    ...row(parent, "awaiting_children", "group", LANE, ...link(root)),
    ...counts(parent, held),
    ["HSET", `${t.row(parent)}:processed`, failed, "r"],
    ...row(held, "active", ...link(parent)),
    ...row(running, "active", "group", LANE),
    ...counts(running, open),
    ...row(open, "pending", ...link(running)),
    ...row(dead, "dead", ...link(fallen)),
    ...row(fallen, "dead", "failed_child", dead),
    ...counts(fallen, dead, failed),
    ["HSET", `${t.row(fallen)}:failed`, dead, "boom"],
    ["ZADD", t.key("awaiting"), "1", root, "1", parent],
    ["ZADD", t.key("active"), far, held, far, running],
    ["ZADD", t.key("pending"), "0", open],
    ["ZADD", t.key("dead"), "0", dead, "0", fallen],
    ["HSET", t.key("gactive"), LANE, "1"],
    ["HSET", t.key("glimit"), LANE, "9"],
    ["HSET", t.key("meta"), "concurrency", "100"],
  ];
  await Promise.all(commands.map(async (command) => await t.command(...command)));
}
