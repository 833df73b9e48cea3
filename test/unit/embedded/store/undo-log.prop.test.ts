import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CommandTable } from "../../../../src/embedded/command/command-table.ts";
import { CommandError } from "../../../../src/embedded/store/command-error.ts";
import { Keyspace } from "../../../../src/embedded/store/keyspace.ts";
import { anyCommand, readCommand } from "../command-cases.ts";

function setup() {
  const keyspace = new Keyspace({
    onPush: () => {},
    onAppend: () => {},
    onForeignWrite: () => {},
    onExpiryChange: () => {},
  });
  keyspace.now = 1_700_000_000_000;
  const table = new CommandTable(keyspace, () => 0);
  const run = (parts: readonly string[]) => {
    try {
      return table.run(parts[0] ?? "", parts.slice(1));
    } catch (error) {
      if (error instanceof CommandError) return error.text;
      throw error;
    }
  };
  const dump = () =>
    [...keyspace.entries()]
      .map(([key, value]) => [
        key,
        value.type,
        sorted(value.type, run(readCommand(key, value.type))),
        keyspace.expiryOf(key),
        // Its groups, and what their consumers have.
        value.type === "stream" ? run(["XINFO", "STREAM", key, "FULL", "COUNT", "0"]) : "",
      ])
      // A hash goes when somebody looks at it after its last field has expired: here, at the latest.
      .filter(([, type, content]) => type !== "hash" || (content as unknown[]).length > 0)
      .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  return { keyspace, run, dump };
}

// Fields and members that were taken out and put back come last; no reader may depend on their order.
function sorted(type: string, reply: unknown): unknown {
  if (type === "hash") {
    const flat = reply as string[];
    return flat.map((field, at) => (at % 2 === 0 ? `${field}\x01${flat[at + 1]}` : "")).sort();
  }
  return type === "set" ? (reply as string[]).sort() : reply;
}

// As long as allowed, or two commands that meet in one key would be rare.
const commands = fc.array(anyCommand, { maxLength: 60, size: "max" });

const soon = fc.constantFrom("1", "2", "3", "5");
const volatileKey = fc.constantFrom("string1", "hash1", "hash2", "list1", "set1", "zset1", "stream1");
const volatileField = fc.tuple(fc.constantFrom("hash1", "hash2"), fc.constantFrom("f", "g", "h"));

/** A command that lets something expire soon, or no more. */
const expiryCommand: fc.Arbitrary<string[]> = fc.oneof(
  fc.tuple(volatileKey, soon).map(([key, ms]) => ["PEXPIRE", key, ms]),
  fc.tuple(soon).map(([ms]) => ["SET", "string1", "1", "PX", ms]),
  fc.tuple(volatileField, soon).map(([[key, field], ms]) => ["HPEXPIRE", key, ms, "FIELDS", "1", field]),
  volatileField.map(([key, field]) => ["HPERSIST", key, "FIELDS", "1", field]),
  volatileKey.map((key) => ["PERSIST", key]),
  volatileField.map(([key, field]) => ["HSET", key, field, "1"]),
);
const volatileCommands = fc.array(fc.oneof(anyCommand, expiryCommand, expiryCommand), { maxLength: 40, size: "max" });
/** The same with time that passes between two commands, which it never does within an act. */
const inTime = fc.array(fc.tuple(fc.constantFrom(0, 0, 1, 2), fc.oneof(anyCommand, expiryCommand)), {
  maxLength: 40,
  size: "max",
});

describe("an act that is taken back", () => {
  it("gives a field that it set anew its expiry back", () => {
    const { keyspace, run } = setup();
    run(["HSET", "h", "f", "1"]);
    run(["HPEXPIRE", "h", "5000", "FIELDS", "1", "f"]);
    keyspace.begin();
    run(["HSET", "h", "f", "2"]);
    keyspace.rollBack();
    expect(run(["HPTTL", "h", "FIELDS", "1", "f"])).toEqual([5000]);
  });

  it("leaves every key as it was, whatever it did", () => {
    fc.assert(
      fc.property(commands, commands, (before, within) => {
        const { keyspace, run, dump } = setup();
        for (const parts of before) run(parts);
        const expected = dump();
        keyspace.begin();
        for (const parts of within) run(parts);
        keyspace.rollBack();
        expect(dump()).toEqual(expected);
        expect(keyspace.size).toBe(expected.length);
      }),
      { numRuns: 500 },
    );
  });

  it("changes nothing that later acts see: they answer as if it had never been", () => {
    fc.assert(
      fc.property(commands, commands, commands, (before, within, after) => {
        const one = setup();
        const other = setup();
        for (const parts of before) expect(one.run(parts)).toEqual(other.run(parts));
        one.keyspace.begin();
        for (const parts of within) one.run(parts);
        one.keyspace.rollBack();
        for (const parts of after) {
          one.run(parts);
          other.run(parts);
        }
        expect(one.dump()).toEqual(other.dump());
      }),
    );
  });

  it("leaves keys and fields with the life that they had, whatever expires before, in and after it", () => {
    let expired = 0;
    fc.assert(
      fc.property(inTime, fc.constantFrom(0, 1, 3), volatileCommands, inTime, (before, passed, within, after) => {
        const one = setup();
        const other = setup();
        const both = [one, other] as const;
        const runAll = (steps: typeof before) => {
          for (const [ms, parts] of steps) {
            for (const { keyspace } of both) keyspace.now += ms;
            for (const { run } of both) run(parts);
          }
        };
        runAll(before);
        for (const { keyspace } of both) keyspace.now += passed;
        const [known, living] = [one.keyspace.size, one.dump().length];
        one.keyspace.begin();
        for (const parts of within) one.run(parts);
        one.keyspace.rollBack();
        expect(one.dump()).toEqual(other.dump());
        expired += known - living;
        runAll(after);
        expect(one.dump()).toEqual(other.dump());
        for (const { keyspace } of both) {
          keyspace.now += 10;
          keyspace.removeAllExpired();
        }
        expect(one.dump()).toEqual(other.dump());
        expect(one.keyspace.size).toBe(other.keyspace.size);
        expect(one.keyspace.expiringCount).toBe(other.keyspace.expiringCount);
      }),
      { numRuns: 300 },
    );
    // Keys lay there that had expired and that nobody had looked at when the act began.
    expect(expired).toBeGreaterThan(10);
  });

  it("differs from one that stands", () => {
    const { keyspace, run, dump } = setup();
    keyspace.begin();
    run(["HSET", "row", "state", "pending"]);
    expect(keyspace.undo.hasRecords).toBe(true);
    keyspace.commit();
    expect(keyspace.undo.hasRecords).toBe(false);
    expect(dump()).toHaveLength(1);
    keyspace.begin();
    run(["HGET", "row", "state"]);
    expect(keyspace.undo.hasRecords).toBe(false);
    keyspace.rollBack();
    expect(dump()).toHaveLength(1);
  });
});
