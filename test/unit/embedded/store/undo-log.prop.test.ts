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
