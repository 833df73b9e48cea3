/** The entry point `echomq/protocol`: its surface, and the closed lists against the words of the contract. */

import { describe, expect, it } from "vitest";
import * as protocol from "../../../src/protocol/index.ts";

const KEY_TYPES = `pending active schedule dead completed job:<id> job:<id>:logs job:<id>:lock job:<id>:dependencies
  job:<id>:processed job:<id>:failed job:<id>:unsuccessful job:<id>:parents job:<id>:result meta ring wake paused
  gactive glimit gweight gordered g:<group>:pending de:<dedup> limiter rate rest cursor repeat repeat:<name> cron
  cron:<name> flow:outbox flow:outbox:bad stream:<name> stream:<name>:archived workers metrics:completed metrics:failed
  metrics:<which>:data metrics:<which>:minutes listeners events expiry results tokens control ttl
  awaiting job:<id>:children`;

const words = (text: string) => text.split(/\s+/);

describe("echomq/protocol", () => {
  it("exports this and nothing else", () => {
    expect(Object.keys(protocol).sort()).toEqual(
      words(`BIRTH_FIELDS ENTRY_TAIL_MAX ERROR_CODES EchoMQError ID_EPOCH_MS JOB_STATES KEY_TYPES KEY_VALKEY_TYPES
        QUEUE_NAME_BYTES_MAX RECORD_FIELDS RECORD_NAMESPACE RESERVE_TYPES STATE_ANSWERS VERBS WIRE_ERRORS
        WIRE_VERSION assertQueueName assertValidQueue baseKey checkLayout createMinter decodeId encodeId
        entryIdOf firstRecordIdAt hash32 hashtag idParts idTime isEchoMQError isValidId isValidQueue
        jobKey parseId queueFromKey queueKey recordIdOf reserveKey slot splitQueueKey`),
    );
  });

  it("names the version of this wire", () => {
    expect(protocol.WIRE_VERSION).toBe("echomq:4.0.0");
  });

  it("lists every key type and every suffix of the reserve once", () => {
    expect([...protocol.KEY_TYPES].sort()).toEqual(words(KEY_TYPES).sort());
    expect([...protocol.RESERVE_TYPES].sort()).toEqual(["node:<n>", "nodes", "queues", "version"]);
    expect(Object.keys(protocol.KEY_VALKEY_TYPES).sort()).toEqual([...protocol.KEY_TYPES].sort());
  });

  it("names the fields that a row is born with in their order, and the states", () => {
    expect(protocol.BIRTH_FIELDS).toEqual(["state", "attempts", "payload"]);
    expect(protocol.RECORD_FIELDS).toEqual(
      expect.arrayContaining(["group", "last_error", "progress", "stalled", "deferred"]),
    );
    expect(protocol.JOB_STATES).toEqual(["pending", "active", "scheduled", "dead", "awaiting_children", "completed"]);
    expect(protocol.STATE_ANSWERS).toEqual([...protocol.JOB_STATES, "unknown", "absent"]);
  });

  it("gives every error word of the wire a code of its own", () => {
    expect(Object.keys(protocol.WIRE_ERRORS).sort()).toEqual([
      "EMQFENCE",
      "EMQFULL",
      "EMQKIND",
      "EMQLOCK",
      "EMQRATE",
      "EMQSTALE",
      "EMQSTATE",
    ]);
    const codes = Object.values(protocol.WIRE_ERRORS);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(protocol.ERROR_CODES).toHaveProperty(code);
  });

  it("knows every key type that a verb declares or derives", () => {
    const known = new Set<string>(["", "*", ...protocol.KEY_TYPES]);
    const unknown = Object.values(protocol.VERBS)
      .flatMap(({ keys, moreKeys, uses }) => [...keys.map(({ type }) => type), ...moreKeys, ...uses])
      .filter((type) => !known.has(type));
    expect(unknown).toEqual([]);
  });

  it("declares a second key with every base key, so that a moving slot stops the act", () => {
    const alone = Object.entries(protocol.VERBS).filter(([, { keys }]) => keys.length === 1 && keys[0]?.type === "");
    expect(alone).toEqual([]);
  });
});
