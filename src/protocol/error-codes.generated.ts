/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

/** Stable codes of `EchoMQError`; docs/reference/errors.md says what each means. */
export type ErrorCode =
  | "invalid_id"
  | "invalid_queue"
  | "invalid_name"
  | "invalid_lane"
  | "invalid_weight"
  | "invalid_limit"
  | "invalid_rate"
  | "invalid_job_id"
  | "invalid_pattern"
  | "invalid_time_zone"
  | "invalid_schedule"
  | "end_before_start"
  | "never_occurs"
  | "invalid_deduplication"
  | "invalid_payload"
  | "payload_too_large"
  | "unknown_codec"
  | "unknown_key"
  | "decryption_failed"
  | "invalid_stream"
  | "invalid_record"
  | "invalid_window"
  | "invalid_option"
  | "unknown_option"
  | "unknown_event"
  | "invalid_handler"
  | "invalid_bulk"
  | "flow_cycle"
  | "flow_parent_as_child"
  | "flow_duplicate_id"
  | "flow_child_exists"
  | "flow_too_deep"
  | "flow_too_large"
  | "flow_unknown_node"
  | "children_timeout"
  | "unknown_state"
  | "invalid_connection"
  | "missing_peer"
  | "unsupported"
  | "shared_mode"
  | "not_paused"
  | "jobs_active"
  | "queue_changed"
  | "queue_absent"
  | "queue_unsound"
  | "queue_not_empty"
  | "bad_export"
  | "kind"
  | "stale"
  | "state"
  | "locked"
  | "rate"
  | "full"
  | "nonmonotonic"
  | "fence"
  | "refused"
  | "auth"
  | "permission"
  | "server_busy"
  | "out_of_memory"
  | "unsuitable_server"
  | "cannot_listen"
  | "disconnected"
  | "timeout"
  | "overloaded"
  | "not_stored"
  | "folder_in_use"
  | "folder_damaged"
  | "folder_format"
  | "invalid_folder"
  | "closed"
  | "lease_lost"
  | "cancelled"
  | "job_timeout"
  | "job_failed"
  | "job_removed"
  | "result_timeout"
  | "result_too_large"
  | "closing"
  | "internal";

/** Facts of each code. */
export const ERROR_CODES: Readonly<Record<ErrorCode, { readonly retryable: boolean }>> = {
  invalid_id: { retryable: false },
  invalid_queue: { retryable: false },
  invalid_name: { retryable: false },
  invalid_lane: { retryable: false },
  invalid_weight: { retryable: false },
  invalid_limit: { retryable: false },
  invalid_rate: { retryable: false },
  invalid_job_id: { retryable: false },
  invalid_pattern: { retryable: false },
  invalid_time_zone: { retryable: false },
  invalid_schedule: { retryable: false },
  end_before_start: { retryable: false },
  never_occurs: { retryable: false },
  invalid_deduplication: { retryable: false },
  invalid_payload: { retryable: false },
  payload_too_large: { retryable: false },
  unknown_codec: { retryable: false },
  unknown_key: { retryable: false },
  decryption_failed: { retryable: false },
  invalid_stream: { retryable: false },
  invalid_record: { retryable: false },
  invalid_window: { retryable: false },
  invalid_option: { retryable: false },
  unknown_option: { retryable: false },
  unknown_event: { retryable: false },
  invalid_handler: { retryable: false },
  invalid_bulk: { retryable: false },
  flow_cycle: { retryable: false },
  flow_parent_as_child: { retryable: false },
  flow_duplicate_id: { retryable: false },
  flow_child_exists: { retryable: false },
  flow_too_deep: { retryable: false },
  flow_too_large: { retryable: false },
  flow_unknown_node: { retryable: false },
  children_timeout: { retryable: false },
  unknown_state: { retryable: false },
  invalid_connection: { retryable: false },
  missing_peer: { retryable: false },
  unsupported: { retryable: false },
  shared_mode: { retryable: false },
  not_paused: { retryable: false },
  jobs_active: { retryable: false },
  queue_changed: { retryable: true },
  queue_absent: { retryable: false },
  queue_unsound: { retryable: false },
  queue_not_empty: { retryable: false },
  bad_export: { retryable: false },
  kind: { retryable: false },
  stale: { retryable: false },
  state: { retryable: false },
  locked: { retryable: false },
  rate: { retryable: true },
  full: { retryable: false },
  nonmonotonic: { retryable: true },
  fence: { retryable: false },
  refused: { retryable: false },
  auth: { retryable: false },
  permission: { retryable: false },
  server_busy: { retryable: true },
  out_of_memory: { retryable: true },
  unsuitable_server: { retryable: false },
  cannot_listen: { retryable: false },
  disconnected: { retryable: true },
  timeout: { retryable: true },
  overloaded: { retryable: true },
  not_stored: { retryable: true },
  folder_in_use: { retryable: false },
  folder_damaged: { retryable: false },
  folder_format: { retryable: false },
  invalid_folder: { retryable: false },
  closed: { retryable: false },
  lease_lost: { retryable: false },
  cancelled: { retryable: false },
  job_timeout: { retryable: false },
  job_failed: { retryable: false },
  job_removed: { retryable: false },
  result_timeout: { retryable: true },
  result_too_large: { retryable: false },
  closing: { retryable: true },
  internal: { retryable: false },
};

/** The error words of the wire, each with the code that a host gives it. */
export const WIRE_ERRORS = {
  EMQKIND: "kind",
  EMQSTALE: "stale",
  EMQSTATE: "state",
  EMQLOCK: "locked",
  EMQRATE: "rate",
  EMQFULL: "full",
  EMQFENCE: "fence",
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** The first word of a refusal of our own. */
export type WireErrorWord = keyof typeof WIRE_ERRORS;
