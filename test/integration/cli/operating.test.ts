/** The commands of operators on a real server: queues and lanes, lists by cursor, and what removes many jobs. */

import { describe, expect, it, onTestFinished } from "vitest";
import { Queue } from "../../../src/index.ts";
import { useServer } from "../../server/use-server.ts";
import { type Ran, type RunOptions, run, runJson } from "../../unit/cli/run.ts";
import { accessCommands, PASSWORD } from "../connection/access-lines.ts";
import { handlerModule, ToolProcess } from "./tool-process.ts";

const server = useServer({ tcp: true });

/** Commands on the server, and a queue that no other test uses. */
function setup(name: string) {
  const env = { ECHOMQ_URL: server().url };
  const queue = new Queue(name, { connection: server().url });
  onTestFinished(() => queue.close());
  const addMany = async (count: number, opts: object = {}) =>
    await queue.addBulk(Array.from({ length: count }, (_, n) => ({ name: "welcome", data: { n }, opts })));
  const kill = async (count: number) => {
    const claimed = await queue.jobs.claimBatch(name, count, 30_000);
    const failure = { delayMs: 0, maxAttempts: 1, error: "no such address" };
    await Promise.all(claimed.map(({ id, attempts }) => queue.jobs.retry(name, id, attempts, failure)));
  };
  return {
    name,
    env,
    queue,
    addMany,
    kill,
    // The name is no pattern here.
    keys: async () => {
      const all = (await server().command("KEYS", "emq:{*")) as string[];
      return all.filter((key) => key.startsWith(`emq:{${name}}:`));
    },
    human: (args: readonly string[], options?: RunOptions): Promise<Ran> => run(args, { env, ...options }),
    json: async (args: readonly string[], options?: RunOptions) => {
      const ran = await runJson(args, { env, ...options });
      return { code: ran.code, json: ran.json as Record<string, unknown> };
    },
  };
}

interface Page {
  readonly jobs: readonly { readonly id: string }[];
  readonly next: string | null;
}

describe("lists on a real server", () => {
  it.each(["first", "last"])("go through all pages from the %s while jobs leave", async (from) => {
    const { name, queue, addMany, json } = setup(`pages-${from}`);
    const added = await addMany(250);
    const seen: string[] = [];
    const rest: string[] = [];
    for (;;) {
      const { json: told } = await json(["jobs", name, "pending", "--limit", "60", "--from", from, ...rest]);
      const page = told as unknown as Page;
      seen.push(...page.jobs.map(({ id }) => id));
      if (page.next === null) break;
      await queue.remove(page.jobs[0]?.id ?? "");
      rest.splice(0, 2, "--cursor", page.next);
    }
    const ids = added.map(({ id }) => id);
    expect(seen).toEqual(from === "first" ? ids : ids.reverse());
  });

  it("name the dead, by age, and those of a lane", async () => {
    const { name, addMany, kill, human, json } = setup("dead-list");
    await addMany(3);
    await kill(2);
    await addMany(2, { lane: "acme" });
    expect((await human(["dead", name, "--newer-than", "1h"])).out).toContain("2 of that age; 2 dead jobs in all");
    expect((await json(["dead", name, "--older-than", "1h"])).json).toMatchObject({ total: 2, jobs: [], next: null });
    expect((await json(["list", name, "pending"])).json).toMatchObject({ total: 1, jobs: { length: 1 } });
    expect((await json(["list", name, "pending", "--lane", "acme"])).json).toMatchObject({ total: 2, next: null });
  });

  it("name the queues, also those that no list has", async () => {
    const { name, addMany, human, json } = setup("listed-queue");
    await addMany(2);
    await server().command("ZADD", "emq:{foreign-queue}:pending", "0", "JOB0Nb1VTbfnu4");
    const names = (await human(["queues"])).out.split("\n");
    expect(names).toContain(name);
    expect(names).not.toContain("foreign-queue");
    expect((await human(["queues", "--scan"])).out.split("\n")).toContain("foreign-queue");
    const { queues } = (await json(["queues", "--counts"])).json;
    expect(queues).toContainEqual({
      queue: name,
      isPaused: false,
      counts: expect.objectContaining({ pending: 2 }) as unknown,
    });
  });
});

describe("jobs on a real server", () => {
  it("change their due time and their priority", async () => {
    const { name, queue, human, json } = setup("changed");
    const { id: scheduled } = await queue.add("welcome", {}, { delay: "1h" });
    expect((await human(["delay", name, scheduled, "2d"])).out).toBe(`ok  ${scheduled} falls due in 2d\n`);
    expect((await json(["explain", name, scheduled])).json).toMatchObject({ state: "scheduled" });
    expect((await json(["priority", name, scheduled, "9"])).json).toMatchObject({ outcome: "ok" });
    expect((await human(["promote", name, scheduled])).code).toBe(0);
    const { id: plain } = await queue.add("welcome", {});
    const { id: laned } = await queue.add("welcome", {}, { lane: "acme" });
    const { json: page } = await json(["jobs", name, "pending"]);
    expect((page as unknown as Page).jobs.map(({ id }) => id)).toEqual([plain, scheduled]);
    expect((await json(["priority", name, laned, "2"])).json).toMatchObject({ outcome: "ok" });
    expect((await json(["delay", name, plain, "5m"])).json).toMatchObject({ outcome: "not_scheduled" });
  });
});

describe("lanes on a real server", () => {
  it("are listed, limited, weighted, ordered and paused", async () => {
    const { name, addMany, human, json } = setup("lanes");
    await addMany(2, { lane: "acme" });
    for (const args of [
      ["limit", name, "acme", "5"],
      ["weight", name, "acme", "3"],
      ["pause", name, "--lane", "acme"],
    ]) {
      expect((await human(args)).code).toBe(0);
    }
    const acme = {
      lane: "acme",
      depth: 2,
      active: 0,
      limit: 5,
      weight: 3,
      isPaused: true,
      isOrdered: false,
      restMs: 0,
    };
    const lanes: unknown[] = [];
    const rest: string[] = [];
    for (;;) {
      const { json: page } = await json(["lanes", name, ...rest]);
      lanes.push(...(page["lanes"] as unknown[]));
      if (typeof page["next"] !== "string") break;
      rest.splice(0, 2, "--cursor", page["next"]);
    }
    expect(lanes).toEqual([expect.objectContaining(acme)]);
    expect((await json(["order", name, "acme", "on"])).json).toMatchObject({ isOrdered: true });
    expect((await json(["order", name, "acme", "off"])).json).toMatchObject({ isOrdered: false });
    expect((await human(["limit", name, "acme", "none"])).out).toBe("no limit\n");
    expect((await json(["resume", name, "--lane", "acme"])).json).toMatchObject({ isPaused: false });
    expect((await json(["drain", name, "--lane", "acme", "--yes"])).json).toMatchObject({ removed: 2 });
  });
});

describe("removal on a real server", () => {
  it("drains what it is told to, in slices, and says what stays", async () => {
    const { name, addMany, human, json } = setup("drained");
    await addMany(600);
    await addMany(300, { lane: "acme" });
    await addMany(3, { delay: "1h" });
    expect((await human(["drain", name, "--lanes", "--dry-run"])).out).toBe(
      `would remove 900 jobs of ${name} (600 pending, 300 in lanes); 3 scheduled stay\n`,
    );
    const asked = await human(["drain", name], { answer: "no" });
    expect(asked).toEqual({
      code: 1,
      out: "nothing was removed\n",
      err: `Remove 600 pending jobs of ${name}, for good? [y/N] `,
    });
    const drained = await human(["drain", name], { answer: "y" });
    expect(drained.code).toBe(0);
    expect(drained.out).toMatch(/600 of 600 jobs\nok {2}removed 600 jobs; 300 in lanes and 3 scheduled stay\n$/);
    expect(await json(["drain", name, "--lanes", "--schedule", "--yes"])).toMatchObject({
      code: 0,
      json: { outcome: "removed", found: 303, removed: 303 },
    });
    expect((await json(["doctor", name])).code).toBe(0);
  });

  it("cleans by state and age, and retries the rest", async () => {
    const { name, addMany, kill, human, json } = setup("cleaned");
    await addMany(400);
    await kill(400);
    expect((await human(["clean", name, "--state", "dead", "--older-than", "7d", "--yes"])).out).toBe(
      "nothing to remove\n",
    );
    const limited = await json(["clean", name, "dead", "--limit", "300", "--yes"]);
    expect(limited.json).toMatchObject({ outcome: "removed", found: 300, removed: 300 });
    expect((await human(["retry", name, "--all"])).out).toBe("ok  100 dead jobs wait again\n");
    expect((await json(["counts", name])).json).toMatchObject({ counts: { pending: 100, dead: 0 } });
  });

  it("takes a queue away, and leaves no key of it and all of its neighbour", async () => {
    const { name, addMany, keys, human, json } = setup("gone*");
    const neighbour = setup("gone-not");
    await neighbour.addMany(1);
    await addMany(700);
    await addMany(300, { lane: "acme" });
    await human(["limit", name, "acme", "5"]);
    expect(await json(["obliterate", name, "--yes"])).toMatchObject({
      code: 1,
      json: { error: { code: "not_paused" } },
    });
    const gone = await human(["obliterate", name, "--force"], { answer: "yes" });
    expect(gone.err).toContain(`Remove the queue ${name} with 1000 jobs (pending 700, lanes 300), its settings`);
    expect([gone.code, gone.out]).toMatchObject([0, expect.stringMatching(/1000 of 1000 jobs\nok {2}the queue/)]);
    expect(await keys()).toEqual([]);
    expect((await neighbour.json(["counts", neighbour.name])).json).toMatchObject({ counts: { pending: 1 } });
    expect((await human(["queues"])).out.split("\n")).not.toContain(name);
  });

  it("is refused of a process without a terminal, with the exit code of a line that cannot be used", async () => {
    const { name, env, addMany, json } = setup("piped");
    await addMany(1);
    const tool = new ToolProcess(["drain", name], env);
    expect(await tool.ended).toEqual({ code: 2, signal: null });
    expect([tool.out, tool.err]).toEqual(["", expect.stringContaining("[needs_yes]")]);
    expect((await json(["counts", name])).json).toMatchObject({ counts: { pending: 1 } });
  });
});

describe("looking on a real server", () => {
  it("finds workers and results", async () => {
    const { name, env, queue, json } = setup("worked");
    const tool = new ToolProcess(["work", name, handlerModule("export default () => ({ sent: true });")], env);
    const { id } = await queue.add("welcome", {}, { keepResult: "1m" });
    expect((await json(["result", name, id, "--wait", "--timeout", "60s"])).json).toMatchObject({
      outcome: "completed",
      result: { sent: true },
    });
    expect((await json(["workers", name])).json).toMatchObject({ workers: { length: 1 } });
    tool.signal("SIGTERM");
    expect((await tool.ended).code).toBe(0);
  });
});

describe("the users of docs/operate/access.md", () => {
  /** A command line that must succeed, as one of the users. */
  async function setupUsers(name: string) {
    const world = setup(name);
    for (const parts of accessCommands(name)) await server().command(...parts);
    const as = async (user: string, ...args: string[]): Promise<string> => {
      const env = { ECHOMQ_URL: server().url.replace("//", `//${user}:${PASSWORD}@`) };
      const { code, out, err } = await run(args, { env });
      expect([code, err], args.join(" ")).toEqual([0, ""]);
      return out;
    };
    return { ...world, as };
  }

  it("let a reader list, count and see what a removal would take", async () => {
    const { name, addMany, kill, as } = await setupUsers("read-only");
    await addMany(4);
    await kill(1);
    await addMany(2, { lane: "acme" });
    expect(await as("reader", "queues")).toContain(name);
    expect(await as("reader", "counts", name, "--oldest", "--minutes", "3")).toContain("oldest     waits");
    for (const from of ["first", "last"]) {
      const page = await as("reader", "jobs", name, "pending", "--limit", "1", "--from", from, "--older-than", "0ms");
      const cursor = /--cursor (\S+)/.exec(page)?.[1] ?? "";
      expect(await as("reader", "list", name, "pending", "--from", from, "--cursor", cursor)).toContain(
        "2 of 3 pending",
      );
    }
    expect(await as("reader", "dead", name)).toContain("1 of 1 dead jobs");
    expect(await as("reader", "drain", name, "--lanes", "--dry-run")).toContain("would remove 5 jobs");
    expect(await as("reader", "drain", name, "--lane", "acme", "--dry-run")).toContain("would remove 2 pending jobs");
    expect(await as("reader", "clean", name, "dead", "--older-than", "1h", "--dry-run")).toContain("0 dead jobs");
    expect(await as("reader", "obliterate", name, "--force", "--dry-run")).toContain("with 6 jobs");
  });

  it("let an operator change, empty and take away a queue", async () => {
    const { name, queue, addMany, kill, keys, as } = await setupUsers("operated");
    await addMany(3);
    await kill(2);
    const { id: scheduled } = await queue.add("welcome", {}, { delay: "1h" });
    const { id: laned } = await queue.add("welcome", {}, { lane: "acme" });
    await as("operator", "delay", name, scheduled, "2h");
    await as("operator", "priority", name, laned, "3");
    for (const setting of ["limit", "weight"]) await as("operator", setting, name, "acme", "3");
    await as("operator", "order", name, "acme", "on");
    await as("operator", "pause", name, "--lane", "acme");
    expect(await as("operator", "clean", name, "dead", "--limit", "1", "--yes")).toBe("ok  removed one dead job\n");
    expect(await as("operator", "retry", name, "--all")).toBe("ok  one dead job waits again\n");
    expect(await as("operator", "drain", name, "--lane", "acme", "--yes")).toBe("ok  removed one job\n");
    expect(await as("operator", "drain", name, "--lanes", "--schedule", "--yes")).toBe("ok  removed 3 jobs\n");
    await as("operator", "pause", name);
    await as("operator", "obliterate", name, "--yes");
    expect(await keys()).toEqual([]);
    expect(await as("operator", "queues")).not.toContain(name);
  });
});
