/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Verb } from "../protocol/verbs.generated.ts";
import type { ReplySchema } from "./reply-schema.ts";

/** What each verb may answer. */
export const REPLIES: Readonly<Record<Verb, ReplySchema>> = {
  ADMIT: {
    type: "array",
    items: { anyOf: [{ type: "integer" }, { type: "array", prefixItems: [{ enum: [0] }, { type: "string" }] }] },
  },
  BCLAIM: {
    type: "array",
    items: { type: "array", prefixItems: [{ type: "string" }, { type: "string" }, { type: "integer" }] },
  },
  CANCEL: { enum: [1, 2, -1] },
  CLAIM: {
    anyOf: [
      { type: "array", maxItems: 0 },
      { type: "array", prefixItems: [{ type: "string" }, { type: "string" }, { type: "integer" }] },
    ],
  },
  COMPLETE: { enum: [1, 0] },
  DELAY: { enum: [1] },
  ENQUEUE: { enum: [1, 0] },
  EXTEND: { enum: [1, 2, -1] },
  EXTENDM: {
    type: "array",
    prefixItems: [
      { type: "array", items: { type: "string" } },
      { type: "array", items: { type: "string" } },
    ],
  },
  GIVEBACK: { enum: [1] },
  LOG: { anyOf: [{ type: "integer", minimum: 1 }, { enum: [-1] }] },
  OWNED: { type: "array", items: { type: ["string", "integer"] } },
  PROGRESS: { enum: [1, -1] },
  PROMOTE: { type: "integer", minimum: 0 },
  REAP: { type: "integer", minimum: 0 },
  RELEASE: { enum: [1, -1] },
  REMOVE: { enum: [1, -1] },
  REPROCESS: { enum: [1, -1] },
  RETRY: { enum: ["scheduled", "dead"] },
  SCHEDULE: { enum: [1, 0] },
  SWEEP: {
    type: "array",
    prefixItems: [
      { type: "array", items: { type: "string" } },
      { type: "array", items: { type: "string" } },
    ],
  },
  TURN: {
    type: "array",
    prefixItems: [
      { type: "array", items: { type: ["string", "integer"] } },
      { type: "integer" },
      { type: "integer" },
      { type: "array", items: { type: ["string", "integer"] } },
    ],
  },
  UPDATE: { enum: [1, -1] },
  QPAUSE: { enum: [1] },
  QRESUME: { enum: [1] },
  COUNTS: { type: "array", items: { type: "integer" } },
  EXPLAIN: { type: "array", items: { type: ["string", "integer"] } },
  MAXED: { enum: [0] },
  STATE: { enum: ["pending", "active", "scheduled", "dead", "completed", "awaiting_children", "unknown", "absent"] },
};

/** The refusals of each verb that come after shape, values and layout, in their order. */
export const REFUSALS: Readonly<Record<Verb, readonly string[]>> = {
  ADMIT: ["EMQKIND job id must be JOB-namespaced"],
  BCLAIM: [],
  CANCEL: [],
  CLAIM: [],
  COMPLETE: ["EMQSTALE complete token mismatch", "EMQSTATE job is not active"],
  DELAY: [
    "EMQKIND job id must be JOB-namespaced",
    "EMQSTALE job gone",
    "EMQSTALE delay token mismatch",
    "EMQSTATE job is not active",
  ],
  ENQUEUE: ["EMQKIND job id must be JOB-namespaced"],
  EXTEND: ["EMQSTALE extend token mismatch"],
  EXTENDM: [],
  GIVEBACK: ["EMQSTALE job gone", "EMQSTALE giveback token mismatch", "EMQSTATE job is not active"],
  LOG: ["EMQSTALE log token mismatch"],
  OWNED: [],
  PROGRESS: ["EMQSTALE progress token mismatch"],
  PROMOTE: [],
  REAP: [],
  RELEASE: ["EMQSTATE not scheduled"],
  REMOVE: ["EMQLOCK job is locked"],
  REPROCESS: ["EMQSTATE not dead"],
  RETRY: ["EMQSTALE job gone", "EMQSTALE retry token mismatch", "EMQSTATE job is not active"],
  SCHEDULE: ["EMQKIND job id must be JOB-namespaced"],
  SWEEP: [],
  TURN: [],
  UPDATE: ["EMQSTALE update token mismatch"],
  QPAUSE: [],
  QRESUME: [],
  COUNTS: [],
  EXPLAIN: [],
  MAXED: ["EMQRATE at concurrency ceiling"],
  STATE: [],
};
