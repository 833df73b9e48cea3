/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

/** The planes that verbs belong to, which are also the folders of `spec/`. */
export type Plane = "job" | "operator" | "read";

/** Every verb of the wire. */
export type Verb =
  | "ADMIT"
  | "BCLAIM"
  | "CANCEL"
  | "CLAIM"
  | "COMPLETE"
  | "DELAY"
  | "ENQUEUE"
  | "EXTEND"
  | "EXTENDM"
  | "GIVEBACK"
  | "LOG"
  | "OWNED"
  | "PROGRESS"
  | "PROMOTE"
  | "REAP"
  | "RELEASE"
  | "REMOVE"
  | "REPROCESS"
  | "RETRY"
  | "SCHEDULE"
  | "SWEEP"
  | "TURN"
  | "UPDATE"
  | "QPAUSE"
  | "QRESUME"
  | "COUNTS"
  | "EXPLAIN"
  | "MAXED"
  | "STATE";

/** One declared key of a verb. */
export interface KeyShape {
  readonly name: string;
  /** Its key type as in `spec/keys.json`; the empty text is the base key `emq:{q}:`. */
  readonly type: string;
  /** For a row: the position of the argument that holds its id; absent when the key's own tail is the id. */
  readonly id?: number;
}

/** One argument of a verb. */
export interface ArgumentShape {
  readonly name: string;
  readonly kind: "integer" | "bytes" | "word" | "name";
  readonly min?: number;
  readonly max?: number;
  readonly words?: readonly string[];
  /** For a name: whether the empty text stands for none. */
  readonly empty?: boolean;
}

/** What may follow the fixed arguments of a verb, any number of times. */
export interface RestShape {
  readonly kind: "admit" | "settle" | "ids" | "pairs" | "words";
  readonly words?: readonly string[];
}

/** The call form of a verb. */
export interface VerbShape {
  readonly plane: Plane;
  readonly access: "read" | "write";
  /** Whether a server at `maxmemory` refuses it. */
  readonly grows: boolean;
  readonly keys: readonly KeyShape[];
  /** Types of further keys of the same queue that a caller may append. */
  readonly moreKeys: readonly string[];
  readonly args: readonly ArgumentShape[];
  readonly optional: readonly ArgumentShape[];
  readonly rest?: RestShape;
  /** Types of further keys that the act may derive from the base. */
  readonly uses: readonly string[];
}

/** The call form of every verb. */
export const VERBS: Readonly<Record<Verb, VerbShape>> = {
  ADMIT: {
    plane: "job",
    access: "write",
    grows: true,
    keys: [
      { name: "base", type: "" },
      { name: "pending", type: "pending" },
    ],
    moreKeys: [],
    args: [],
    optional: [],
    rest: { kind: "admit" },
    uses: [
      "g:<group>:pending",
      "gactive",
      "glimit",
      "job:<id>",
      "meta",
      "paused",
      "pending",
      "ring",
      "schedule",
      "wake",
    ],
  },
  BCLAIM: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "pending", type: "pending" },
      { name: "active", type: "active" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "lease_ms", kind: "integer", min: 1, max: 2147483648 },
      { name: "size", kind: "integer", min: 0, max: 1000 },
    ],
    optional: [],
    uses: ["active", "g:<group>:pending", "gactive", "glimit", "job:<id>", "meta", "paused", "pending", "ring"],
  },
  CANCEL: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "row", type: "job:<id>", id: 0 },
      { name: "active", type: "active" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "id", kind: "bytes" },
      { name: "reason", kind: "bytes" },
    ],
    optional: [],
    uses: [
      "active",
      "de:<dedup>",
      "dead",
      "g:<group>:pending",
      "gactive",
      "glimit",
      "job:<id>",
      "job:<id>:dependencies",
      "job:<id>:failed",
      "job:<id>:lock",
      "job:<id>:logs",
      "job:<id>:parents",
      "job:<id>:processed",
      "job:<id>:result",
      "job:<id>:unsuccessful",
      "meta",
      "paused",
      "pending",
      "ring",
      "schedule",
      "wake",
    ],
  },
  CLAIM: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "pending", type: "pending" },
      { name: "active", type: "active" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [{ name: "lease_ms", kind: "integer", min: 1, max: 2147483648 }],
    optional: [],
    uses: ["active", "g:<group>:pending", "gactive", "glimit", "job:<id>", "meta", "paused", "pending", "ring"],
  },
  COMPLETE: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "active", type: "active" },
      { name: "row", type: "job:<id>", id: 0 },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "id", kind: "bytes" },
      { name: "token", kind: "integer", min: 0, max: 9007199254740991 },
    ],
    optional: [{ name: "result", kind: "bytes" }],
    uses: [
      "active",
      "de:<dedup>",
      "g:<group>:pending",
      "gactive",
      "glimit",
      "job:<id>",
      "job:<id>:dependencies",
      "job:<id>:failed",
      "job:<id>:lock",
      "job:<id>:logs",
      "job:<id>:parents",
      "job:<id>:processed",
      "job:<id>:result",
      "job:<id>:unsuccessful",
      "meta",
      "metrics:completed",
      "paused",
      "pending",
      "ring",
      "wake",
    ],
  },
  DELAY: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "row", type: "job:<id>", id: 0 },
      { name: "active", type: "active" },
      { name: "schedule", type: "schedule" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "id", kind: "bytes" },
      { name: "token", kind: "integer", min: 0, max: 9007199254740991 },
      { name: "mode", kind: "word", words: ["in", "at"] },
      { name: "ms", kind: "integer", min: 0, max: 9007199254740991 },
    ],
    optional: [],
    uses: [
      "active",
      "g:<group>:pending",
      "gactive",
      "glimit",
      "job:<id>",
      "meta",
      "paused",
      "pending",
      "ring",
      "schedule",
      "wake",
    ],
  },
  ENQUEUE: {
    plane: "job",
    access: "write",
    grows: true,
    keys: [
      { name: "row", type: "job:<id>", id: 0 },
      { name: "pending", type: "pending" },
    ],
    moreKeys: [],
    args: [
      { name: "id", kind: "bytes" },
      { name: "payload", kind: "bytes" },
    ],
    optional: [],
    uses: [],
  },
  EXTEND: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "active", type: "active" },
      { name: "row", type: "job:<id>", id: 0 },
    ],
    moreKeys: [],
    args: [
      { name: "id", kind: "bytes" },
      { name: "token", kind: "integer", min: 0, max: 9007199254740991 },
      { name: "lease_ms", kind: "integer", min: 1, max: 2147483648 },
    ],
    optional: [],
    uses: [],
  },
  EXTENDM: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "active", type: "active" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [{ name: "lease_ms", kind: "integer", min: 1, max: 2147483648 }],
    optional: [],
    rest: { kind: "pairs" },
    uses: ["active", "job:<id>"],
  },
  GIVEBACK: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "active", type: "active" },
      { name: "row", type: "job:<id>", id: 0 },
      { name: "pending", type: "pending" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "id", kind: "bytes" },
      { name: "token", kind: "integer", min: 0, max: 9007199254740991 },
    ],
    optional: [],
    uses: ["active", "g:<group>:pending", "gactive", "glimit", "job:<id>", "meta", "paused", "pending", "ring", "wake"],
  },
  LOG: {
    plane: "job",
    access: "write",
    grows: true,
    keys: [
      { name: "row", type: "job:<id>" },
      { name: "logs", type: "job:<id>:logs" },
    ],
    moreKeys: [],
    args: [
      { name: "line", kind: "bytes" },
      { name: "keep", kind: "integer", min: 0, max: 1000000 },
    ],
    optional: [{ name: "token", kind: "integer", min: 0, max: 9007199254740991 }],
    uses: [],
  },
  OWNED: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "active", type: "active" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "worker", kind: "bytes" },
      { name: "lease_ms", kind: "integer", min: 1, max: 2147483648 },
    ],
    optional: [],
    rest: { kind: "ids" },
    uses: ["active", "job:<id>"],
  },
  PROGRESS: {
    plane: "job",
    access: "write",
    grows: true,
    keys: [
      { name: "row", type: "job:<id>", id: 1 },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "progress", kind: "bytes" },
      { name: "id", kind: "bytes" },
    ],
    optional: [{ name: "token", kind: "integer", min: 0, max: 9007199254740991 }],
    uses: ["events"],
  },
  PROMOTE: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "schedule", type: "schedule" },
      { name: "pending", type: "pending" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [{ name: "batch", kind: "integer", min: 0, max: 1000 }],
    optional: [],
    uses: [
      "g:<group>:pending",
      "gactive",
      "glimit",
      "job:<id>",
      "meta",
      "paused",
      "pending",
      "ring",
      "schedule",
      "wake",
    ],
  },
  REAP: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "active", type: "active" },
      { name: "pending", type: "pending" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [{ name: "limit", kind: "integer", min: 0, max: 1000 }],
    optional: [],
    uses: ["active", "g:<group>:pending", "gactive", "glimit", "job:<id>", "meta", "paused", "pending", "ring", "wake"],
  },
  RELEASE: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "row", type: "job:<id>", id: 0 },
      { name: "schedule", type: "schedule" },
      { name: "pending", type: "pending" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [{ name: "id", kind: "bytes" }],
    optional: [],
    uses: ["g:<group>:pending", "gactive", "glimit", "job:<id>", "meta", "paused", "pending", "ring", "wake"],
  },
  REMOVE: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "row", type: "job:<id>", id: 0 },
      { name: "pending", type: "pending" },
      { name: "active", type: "active" },
      { name: "schedule", type: "schedule" },
      { name: "dead", type: "dead" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "id", kind: "bytes" },
      { name: "dedup", kind: "name", empty: true },
    ],
    optional: [{ name: "force", kind: "word", words: ["force"] }],
    uses: [
      "de:<dedup>",
      "g:<group>:pending",
      "gactive",
      "glimit",
      "job:<id>",
      "job:<id>:dependencies",
      "job:<id>:failed",
      "job:<id>:lock",
      "job:<id>:logs",
      "job:<id>:parents",
      "job:<id>:processed",
      "job:<id>:result",
      "job:<id>:unsuccessful",
      "meta",
      "paused",
      "pending",
      "ring",
      "wake",
    ],
  },
  REPROCESS: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "row", type: "job:<id>", id: 0 },
      { name: "dead", type: "dead" },
      { name: "pending", type: "pending" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [{ name: "id", kind: "bytes" }],
    optional: [],
    uses: ["g:<group>:pending", "gactive", "glimit", "job:<id>", "meta", "paused", "pending", "ring", "wake"],
  },
  RETRY: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "active", type: "active" },
      { name: "schedule", type: "schedule" },
      { name: "dead", type: "dead" },
      { name: "row", type: "job:<id>", id: 0 },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "id", kind: "bytes" },
      { name: "token", kind: "integer", min: 0, max: 9007199254740991 },
      { name: "delay_ms", kind: "integer", min: 0, max: 9007199254740991 },
      { name: "max_attempts", kind: "integer", min: 0, max: 2147483648 },
      { name: "error", kind: "bytes" },
    ],
    optional: [],
    uses: [
      "active",
      "de:<dedup>",
      "dead",
      "g:<group>:pending",
      "gactive",
      "glimit",
      "job:<id>",
      "meta",
      "metrics:failed",
      "paused",
      "pending",
      "ring",
      "schedule",
      "wake",
    ],
  },
  SCHEDULE: {
    plane: "job",
    access: "write",
    grows: true,
    keys: [
      { name: "row", type: "job:<id>", id: 0 },
      { name: "schedule", type: "schedule" },
    ],
    moreKeys: [],
    args: [
      { name: "id", kind: "bytes" },
      { name: "payload", kind: "bytes" },
      { name: "mode", kind: "word", words: ["at", "in"] },
      { name: "ms", kind: "integer", min: 0, max: 9007199254740991 },
    ],
    optional: [],
    uses: [],
  },
  SWEEP: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "active", type: "active" },
      { name: "pending", type: "pending" },
      { name: "dead", type: "dead" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "max_stalled", kind: "integer", min: 0, max: 2147483648 },
      { name: "limit", kind: "integer", min: 0, max: 1000 },
    ],
    optional: [],
    uses: [
      "active",
      "de:<dedup>",
      "dead",
      "g:<group>:pending",
      "gactive",
      "glimit",
      "job:<id>",
      "meta",
      "metrics:failed",
      "paused",
      "pending",
      "ring",
      "wake",
    ],
  },
  TURN: {
    plane: "job",
    access: "write",
    grows: false,
    keys: [
      { name: "pending", type: "pending" },
      { name: "active", type: "active" },
      { name: "schedule", type: "schedule" },
      { name: "wake", type: "wake" },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [
      { name: "worker", kind: "bytes" },
      { name: "lease_ms", kind: "integer", min: 1, max: 2147483648 },
      { name: "want", kind: "integer", min: 0, max: 1000 },
    ],
    optional: [],
    rest: { kind: "settle" },
    uses: [
      "active",
      "cursor",
      "de:<dedup>",
      "dead",
      "g:<group>:pending",
      "gactive",
      "glimit",
      "gweight",
      "job:<id>",
      "job:<id>:dependencies",
      "job:<id>:failed",
      "job:<id>:lock",
      "job:<id>:logs",
      "job:<id>:parents",
      "job:<id>:processed",
      "job:<id>:result",
      "job:<id>:unsuccessful",
      "meta",
      "metrics:completed",
      "metrics:failed",
      "paused",
      "pending",
      "ring",
      "schedule",
      "wake",
      "workers",
    ],
  },
  UPDATE: {
    plane: "job",
    access: "write",
    grows: true,
    keys: [{ name: "row", type: "job:<id>" }],
    moreKeys: [],
    args: [{ name: "payload", kind: "bytes" }],
    optional: [{ name: "token", kind: "integer", min: 0, max: 9007199254740991 }],
    uses: [],
  },
  QPAUSE: {
    plane: "operator",
    access: "write",
    grows: false,
    keys: [{ name: "meta", type: "meta" }],
    moreKeys: [],
    args: [],
    optional: [],
    uses: [],
  },
  QRESUME: {
    plane: "operator",
    access: "write",
    grows: false,
    keys: [
      { name: "meta", type: "meta" },
      { name: "wake", type: "wake" },
    ],
    moreKeys: [],
    args: [],
    optional: [],
    uses: [],
  },
  COUNTS: {
    plane: "read",
    access: "read",
    grows: false,
    keys: [
      { name: "base", type: "" },
      { name: "pending", type: "pending" },
    ],
    moreKeys: ["active", "schedule", "dead", "completed"],
    args: [],
    optional: [],
    rest: { kind: "words", words: ["completed", "failed"] },
    uses: ["metrics:completed", "metrics:failed"],
  },
  EXPLAIN: {
    plane: "read",
    access: "read",
    grows: false,
    keys: [
      { name: "pending", type: "pending" },
      { name: "active", type: "active" },
      { name: "schedule", type: "schedule" },
      { name: "dead", type: "dead" },
      { name: "row", type: "job:<id>", id: 0 },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [{ name: "id", kind: "bytes" }],
    optional: [],
    uses: ["g:<group>:pending", "completed", "meta"],
  },
  MAXED: {
    plane: "read",
    access: "read",
    grows: false,
    keys: [
      { name: "meta", type: "meta" },
      { name: "active", type: "active" },
    ],
    moreKeys: [],
    args: [],
    optional: [],
    uses: [],
  },
  STATE: {
    plane: "read",
    access: "read",
    grows: false,
    keys: [
      { name: "pending", type: "pending" },
      { name: "active", type: "active" },
      { name: "schedule", type: "schedule" },
      { name: "dead", type: "dead" },
      { name: "row", type: "job:<id>", id: 0 },
      { name: "base", type: "" },
    ],
    moreKeys: [],
    args: [{ name: "id", kind: "bytes" }],
    optional: [],
    uses: ["g:<group>:pending", "completed"],
  },
};
