/** Every command of the tool on a real server, and on servers that cannot serve it. */

import { describe, expect, it } from "vitest";
import { WIRE_VERSION } from "../../../src/protocol/wire-version.ts";
import { freePort } from "../../server/start-server.ts";
import { useServer } from "../../server/use-server.ts";
import { type Ran, type RunOptions, run, runJson } from "../../unit/cli/run.ts";
import { accessCommands, PASSWORD } from "../connection/access-lines.ts";

const server = useServer({ tcp: true });

/** Commands on the server, each in a queue that no other test uses. */
function setup(queue: string) {
  const env = { ECHOMQ_URL: server().url };
  return {
    queue,
    human: (args: readonly string[], options?: RunOptions): Promise<Ran> => run(args, { env, ...options }),
    json: async (args: readonly string[], options?: RunOptions) => {
      const ran = await runJson(args, { env, ...options });
      return { code: ran.code, json: ran.json as Record<string, unknown> };
    },
    /** Adds a job and answers its id. */
    add: async (...rest: readonly string[]): Promise<string> => {
      const { json } = await runJson(["add", queue, "welcome", ...rest], { env });
      return (json as { id: string }).id;
    },
  };
}

/** Lets pending jobs be dead, as if they had failed. */
async function kill(queue: string, ids: readonly string[]): Promise<void> {
  const client = await server().client();
  try {
    for (const id of ids) {
      await client.command("ZREM", `emq:{${queue}}:pending`, id);
      const fields = ["state", "dead", "last_error", "no such address", "attempts", "1"];
      await client.command("HSET", `emq:{${queue}}:job:${id}`, ...fields);
      await client.command("ZADD", `emq:{${queue}}:dead`, "0", id);
    }
  } finally {
    client.close();
  }
}

describe("a job on a real server", () => {
  it("is added, looked at, listed and removed", async () => {
    const { queue, add, human, json } = setup("life");
    const id = await add('{"to":"ada"}', "--priority", "3");
    expect((await json(["add", queue, "welcome", "--id", id])).json).toMatchObject({ outcome: "duplicate" });
    expect((await json(["job", queue, id])).json).toMatchObject({ state: "pending", data: { to: "ada" }, priority: 3 });
    expect((await human(["job", queue, id])).out).toContain('data      {"to":"ada"}');
    expect((await json(["jobs", queue, "pending"])).json).toMatchObject({ total: 1, next: null, jobs: [{ id }] });
    expect((await human(["jobs", queue, "pending"])).out).toContain("1 of 1 pending jobs");
    expect((await json(["counts", queue])).json).toMatchObject({ isPaused: false, counts: { pending: 1 } });
    expect((await human(["counts", queue])).out).toContain("pending    1");
    expect((await json(["logs", queue, id])).json).toMatchObject({ lines: [] });
    expect(await human(["remove", queue, id])).toEqual({ code: 0, out: `ok  ${id} is removed\n`, err: "" });
    expect((await json(["job", queue, id])).code).toBe(1);
  });

  it("is promoted, cancelled, and brought back from death", async () => {
    const { queue, add, human, json } = setup("changes");
    const scheduled = await add("--delay", "1h");
    expect((await json(["jobs", queue, "scheduled"])).json).toMatchObject({ total: 1 });
    expect((await human(["promote", queue, scheduled])).code).toBe(0);
    expect((await json(["cancel", queue, scheduled])).json).toMatchObject({ outcome: "removed" });
    const dead = await add();
    await kill(queue, [dead]);
    expect((await human(["jobs", queue, "dead"])).out).toContain("error: no such");
    expect((await json(["retry", queue, dead])).json).toMatchObject({ outcome: "ok" });
    expect((await json(["job", queue, dead])).json).toMatchObject({ state: "pending" });
  });

  it("waits while its queue is paused", async () => {
    const { queue, human, json } = setup("pause");
    expect((await human(["pause", queue])).code).toBe(0);
    expect((await json(["counts", queue])).json).toMatchObject({ isPaused: true });
    expect((await json(["resume", queue])).json).toEqual({ queue, isPaused: false });
  });
});

describe("many jobs on a real server", () => {
  it("are added from the input and brought back from death in slices", async () => {
    const { queue, human, json } = setup("many");
    const lines = Array.from({ length: 1200 }, (_, n) => `{"n":${n}}\n`);
    const added = await json(["add", queue, "welcome", "--file", "-"], { input: lines });
    expect(added).toEqual({ code: 0, json: { queue, name: "welcome", added: 1200, isInterrupted: false } });
    const ids = (await server().command("ZRANGE", `emq:{${queue}}:pending`, "0", "-1")) as string[];
    await kill(queue, ids);
    const { code, out } = await human(["retry", queue, "--all"]);
    expect([code, out]).toEqual([0, "1200 of 1200 jobs\nok  1200 dead jobs wait again\n"]);
    expect((await json(["counts", queue])).json).toMatchObject({ counts: { pending: 1200, dead: 0 } });
  });
});

describe("a name that a pattern or a terminal would misread", () => {
  it.each(["a*b?[c]", "with blank", "ünï", "a\u001b[2Jb"])("%j", async (name) => {
    const { queue, add, human, json } = setup(name);
    const id = await add();
    expect((await json(["jobs", queue, "pending"])).json).toMatchObject({ queue: name, jobs: [{ id }] });
    expect((await human(["counts", queue], { columns: 80 })).out).not.toContain("\u001b[2J");
  });
});

describe("the mark of a server", () => {
  const own = useServer({ tcp: true });

  it("is seen and not set by commands that only look", async () => {
    const env = { ECHOMQ_URL: own().url };
    const looks = [["ping"], ["fence"], ["counts", "q"], ["jobs", "q", "pending"], ["job", "q", "JOB0Nb1VTbfnu4"]];
    for (const args of looks) await run(args, { env });
    expect(await own().command("DBSIZE")).toBe(0);
    expect((await run(["fence"], { env })).out).toContain("not set");
  });

  it("is told and changed whatever it is, and shuts out other commands meanwhile", async () => {
    const env = { ECHOMQ_URL: own().url };
    await own().command("SET", "{emq}:version", "echomq:3.0.0");
    const shown = await runJson(["fence"], { env });
    expect(shown).toMatchObject({ code: 1, json: { found: "echomq:3.0.0", speaks: WIRE_VERSION, isPassable: false } });
    expect(await runJson(["ping"], { env })).toMatchObject({ code: 1, json: { kind: "valkey", role: "master" } });
    const refused = await run(["queues"], { env });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("[fence]");
    expect((await run(["queues", "--wire-version", "echomq:3.0.0"], { env })).code).toBe(0);
    const changed = await run(["fence", "--set", WIRE_VERSION, "--yes"], { env });
    expect(changed.out).toBe(`{emq}:version is ${WIRE_VERSION} now; before it was echomq:3.0.0\n`);
    expect((await run(["queues"], { env })).code).toBe(0);
  });

  it("that is no text is told with what to do", async () => {
    const env = { ECHOMQ_URL: own().url };
    await own().command("DEL", "{emq}:version");
    await own().command("RPUSH", "{emq}:version", "x");
    const { code, err } = await run(["fence"], { env });
    expect(code).toBe(1);
    expect(err).toContain("look at it with valkey-cli");
    expect(err).toContain("[fence]");
    await own().command("DEL", "{emq}:version");
  });
});

describe("ping", () => {
  const risky = useServer({ tcp: true, config: { "maxmemory-policy": "allkeys-lru" } });

  it("names kind, version, latency and policy", async () => {
    const { json } = setup("ping");
    const found = await json(["ping"]);
    expect(found.code).toBe(0);
    expect(found.json).toMatchObject({
      url: server().url,
      kind: "valkey",
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      role: "master",
      evictionPolicy: "noeviction",
      latencyMs: expect.any(Number),
      warnings: [],
    });
  });

  it("warns of a policy that loses jobs, once", async () => {
    const { code, out, err } = await run(["ping"], { env: { ECHOMQ_URL: risky().url } });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("warning  the policy allkeys-lru lets jobs vanish");
  });
});

describe("a user who may only read", () => {
  it("may look", async () => {
    const { queue, add } = setup("readers");
    const id = await add();
    const reader = accessCommands("readers").find(([, , user]) => user === "reader") ?? [];
    // Who must not ask the server about itself is told so, and may do the rest.
    await server().command(...reader, "-info");
    const env = { ECHOMQ_URL: server().url.replace("//", `//reader:${PASSWORD}@`) };
    expect((await run(["counts", queue], { env })).err).toBe("");
    expect((await run(["jobs", queue, "pending"], { env })).out).toContain(id);
    expect((await run(["job", queue, id], { env })).code).toBe(0);
    expect((await run(["logs", queue, id], { env })).code).toBe(0);
    expect((await run(["ping"], { env })).out).toContain("unknown, the user may not ask");
    const refused = await runJson(["remove", queue, id], { env });
    expect(refused).toMatchObject({ code: 1, json: { error: { code: "permission" } } });
  });
});

describe("a server that cannot be asked", () => {
  const locked = useServer({ tcp: true, config: { requirepass: "secret" } });

  it("is told with its code, within its time", async () => {
    const env = { ECHOMQ_URL: `valkey://127.0.0.1:${await freePort()}` };
    const startedAt = performance.now();
    const commands = [
      ["counts", "q"],
      ["add", "q", "welcome"],
      ["add", "q", "welcome", "--id", "JOB0Nb1VTbfnu4"],
      ["retry", "q", "--all"],
      ["ping"],
      ["fence"],
    ];
    const ended = await Promise.all(commands.map((args) => runJson(args, { env })));
    for (const { code, json, err } of ended) {
      expect([code, err]).toEqual([1, ""]);
      expect(json).toMatchObject({ error: { code: "disconnected", message: expect.stringContaining("ECONNREFUSED") } });
    }
    expect(performance.now() - startedAt).toBeLessThan(50_000);
  });

  it("refuses a wrong password at once", async () => {
    const url = locked().url.replace("//", "//:wrong@");
    const { code, json } = await runJson(["queues", "--url", url]);
    expect(code).toBe(1);
    expect(json).toMatchObject({ error: { code: "auth" } });
    expect(JSON.stringify(json)).not.toContain("wrong@");
    const right = await run(["queues", "--url", locked().url.replace("//", "//:secret@")]);
    expect(right.code).toBe(0);
  });
});
