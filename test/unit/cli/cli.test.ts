/** What all commands share: help, version, usage errors, exit codes, colours. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandPaths } from "./reference-page.ts";
import { run, runJson } from "./run.ts";

const COMMANDS =
  "add work queues counts jobs dead job explain workers logs lanes repeat result retry promote delay priority cancel remove pause resume limit weight order drain clean obliterate doctor ping fence conformance demo key id completion".split(
    " ",
  );
const ESCAPE = "\u001b[";

describe("help and version", () => {
  it("lists every command", async () => {
    const { code, out, err } = await run(["--help"]);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(out).toContain(command);
    expect(err).toBe("");
  });

  it.each([...COMMANDS, "id mint"])("explains %s with its --json", async (command) => {
    const { code, out } = await run([...command.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(out).toContain(`Usage: echomq ${command}`);
    expect(out).toContain("--json");
  });

  it.each(commandPaths())("shows of %s an example, and how to get JSON", async (path) => {
    const { code, out } = await run([...path.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(out).toContain("--json");
    expect(out).toMatch(new RegExp(`\\nExamples?:\\n(?: {2}.*\\n)*.*echomq ${path.split(" ")[0]}`));
  });

  it("names every state that a command takes", async () => {
    for (const state of ["pending", "active", "scheduled", "awaiting_children", "dead", "completed"]) {
      expect((await run(["jobs", "--help"])).out).toContain(`"${state}"`);
    }
    expect((await run(["clean", "--help"])).out).not.toContain('"active"');
  });

  it("tells of another name of a command", async () => {
    expect((await run(["--help"])).out).toContain("jobs|list");
    expect((await run(["list", "--help"])).out).toContain("Usage: echomq jobs|list");
  });

  it("knows its version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(await run(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });
});

describe("a command line that cannot be understood", () => {
  it.each([
    [[], ""],
    [["demos"], "unknown command 'demos'"],
    [["key", "--colour"], "unknown option '--colour'"],
    [["key"], "give a queue and a type"],
    [["key", "orders"], "give a queue and a type"],
    [["key", "orders", "job"], "needs the id"],
    [["key", "orders", "pending", "JOB0Nb1VTbfnu4"], "only the type job takes an id"],
    [["key", "orders", "pending", "--check", "emq:{q}:pending"], "no other argument"],
    [["id"], "missing required argument 'id'"],
    [["id", "mint", "job"], "three capitals"],
    [["id", "mint", "JOB", "--count", "0"], "whole number from 1 to"],
    [["id", "mint", "JOB", "--count", "1e3"], "whole number from 1 to"],
    [["id", "mint", "JOB", "--node", "1024"], "whole number from 0 to 1023"],
    [["demo", "--concurrency", "0"], "whole number from 1 to 1000"],
    [["demo", "--concurrency", "many"], "whole number from 1 to 1000"],
    [["demo", "--url", "http://localhost"], "http"],
    [["conformance", "--url", "nowhere"], "is no URL"],
  ])("%j ends with 2 and says why", async (args, words) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(err).not.toBe("");
    expect(out).toBe("");
  });

  it.each([
    [["add"], "echomq add"],
    [["id", "mint", "--colour"], "echomq id mint"],
    [["demos"], "echomq"],
    [["key", "--colour"], "echomq key"],
  ])("%j ends with where the right one is to be found", async (args, command) => {
    const { err } = await run(args);
    expect(err.trimEnd().split("\n").at(-1)).toBe(`(${command} --help shows what there is)`);
  });

  it("is one JSON document with --json", async () => {
    for (const args of [["key"], ["key", "--colour"], ["id", "mint", "job"]]) {
      const { code, json, err } = await runJson(args);
      expect(code).toBe(2);
      expect(json).toEqual({ error: { code: "usage", message: expect.any(String) } });
      expect(err).toBe("");
    }
  });
});

describe("what is typed behind --", () => {
  it("is no option, not even --json", async () => {
    const { code, out, err } = await run(["key", "--", "orders", "--json"]);
    expect([code, err]).toEqual([1, ""]);
    expect(out).toContain("no verb lists the type");
  });
});

describe("colours", () => {
  it("stand on a terminal and nowhere else", async () => {
    const args = ["key", "orders", "pending"];
    expect((await run(args, { columns: 80 })).out).toContain(ESCAPE);
    expect((await run(args)).out).not.toContain(ESCAPE);
  });
});
