/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

/** The closed list of key types of a queue; parts in angle brackets stand for a name. */
export const KEY_TYPES = [
  "pending",
  "active",
  "schedule",
  "dead",
  "completed",
  "expiry",
  "job:<id>",
  "job:<id>:logs",
  "job:<id>:lock",
  "job:<id>:dependencies",
  "job:<id>:processed",
  "job:<id>:failed",
  "job:<id>:unsuccessful",
  "job:<id>:parents",
  "job:<id>:result",
  "meta",
  "ring",
  "wake",
  "paused",
  "gactive",
  "glimit",
  "gweight",
  "gordered",
  "g:<group>:pending",
  "de:<dedup>",
  "limiter",
  "cursor",
  "tokens",
  "repeat",
  "repeat:<name>",
  "cron",
  "cron:<name>",
  "flow:outbox",
  "flow:outbox:bad",
  "stream:<name>",
  "stream:<name>:archived",
  "workers",
  "metrics:completed",
  "metrics:failed",
  "metrics:<which>:data",
  "metrics:<which>:minutes",
  "listeners",
  "events",
  "results",
] as const;

/** The Valkey type that each key type has. */
export const KEY_VALKEY_TYPES: Readonly<Record<(typeof KEY_TYPES)[number], string>> = {
  pending: "zset",
  active: "zset",
  schedule: "zset",
  dead: "zset",
  completed: "zset",
  expiry: "zset",
  "job:<id>": "hash",
  "job:<id>:logs": "list",
  "job:<id>:lock": "string",
  "job:<id>:dependencies": "string",
  "job:<id>:processed": "hash",
  "job:<id>:failed": "hash",
  "job:<id>:unsuccessful": "hash",
  "job:<id>:parents": "hash",
  "job:<id>:result": "string",
  meta: "hash",
  ring: "list",
  wake: "list",
  paused: "set",
  gactive: "hash",
  glimit: "hash",
  gweight: "hash",
  gordered: "set",
  "g:<group>:pending": "zset",
  "de:<dedup>": "string",
  limiter: "string",
  cursor: "hash",
  tokens: "zset",
  repeat: "zset",
  "repeat:<name>": "hash",
  cron: "zset",
  "cron:<name>": "hash",
  "flow:outbox": "list",
  "flow:outbox:bad": "list",
  "stream:<name>": "stream",
  "stream:<name>:archived": "string",
  workers: "hash",
  "metrics:completed": "hash",
  "metrics:failed": "hash",
  "metrics:<which>:data": "list",
  "metrics:<which>:minutes": "hash",
  listeners: "string",
  events: "channel",
  results: "channel",
};

/** The closed list of suffixes of the reserve `{emq}:`. */
export const RESERVE_TYPES = ["version", "queues", "node:<n>", "nodes"] as const;

/** The fields that every row is born with, in their order. */
export const BIRTH_FIELDS = ["state", "attempts", "payload"] as const;

/** Every field that a row may have. */
export const RECORD_FIELDS = [
  "state",
  "attempts",
  "payload",
  "group",
  "name",
  "priority",
  "opts",
  "dedup",
  "alias",
  "latest",
  "follows",
  "follow_at",
  "next",
  "parent",
  "parent_queue",
  "parent_policy",
  "owner",
  "last_error",
  "progress",
  "stalled",
  "deferred",
  "cancel",
  "lock",
  "result",
  "finished_at",
  "held",
  "due",
  "wait",
  "forget",
] as const;

/** The words that a row's `state` may hold. */
export const JOB_STATES = ["pending", "active", "scheduled", "dead", "awaiting_children", "completed"] as const;

/** The words that `STATE` may answer. */
export const STATE_ANSWERS = [
  "pending",
  "active",
  "scheduled",
  "dead",
  "awaiting_children",
  "completed",
  "unknown",
  "absent",
] as const;

export type JobState = (typeof JOB_STATES)[number];
export type StateAnswer = (typeof STATE_ANSWERS)[number];
