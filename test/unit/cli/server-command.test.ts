/** What all commands that look at a server share: where it is, and the refusal of a store in memory. */

import { describe, expect, it } from "vitest";
import type { EngineRequest, OpenEngine } from "../../../src/cli/open-server.ts";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { run, runJson } from "./run.ts";
import { setupStore } from "./store.ts";

const ID = "JOB0Nb1VTbfnu4";

/** Every command that needs a server, in a form that is otherwise right. */
const COMMANDS: readonly (readonly string[])[] = [
  ["add", "mail", "welcome"],
  ["work", "mail", "./handler.mjs"],
  ["counts", "mail"],
  ["jobs", "mail", "pending"],
  ["job", "mail", ID],
  ["flow", "mail", ID],
  ["logs", "mail", ID],
  ["retry", "mail", ID],
  ["retry", "mail", "--all"],
  ["promote", "mail", ID],
  ["cancel", "mail", ID],
  ["remove", "mail", ID],
  ["pause", "mail"],
  ["resume", "mail"],
  ["lanes", "mail"],
  ["limit", "mail", "acme", "5"],
  ["weight", "mail", "acme", "3"],
  ["order", "mail", "acme", "on"],
  ["order", "mail", "acme", "off"],
  ["queues"],
  ["dead", "mail"],
  ["list", "mail", "dead"],
  ["explain", "mail", ID],
  ["workers", "mail"],
  ["doctor", "mail"],
  ["doctor", "mail", "--repair"],
  ["result", "mail", ID],
  ["delay", "mail", ID, "5m"],
  ["priority", "mail", ID, "3"],
  ["drain", "mail", "--yes"],
  ["drain", "mail", "--dry-run"],
  ["clean", "mail", "dead", "--yes"],
  ["clean", "mail", "dead", "--dry-run"],
  ["obliterate", "mail", "--yes"],
  ["obliterate", "mail", "--dry-run"],
  ["ping"],
  ["fence"],
];

const WRITING = new Set([
  "add",
  "work",
  "retry",
  "promote",
  "cancel",
  "remove",
  "pause",
  "resume",
  "limit",
  "weight",
  "order",
  "result",
  "delay",
  "priority",
  "drain",
  "clean",
  "obliterate",
]);

/** Whether a command line writes. */
function isWriting(args: readonly string[]): boolean {
  if (args.includes("--dry-run")) return false;
  return WRITING.has(args[0] ?? "") || args.includes("--repair");
}

/** Notes what was asked for and refuses it. */
function setupRefusal() {
  const asked: EngineRequest[] = [];
  const openEngine: OpenEngine = (request) => {
    asked.push(request);
    throw new EchoMQError("auth", "no");
  };
  return { asked, openEngine };
}

describe("without a server", () => {
  it.each(COMMANDS)("%s %s is refused with the reason and a line to type", async (...args) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain("neither --url nor ECHOMQ_URL names a server");
    expect(err).toMatch(
      new RegExp(
        `\\n {2}echomq ${args[0] === "list" ? "jobs" : args[0]} .*--url valkey://localhost:6379\\n {2}.*--url file:\\./jobs \\[memory\\]\\n$`,
      ),
    );
  });

  it("memory: is refused where it is named, for what it would lose or hide", async () => {
    const lost = await run(["add", "mail", "welcome", "--url", "memory:"]);
    expect(lost.err).toContain("the jobs of memory: end with the process");
    expect(lost.err).not.toContain("neither");
    const hidden = await run(["counts", "mail", "--url", "memory:name"]);
    expect(hidden.err).toContain("nothing here to look at");
  });

  it("is one JSON document with --json", async () => {
    const { code, json, err } = await runJson(["counts", "mail"]);
    expect(code).toBe(2);
    expect(json).toEqual({ error: { code: "memory", message: expect.stringContaining("--url") } });
    expect(err).toBe("");
  });
});

describe("with a server", () => {
  it("takes --url before ECHOMQ_URL", async () => {
    const { asked, openEngine } = setupRefusal();
    const env = { ECHOMQ_URL: "valkey://from-env" };
    await run(["counts", "mail"], { env, openEngine });
    await run(["counts", "mail", "--url", "valkey://from-line"], { env, openEngine });
    expect(asked.map(({ url }) => url)).toEqual(["valkey://from-env", "valkey://from-line"]);
  });

  it("passes on the version of the wire", async () => {
    const { asked, openEngine } = setupRefusal();
    const env = { ECHOMQ_URL: "valkey://store" };
    await run(["counts", "mail", "--wire-version", "echomq:3.0.0"], { env, openEngine });
    expect(asked[0]?.wireVersion).toBe("echomq:3.0.0");
  });

  it.each(COMMANDS.filter(([name]) => name !== "work"))(
    "%s %s asks for no more rights than it needs",
    async (...args) => {
      const { asked, openEngine } = setupRefusal();
      const { code, err } = await run(args, { env: { ECHOMQ_URL: "valkey://store" }, openEngine });
      expect(asked.map(({ isReadonly }) => isReadonly)).toEqual([!isWriting(args)]);
      expect(code).toBe(1);
      expect(err).toBe("echomq: no [auth]\n");
    },
  );

  it.each([
    [["counts", "a{b"], "invalid_queue"],
    [["job", "mail", "x".repeat(253)], "invalid_job_id"],
    [["logs", "mail", "x".repeat(253)], "invalid_job_id"],
    [["remove", "mail", "x".repeat(253)], "invalid_job_id"],
    [["retry", "mail", "x".repeat(253)], "invalid_job_id"],
    [["jobs", "mail", "waiting"], "unknown_state"],
    [["add", "mail", "welcome", "--id", "USR0Nb1VTbfnu4"], "kind"],
    [["add", "mail", "welcome", "--lane", ""], "invalid_lane"],
    [["add", "mail", "welcome", "--delay", "soon"], "invalid_option"],
    [["counts", "mail", "--url", "http://localhost"], "invalid_connection"],
  ])("%j ends with 2 and the code %s", async (args, expected) => {
    const options = args.includes("--url") ? {} : { openEngine: setupStore().openEngine };
    const { code, json } = await runJson(args, { env: { ECHOMQ_URL: "valkey://store" }, ...options });
    expect(code).toBe(2);
    expect(json).toEqual({ error: { code: expected, message: expect.any(String) } });
  });
});

describe("a queue that is not there", () => {
  const SERVERWIDE = new Set(["ping", "fence", "queues"]);
  const MAKING = new Set(["add", "work", "pause", "limit", "weight", "order"]);
  const more = [
    ["limits", "mail"],
    ["repeat", "list", "mail"],
    ["repeat", "remove", "mail", "digest"],
    ["repeat", "run", "mail", "digest"],
    ["repeat", "preview", "mail", "digest"],
    ["stream", "read", "mail", "audit"],
    ["stream", "trim", "mail", "audit", "--keep", "1"],
  ];
  const named = [...COMMANDS, ...more].filter(([name = ""]) => !SERVERWIDE.has(name));

  it.each(named.filter(([name = ""]) => !MAKING.has(name)))("is refused by %s %s", async (...args) => {
    const { engine, run, runJson } = setupStore({ isBare: true });
    await new QueueCore("mails", { engine, release: () => Promise.resolve() }).add("welcome", {});
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe(`echomq: There is no queue "mail" here: did you mean "mails"? [queue_absent]\n`);
    expect((await runJson(args)).json).toMatchObject({ error: { code: "queue_absent" } });
    expect(await engine.command(["KEYS", "emq:{mail}:*"])).toEqual([]);
  });

  it.each([
    ["pause", "mail"],
    ["limit", "mail", "acme", "5"],
    ["limits", "mail", "--concurrency", "5"],
    ["repeat", "add", "mail", "digest", "--every", "1h"],
  ])("is made by %s %s, and there from then on", async (...args) => {
    const { run } = setupStore({ isBare: true });
    expect(await run(args)).toMatchObject({ code: 0, err: "" });
    expect(await run(["doctor", "mail"])).toMatchObject({ code: 0, err: "" });
  });

  it("is told without a guess where no name is near", async () => {
    const { run } = setupStore({ isBare: true });
    const { err } = await run(["counts", "mail"]);
    expect(err).toBe(`echomq: There is no queue "mail" here: echomq queues lists the names [queue_absent]\n`);
  });

  it("is another one than a queue of which only a lane is left, and than one that the user may not look for", async () => {
    const { engine, queue, runJson, openEngine } = setupStore({ isBare: true });
    await queue.add("welcome", {}, { lane: "acme" });
    for (const key of (await engine.command(["KEYS", "emq:{mail}:*"])) as string[]) {
      if (!key.endsWith(":g:acme:pending")) await engine.command(["DEL", key]);
    }
    await engine.command(["DEL", "{emq}:queues"]);
    expect(await runJson(["counts", "mail"])).toMatchObject({ code: 0, json: { queue: "mail" } });
    const blind: OpenEngine = (request) => {
      const seeing = openEngine(request);
      return {
        ...seeing,
        command: async (parts) => {
          if (/^(?:SISMEMBER|EXISTS|SCAN|SSCAN)$/.test(parts[0] ?? "")) throw new EchoMQError("permission", "no");
          return await seeing.command(parts);
        },
      };
    };
    expect(await runJson(["counts", "other"], { openEngine: blind })).toMatchObject({ code: 0 });
  });

  it("is none of the list that the user may walk and not ask", async () => {
    const { runJson, openEngine } = setupStore();
    const walking: OpenEngine = (request) => {
      const asking = openEngine(request);
      return {
        ...asking,
        command: async (parts) => {
          if (parts[0] === "SISMEMBER") throw new EchoMQError("permission", "no");
          return await asking.command(parts);
        },
      };
    };
    expect(await runJson(["counts", "mail"], { openEngine: walking })).toMatchObject({ code: 0 });
    expect(await runJson(["counts", "mial"], { openEngine: walking })).toMatchObject({ code: 1 });
  });
});
