/**
 * A key of a foreign type in the middle of an act.
 *
 * Nobody who speaks the wire makes one, but a slip at a console does. An act that meets it is refused, and a script
 * cannot take back what it wrote before: so every verb is played with every key that it may touch replaced, and
 * afterwards all is as before. `TURN` is several acts in one. What it has settled or promoted when it meets a foreign
 * row or lane stands, but each job is then in exactly the place that its row names, so that none is lost.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { isEchoMQError } from "../../protocol/errors.ts";
import { KEY_VALKEY_TYPES } from "../../protocol/registry.generated.ts";
import { VERBS, type Verb } from "../../protocol/verbs.generated.ts";
import { holds, same } from "../expectation.ts";
import { arrangeFlows, type FlowAct, type FlowScene, flowActs, flowScene } from "../flow-scene.ts";
import { keysWith } from "../key-scan.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

const LANE = "lane-a";
const LANE_SET = `g:${LANE}:pending`;
/** All sets that a job may be in. */
const SETS = ["pending", LANE_SET, "active", "schedule", "dead", "completed"];
const DEDUP = "order-7";
const LEASE = String(LEASE_MS);

/** A job in each place, flat and of a lane. A late one has lapsed and waits, with its old holder still about. */
const PLACES = {
  held: { set: "active", state: "active", score: "far" },
  heldLane: { set: "active", state: "active", score: "far", lane: true },
  lapsed: { set: "active", state: "active", score: "1" },
  lapsedLane: { set: "active", state: "active", score: "1", lane: true },
  waiting: { set: "pending", state: "pending", score: "0" },
  waitingLane: { set: LANE_SET, state: "pending", score: "0", lane: true },
  late: { set: "pending", state: "pending", score: "0", late: true },
  lateLane: { set: LANE_SET, state: "pending", score: "0", lane: true, late: true },
  due: { set: "schedule", state: "scheduled", score: "1" },
  dueLane: { set: "schedule", state: "scheduled", score: "1", lane: true },
  dead: { set: "dead", state: "dead", score: "0" },
  deadLane: { set: "dead", state: "dead", score: "0", lane: true },
  completed: { set: "completed", state: "completed", score: "1" },
} as const;

type Place = keyof typeof PLACES;
type Scene = Readonly<Record<Place, string>>;

/** One call of a verb: its arguments from the job that it is about, `""` where it is about none. */
type Act = readonly [verb: Verb, about: Place | "", args: (id: string, t: Trial) => readonly Bytes[]];

const HOLDERS = ["held", "heldLane", "late", "lateLane"] as const;
const turn = (want: string, ...settlements: Bytes[]) => ["w", LEASE, want, ...settlements];

/** Every verb that writes, on every place of a job that it works on. */
const ACTS: readonly Act[] = [
  ["ENQUEUE", "", (_, t) => [t.id(), "p"]],
  ["SCHEDULE", "", (_, t) => [t.id(), "p", "at", "1"]],
  ["ADMIT", "", (_, t) => ["", "1", t.id(), "p", "g", "1", t.id(), "p", LANE, "i", "1", t.id(), "p", "1"]],
  ["CLAIM", "", () => [LEASE]],
  ["BCLAIM", "", () => [LEASE, "9"]],
  ["PROMOTE", "", () => ["9"]],
  ["REAP", "", () => ["9"]],
  ["SWEEP", "", () => ["1", "9"]],
  ["SWEEP", "", () => ["9", "9"]],
  ["SWEEP", "", () => ["1", "9", "1", LEASE, LEASE]],
  ["OWNED", "", () => ["w", LEASE]],
  ["TURN", "", () => turn("9")],
  ["TURN", "", () => turn("9", "w", "1", "1000", "1", "null")],
  ...HOLDERS.flatMap((place): Act[] => [
    ["COMPLETE", place, (id) => [id, "1"]],
    ["COMPLETE", place, (id) => [id, "1", "r", "1", LEASE, LEASE]],
    ["RETRY", place, (id) => [id, "1", "1", "9", "e"]],
    ["RETRY", place, (id) => [id, "1", "1", "1", "e"]],
    ["RETRY", place, (id) => [id, "1", "1", "1", "e", "1", LEASE, LEASE]],
    ["DELAY", place, (id) => [id, "1", "in", "1"]],
    ["GIVEBACK", place, (id) => [id, "1"]],
    ["TURN", place, (id) => turn("9", "c", "1", id, "1")],
    ["TURN", place, (id) => turn("9", "t", "1", "1", LEASE, "1", LEASE, LEASE, "r", "1", id, "1", "r")],
    ["TURN", place, (id) => turn("9", "t", "1", "1", LEASE, "1", LEASE, LEASE, "k", "1", id, "1", "e")],
    ["TURN", place, (id) => turn("9", "f", "1", id, "1", LEASE, "9", "e")],
    ["TURN", place, (id) => turn("9", "k", "1", id, "1", "e")],
    ["TURN", place, (id) => turn("9", "d", "1", id, "1", LEASE)],
    ["TURN", place, (id) => turn("9", "b", "1", id, "1")],
  ]),
  ...(Object.keys(PLACES) as Place[]).map((place): Act => ["REMOVE", place, (id) => [id, DEDUP]]),
  ...(["waiting", "waitingLane", "due", "held"] as const).map((place): Act => ["CANCEL", place, (id) => [id, "r"]]),
  ["REPROCESS", "dead", (id) => [id]],
  ["REPROCESS", "deadLane", (id) => [id]],
  ["RESULT", "held", (id) => [id, LEASE]],
  ["RELEASE", "due", (id) => [id]],
  ["RELEASE", "dueLane", (id) => [id]],
  ...(["due", "dueLane"] as const).map((place): Act => ["RESCHEDULE", place, (id) => [id, "at", "1"]]),
  ...(["waiting", "waitingLane", "due", "dueLane"] as const).map(
    (place): Act => ["PRIORITY", place, (id) => [id, "7"]],
  ),
  ...(["waiting", "waitingLane", "due", "dueLane", "dead", "completed"] as const).map(
    (place): Act => ["CLEAN", place, (id) => [PLACES[place].state, id]],
  ),
  ["REVIVE", "dead", (id) => [id]],
  ["REVIVE", "deadLane", (id) => [id]],
  ["EXTEND", "held", (id) => [id, "1", LEASE]],
  ["EXTENDM", "held", (id) => [LEASE, id, "1"]],
  ["UPDATE", "held", () => ["p"]],
  ["PROGRESS", "held", (id) => ["p", id]],
  ["LOG", "held", () => ["l", "1"]],
  ...(["waiting", "waitingLane", "heldLane", "dueLane"] as const).map(
    (place): Act => ["REPAIR", place, (id) => ["job", id, LANE, "destroy", "colour"]],
  ),
  ["REPAIR", "", () => ["lane", LANE, "", "destroy"]],
  ["GENQUEUE", "", (_, t) => [t.id(), "p", LANE]],
  ["GCLAIM", "", () => [LEASE]],
  ["GWCLAIM", "", () => [LEASE]],
  ["GBCLAIM", "", () => [LEASE, "9"]],
  ["GWEIGHT", "", () => [LANE, "3"]],
  ["GPAUSE", "", () => [LANE]],
  ["GRESUME", "", () => ["lane-z"]],
  ["GLIMIT", "", () => [LANE, "2"]],
  ["GLIMIT", "", () => [LANE, "0"]],
  ["GORDER", "", () => [LANE, "on"]],
  ["GRATE", "", () => [LANE, "2", "1000", "window", "0"]],
  ["GRATE", "", () => [LANE, "0", "1", "window", "0"]],
  ["LIMITS", "", () => ["2", "3", "1000", "sliding", "0", "both"]],
  ...(["waitingLane", "lateLane"] as const).map((place): Act => ["GREASSIGN", place, (id) => [id, "lane-z"]]),
  ["GDRAIN", "", () => [LANE, "9"]],
  ["GREAP", "", () => [LANE, "9"]],
  ["QPAUSE", "", () => []],
  ["QRESUME", "", () => []],
];

/** Keys that a `TURN` judges before its first write; any other it may meet half-way. */
const AHEAD_OF_TURN: ReadonlySet<string> = new Set(["pending", "active", "schedule", "meta", "workers"]);

export const foreignTypeScenarios: readonly ScenarioDraft[] = [
  {
    name: "foreign_types",
    contract:
      "An act that meets a key of a foreign type is refused and nothing was written; a turn loses and doubles no job.",
    expectFindings: ["key-type"],
    async run(t) {
      const scene = Object.fromEntries(Object.keys(PLACES).map((place) => [place, t.id()])) as Scene;
      const far = String((await t.port.serverNow()) + 10 * LEASE_MS);
      await arrange(t, scene, far);
      const before = await t.snapshot();
      for (const [verb, about, args] of ACTS) {
        const id = about === "" ? "" : scene[about];
        const what = `${verb} of ${about === "" ? "the queue" : about} with ${args(id, t).slice(-4).join(" ")}`;
        await arrange(t, scene, far);
        same(await outcome(t, verb, args(id, t), id), "done", what);
        for (const suffix of targets(verb, scene)) {
          await arrange(t, scene, far);
          const foreign = isText(suffix) ? "list" : "string";
          await t.command("DEL", t.key(suffix));
          await t.command(foreign === "list" ? "RPUSH" : "SET", t.key(suffix), "x");
          const answer = await outcome(t, verb, args(id, t), id);
          if (answer === "done") continue;
          const where = `${what}, which met ${suffix}`;
          same(answer, "WRONGTYPE", `the refusal of ${where}`);
          const after = await t.snapshot();
          const changed = changes(before, after).filter((key) => key !== t.key(suffix));
          if (verb !== "TURN" || AHEAD_OF_TURN.has(suffix)) same(changed, [], `keys that changed by ${where}`);
          else await everyJobInItsPlace(t, after, where);
        }
      }
    },
  },
  {
    name: "flow_foreign_types",
    contract: "An act of a flow that meets a key of a foreign type is refused and nothing was written.",
    expectFindings: ["key-type"],
    async run(t) {
      const scene = flowScene(t);
      const far = String((await t.port.serverNow()) + 10 * LEASE_MS);
      const clear = async () => await t.command("DEL", ...(await keysWith(t.engine, t.base)), t.key("nothing"));
      const ask = async (act: FlowAct) => await outcome(t, act.verb, act.args, "", act.more);
      for (const act of flowActs(t, scene)) {
        const what = `${act.verb} with ${act.args.join(" ").slice(0, 80)}`;
        await clear();
        await arrangeFlows(t, scene, far);
        same(await ask(act), "done", what);
        for (const suffix of flowTargets(act.verb, scene)) {
          await clear();
          await arrangeFlows(t, scene, far);
          const foreign = isText(suffix) || suffix.endsWith(":dependencies") ? "RPUSH" : "SET";
          await t.command("DEL", t.key(suffix));
          await t.command(foreign, t.key(suffix), "x");
          const before = await t.snapshot();
          const answer = await ask(act);
          if (answer === "done") continue;
          same(answer, "WRONGTYPE", `the refusal of ${what}, which met ${suffix}`);
          same(changes(before, await t.snapshot()), [], `keys that changed by ${what}, which met ${suffix}`);
        }
      }
    },
  },
];

/** The keys that an act of a flow may touch, side keys of all jobs among them. */
function flowTargets(verb: Verb, scene: FlowScene): string[] {
  const { keys, uses } = VERBS[verb];
  return [...new Set([...keys.map(({ type }) => type), ...uses])].flatMap((type) => {
    if (type === "g:<group>:pending") return [LANE_SET];
    if (type === "de:<dedup>") return ["de:d1", "de:a1"];
    // The presence of a lock is all that counts, and counters have a scenario of their own.
    if (["", "job:<id>:lock", "metrics:<which>:minutes"].includes(type)) return [];
    if (!type.startsWith("job:<id>")) return [type];
    return Object.values(scene).map((id) => type.replace("<id>", id));
  });
}

/** The keys that a verb may touch. */
function targets(verb: Verb, scene: Scene): string[] {
  const { keys, uses } = VERBS[verb];
  const declared = keys.map(({ type }) => type).filter((type) => type !== "");
  // Side keys that an act derives are only ever deleted, which no type hinders.
  const derived = uses.filter((type) => !type.startsWith("job:<id>:"));
  return [...new Set([...declared, ...derived])].flatMap((type) => {
    if (type === "g:<group>:pending") return [LANE_SET];
    if (type === "de:<dedup>") return [`de:${DEDUP}`];
    if (!type.startsWith("job:<id>")) return [type];
    return Object.values(scene).map((id) => type.replace("<id>", id));
  });
}

/** Whether the wire gives a key text, so that a list is foreign there. */
function isText(target: string): boolean {
  return target.startsWith("de:") || (KEY_VALKEY_TYPES as Readonly<Record<string, string>>)[target] === "string";
}

async function outcome(
  t: Trial,
  verb: Verb,
  args: readonly Bytes[],
  id: string,
  more: readonly string[] = [],
): Promise<string> {
  try {
    await t.act(verb, args, { id, more });
    return "done";
  } catch (error) {
    if (!isEchoMQError(error)) throw error;
    return error.message.split(" ", 1)[0] ?? "";
  }
}

/** Makes the scene from nothing by plain commands, sent together. */
async function arrange(t: Trial, scene: Scene, far: string): Promise<void> {
  const commands: Bytes[][] = [["DEL", ...(await keysWith(t.engine, t.base)), t.key("nothing")]];
  for (const [place, { set, state, score, ...more }] of Object.entries(PLACES)) {
    const id = scene[place as Place];
    const fields = ["state", state, "attempts", "1", "payload", "p", "dedup", DEDUP];
    if ("lane" in more) fields.push("group", LANE);
    if ("late" in more) fields.push("owner", "", "stalled", "1");
    else if (state === "active") fields.push("owner", "w");
    commands.push(["HSET", t.row(id), ...fields], ["ZADD", t.key(set), score === "far" ? far : score, id]);
  }
  commands.push(
    ["SET", t.key(`de:${DEDUP}`), "JOB00000000000"],
    ["HSET", t.key("meta"), "concurrency", "100"],
    ["ZADD", t.key("expiry"), "1", scene.dead, far, scene.completed],
    ["HSET", t.key("gactive"), LANE, "2"],
    ["HSET", t.key("glimit"), LANE, "9"],
    ["HSET", t.key("gweight"), LANE, "2"],
    ["SADD", t.key("paused"), "lane-z"],
    ["RPUSH", t.key("ring"), LANE],
    ["HSET", t.key("metrics:completed"), "count", "1"],
    ["HSET", t.key("metrics:failed"), "count", "1"],
  );
  await Promise.all(commands.map(async (command) => await t.command(...command)));
}

/** Fails unless each row that is one lies in exactly one set, and in one that fits its state. */
async function everyJobInItsPlace(t: Trial, content: ReadonlyMap<Bytes, string>, where: string): Promise<void> {
  const isForeign = (set: string) => !(content.get(t.key(set)) ?? "zset").startsWith("zset");
  for (const [key, text] of content) {
    if (!key.startsWith(t.row("")) || !text.startsWith("hash")) continue;
    const id = key.slice(t.row("").length);
    const state = String(await t.command("HGET", key, "state"));
    const homes = state === "pending" ? ["pending", LANE_SET] : [state === "scheduled" ? "schedule" : state];
    const found = SETS.filter((set) => content.get(t.key(set))?.includes(id) ?? false);
    // What stood in the set that was replaced lay nowhere from the start.
    if (found.length === 0 && homes.some(isForeign)) continue;
    holds(
      found.length === 1 && homes.includes(found[0] ?? ""),
      `${id} is ${state} but lies in [${found.join()}] after ${where}`,
    );
  }
}

/** The keys of which two snapshots say different things. */
function changes(before: ReadonlyMap<Bytes, string>, after: ReadonlyMap<Bytes, string>): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key));
}
