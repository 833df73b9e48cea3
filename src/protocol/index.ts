/**
 * The entry point `echomq/protocol`: the wire as pure functions and tables, without a dependency and without a runtime.
 *
 * Whoever writes another speaker, a dashboard or a proxy finds here how keys are built, how ids are read and which
 * words exist, without opening a connection.
 */

export { ERROR_CODES, type ErrorCode, WIRE_ERRORS, type WireErrorWord } from "./error-codes.generated.ts";
export { EchoMQError, type EchoMQErrorOptions, isEchoMQError } from "./errors.ts";
export {
  decodeId,
  encodeId,
  hash32,
  ID_EPOCH_MS,
  type IdFault,
  type IdParts,
  idParts,
  idTime,
  isValidId,
  type ParsedId,
  parseId,
} from "./id.ts";
export {
  assertQueueName,
  assertValidQueue,
  baseKey,
  isValidQueue,
  jobKey,
  QUEUE_NAME_BYTES_MAX,
  type QueueKey,
  queueFromKey,
  queueKey,
  reserveKey,
  splitQueueKey,
} from "./key.ts";
export { checkLayout } from "./layout.ts";
export { createMinter, type Minter, type MinterOptions } from "./mint.ts";
export { ENTRY_TAIL_MAX, entryIdOf, firstRecordIdAt, RECORD_NAMESPACE, recordIdOf } from "./record-id.ts";
export {
  BIRTH_FIELDS,
  JOB_STATES,
  type JobState,
  KEY_TYPES,
  KEY_VALKEY_TYPES,
  RECORD_FIELDS,
  RESERVE_TYPES,
  STATE_ANSWERS,
  type StateAnswer,
} from "./registry.generated.ts";
export { hashtag, slot } from "./slot.ts";
export {
  type ArgumentShape,
  type KeyShape,
  type Plane,
  type RestShape,
  VERBS,
  type Verb,
  type VerbShape,
} from "./verbs.generated.ts";
export { WIRE_VERSION } from "./wire-version.ts";
