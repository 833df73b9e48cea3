/**
 * What the doctor can find: a closed list of codes, each with its meaning and its mend.
 *
 * A code names a rule of the keyspace that is broken. The list is a contract: scripts compare with the codes, tests
 * name them, and docs/operate/doctor.md has a row for each.
 */

import type { Bytes } from "../protocol/bytes.ts";

/** What a code says. */
export interface FindingMeaning {
  /** The rule, in words. */
  readonly rule: string;
  /** What repairing does. */
  readonly mend: string;
}

/** Every code, with its rule and its mend. */
export const FINDINGS = {
  "key-known": {
    rule: "every key of the queue is of a type that the wire names",
    mend: "delete the key",
  },
  "key-type": {
    rule: "every key holds the kind of value that its type has",
    mend: "delete the key; what it should hold is put back from the rows",
  },
  "row-empty": {
    rule: "every row has a payload",
    mend: "delete the row and its members: nobody can run it",
  },
  "row-fields": {
    rule: "every row has state and attempts, and no field that the record does not name",
    mend: "set state by where the job lies and attempts to 0; take foreign fields out",
  },
  "row-numbers": {
    rule: "numbers of a row are whole and in range",
    mend: "take the field out; attempts begin at 0",
  },
  "row-owner": {
    rule: "only an active job has a holder",
    mend: "take the holder out",
  },
  "row-place": {
    rule: "a job lies where its state says and nowhere else",
    mend: "put it there and take it out of everywhere else",
  },
  "row-follows": {
    rule: "a job that runs after another is the next of one that is yet to end",
    mend: "let it fall due, under the name that both have",
  },
  "row-expires": {
    rule: "a job with a time to live is listed by it while it waits",
    mend: "list it by the instant that its row says",
  },
  "flow-count": {
    rule: "a parent counts its open children, and one that waits has some",
    mend: "set the count; let a parent run that waits for nobody",
  },
  "member-row": {
    rule: "every member is a job with a row",
    mend: "take the member out",
  },
  "member-score": {
    rule: "a member's score is its priority, its instant, or 0",
    mend: "set the score",
  },
  "lane-active": {
    rule: "the counter of a lane equals its leased jobs and those that hold it",
    mend: "set the counter",
  },
  "lane-ring": {
    rule: "a lane is on the ring once when it can be served, else not",
    mend: "take it off, or put it on",
  },
  "lane-rest": {
    rule: "a lane rests only by its rate",
    mend: "end the rest, and put the lane on the ring if it can be served",
  },
  "lane-settings": {
    rule: "limit and weight of a lane are whole numbers above 0, an ordered lane has the limit 1, and lanes have names",
    mend: "drop the setting; of an ordered lane, set the limit",
  },
  "side-key": {
    rule: "logs, lock, flow counts and results belong to a row",
    mend: "delete the key",
  },
  "dedup-holder": {
    rule: "a deduplication key that does not expire is held by a job that exists",
    mend: "release the key",
  },
  "wake-tokens": {
    rule: "the wake list holds at most 64 tokens, each the byte 1",
    mend: "empty it, and push one token if work waits",
  },
  "wake-idle": {
    rule: "claimable work has a token while nobody is at it",
    mend: "push a token",
  },
  "lease-overdue": {
    rule: "a lease that has lapsed is taken back by a worker's sweep",
    mend: "let the jobs wait again",
  },
  "cursor-value": {
    rule: "the place of the round is three whole numbers",
    mend: "begin the round anew",
  },
  "counter-value": {
    rule: "the counters of completed and failed are whole numbers",
    mend: "begin the counter anew",
  },
  "limiter-stuck": {
    rule: "the rate window is a number and ends",
    mend: "end the window",
  },
  "repeat-place": {
    rule: "every repeat has a record and one next occurrence, an instant or none any more",
    mend: "let whoever fires look for the next occurrence; take away what has no record",
  },
  "size-bound": {
    rule: "tokens of removed jobs are 10,000 at most and expire, workers are 1001 entries at most",
    mend: "drop the oldest tokens; forget the workers, which tell again at their next beat",
  },
  "setting-value": {
    rule: "settings of the queue are whole numbers",
    mend: "drop the setting",
  },
} as const satisfies Readonly<Record<string, FindingMeaning>>;

/** A code of {@link FINDINGS}. */
export type FindingCode = keyof typeof FINDINGS;

/** What became of a finding: not repaired, repaired, or come right before the repair got there. */
export type FindingOutcome = "left" | "mended" | "gone";

/** One thing that is wrong with a queue. Texts are readable; bytes that are no UTF-8 come as U+FFFD. */
export interface Finding {
  readonly code: FindingCode;
  /** The whole key. */
  readonly key: string;
  /** The member, field or lane in that key, empty where the key itself is meant. */
  readonly member: string;
  /** What is wrong, in words. */
  readonly detail: string;
  /** What repairing does. */
  readonly mend: string;
  /** Whether repairing deletes something that may hold a caller's data. */
  readonly destroys: boolean;
  readonly outcome: FindingOutcome;
}

/** What a repair is about, as the verb `REPAIR` takes it. */
export interface RepairSubject {
  readonly kind:
    | "job"
    | "lane"
    | "wake"
    | "dedup"
    | "cursor"
    | "counter"
    | "limiter"
    | "repeat"
    | "setting"
    | "tokens"
    | "workers"
    | "key"
    | "lease";
  readonly name: Bytes;
  /** For a job: a lane besides that of its row in which it was seen; empty for none. */
  readonly lane?: Bytes;
  /** For a job: foreign fields. For a lane: jobs that may hold it. */
  readonly more?: readonly Bytes[];
}

/** A finding as rules make it: bytes, and what a repair would be about. */
export interface Fault {
  readonly code: FindingCode;
  /** The part of the key after `emq:{q}:`. */
  readonly suffix: Bytes;
  readonly member: Bytes;
  readonly detail: string;
  readonly destroys: boolean;
  readonly subject: RepairSubject;
}
