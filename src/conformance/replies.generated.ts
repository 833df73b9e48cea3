/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Verb } from "../protocol/verbs.generated.ts";
import type { ReplySchema } from "./reply-schema.ts";

/** What each verb may answer. */
export const REPLIES: Readonly<Record<Verb, ReplySchema>> = {
  ADMIT: {
    type: "array",
    items: {
      anyOf: [
        { type: "integer" },
        { type: "array", prefixItems: [{ enum: [0, 2, 3] }, { type: "string" }] },
        { type: "array", prefixItems: [{ enum: [1, 4] }, { type: "string" }, { type: "string" }] },
      ],
    },
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
  RESULT: { type: "array", prefixItems: [{ type: "string" }, { type: "string" }] },
  RETRY: { enum: ["scheduled", "dead"] },
  SCHEDULE: { enum: [1, 0] },
  SWEEP: {
    anyOf: [
      {
        type: "array",
        prefixItems: [
          { type: "array", items: { type: "string" } },
          { type: "array", items: { type: "string" } },
        ],
      },
      {
        type: "array",
        prefixItems: [
          { type: "array", items: { type: "string" } },
          { type: "array", items: { type: "string" } },
          { type: "integer" },
        ],
      },
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
  GBCLAIM: {
    type: "array",
    items: {
      type: "array",
      prefixItems: [{ type: "string" }, { type: "string" }, { type: "integer" }, { type: "string" }],
    },
  },
  GCLAIM: {
    anyOf: [
      { type: "array", maxItems: 0 },
      { type: "array", prefixItems: [{ type: "string" }, { type: "string" }, { type: "integer" }, { type: "string" }] },
    ],
  },
  GDRAIN: { type: "integer", minimum: 0 },
  GENQUEUE: { enum: [1, 0] },
  GLIMIT: { enum: [1] },
  GORDER: { enum: [1] },
  GPAUSE: { enum: [1] },
  GREAP: { type: "integer", minimum: 0 },
  GREASSIGN: { enum: [1, 0, -1, -2] },
  GRESUME: { enum: [1] },
  GWCLAIM: {
    type: "array",
    items: {
      type: "array",
      prefixItems: [{ type: "string" }, { type: "string" }, { type: "integer" }, { type: "string" }],
    },
  },
  GWEIGHT: { enum: [1] },
  LANECOUNTS: { type: "array", items: { type: "integer" } },
  LANES: { type: "array", items: { type: ["integer", "string"] } },
  CLEAN: { type: "integer", minimum: 0 },
  DRAIN: { type: "integer", minimum: 0 },
  OBLITERATE: { enum: [0, 1] },
  PRIORITY: { enum: [1, -1] },
  PURGE: { type: "integer", minimum: 0 },
  QPAUSE: { enum: [1] },
  QRESUME: { enum: [1] },
  REPAIR: { enum: [0, 1, 2] },
  RESCHEDULE: { enum: [1, -1] },
  REVIVE: { type: "integer", minimum: 0 },
  COUNTS: { type: "array", items: { type: "integer" } },
  EXAMINE: {
    type: "array",
    prefixItems: [{ type: "integer" }, { type: "array" }, { type: "array" }, { type: "array" }],
  },
  EXPLAIN: { type: "array", items: { type: ["string", "integer"] } },
  MAXED: { enum: [0] },
  STATE: { enum: ["pending", "active", "scheduled", "dead", "completed", "awaiting_children", "unknown", "absent"] },
};

/** The refusals of each verb that come after shape, values and layout, in their order. */
export const REFUSALS: Readonly<Record<Verb, readonly string[]>> = {
  ADMIT: ["EMQFULL settings of lanes", "EMQKIND job id must be JOB-namespaced"],
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
  RESULT: [],
  RETRY: ["EMQSTALE job gone", "EMQSTALE retry token mismatch", "EMQSTATE job is not active"],
  SCHEDULE: ["EMQKIND job id must be JOB-namespaced"],
  SWEEP: [],
  TURN: [],
  UPDATE: ["EMQSTALE update token mismatch"],
  GBCLAIM: [],
  GCLAIM: [],
  GDRAIN: [],
  GENQUEUE: ["EMQKIND job id must be JOB-namespaced"],
  GLIMIT: ["EMQSTATE lane is ordered", "EMQFULL settings of lanes"],
  GORDER: ["EMQFULL settings of lanes"],
  GPAUSE: ["EMQFULL settings of lanes"],
  GREAP: [],
  GREASSIGN: [],
  GRESUME: [],
  GWCLAIM: [],
  GWEIGHT: ["EMQFULL settings of lanes"],
  LANECOUNTS: [],
  LANES: [],
  CLEAN: [],
  DRAIN: [],
  OBLITERATE: ["EMQSTATE not paused", "EMQSTATE active jobs present"],
  PRIORITY: ["EMQSTATE not waiting"],
  PURGE: ["EMQSTATE not paused"],
  QPAUSE: [],
  QRESUME: [],
  REPAIR: [],
  RESCHEDULE: ["EMQSTATE not scheduled"],
  REVIVE: [],
  COUNTS: [],
  EXAMINE: [],
  EXPLAIN: [],
  MAXED: ["EMQRATE at concurrency ceiling"],
  STATE: [],
};
