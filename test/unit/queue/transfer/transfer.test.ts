import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspectQueue } from "../../../../src/doctor/doctor.ts";
import { EmbeddedEngine } from "../../../../src/embedded/embedded-engine.ts";
import type { Engine } from "../../../../src/engine/engine.ts";
import { EchoMQError } from "../../../../src/protocol/errors.ts";
import { borrowed } from "../../../../src/queue/engine-lease.ts";
import { QueueCore } from "../../../../src/queue/queue.ts";
import { type ExportOptions, type ExportReport, exportChunks } from "../../../../src/queue/transfer/export-queues.ts";
import { importChunks } from "../../../../src/queue/transfer/import-queues.ts";
import { createTestPorts } from "../../../../src/testing/test-ports.ts";
import { errorOf } from "../scripted-engine.ts";
import { contentOf, FURNISHED, furnish } from "./furnished.ts";

function setup() {
  const ports = createTestPorts();
  const engine = () => new EmbeddedEngine({ ports });
  const queue = (on: Engine, name = "mail"): QueueCore<Record<string, unknown>> => new QueueCore(name, borrowed(on));
  return { ports, engine, queue, source: engine(), target: engine() };
}

async function exported(engine: Engine, options: ExportOptions = {}): Promise<{ text: string; report: ExportReport }> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let report: ExportReport | undefined;
  let text = "";
  const onEnd = (end: ExportReport) => {
    report = end;
  };
  for await (const chunk of exportChunks(engine, { ...options, onEnd })) {
    text += decoder.decode(chunk, { stream: true });
  }
  if (report === undefined) throw new Error("an export ends with its report");
  return { text, report };
}

async function contents(engine: Engine, names: readonly string[] = FURNISHED) {
  return new Map(await Promise.all(names.map(async (name) => [name, await contentOf(engine, name)] as const)));
}

/** An engine that fails from its nth writing command on, as one whose process is killed. */
function failingAfter(engine: Engine, writes: number): Engine {
  let left = writes;
  const reading =
    /^(?:H?GET|HGETALL|SCAN|TYPE|TIME|[LHZ](?:LEN|CARD)|SCARD|LRANGE|ZRANGE|ZRANK|SSCAN|HSCAN|SMEMBERS|EXISTS|PTTL)$/;
  const mayGoOn = (name: string) => reading.test(name) || left-- > 0;
  const cut = () => Promise.reject(new EchoMQError("disconnected", "the process was killed"));
  return Object.create(engine, {
    kind: { value: engine.kind },
    ports: { value: engine.ports },
    wireVersion: { value: engine.wireVersion },
    command: { value: (parts: string[]) => (mayGoOn(parts[0] ?? "") ? engine.command(parts) : cut()) },
    act: {
      value: (verb: "EXAMINE", keys: string[], args: string[]) =>
        verb === "EXAMINE" || mayGoOn(verb) ? engine.act(verb, keys, args) : cut(),
    },
  }) as Engine;
}

describe("an export that is imported", () => {
  it("is the same queues, whatever they hold, to the byte", async () => {
    const { source, target } = setup();
    await furnish(source);
    const { text, report } = await exported(source);
    expect(report).toMatchObject({ isExact: true, partners: [] });
    const imported = await importChunks(target, () => [text]);
    expect(imported.queues).toEqual(
      report.queues.map((queue) => ({ ...queue, mended: 0, isPaused: queue.queue !== "files" })),
    );
    expect(await contents(target)).toEqual(await contents(source));
    for (const name of FURNISHED) expect((await inspectQueue(target, name)).findings).toEqual([]);
  });

  it("says which version wrote it, and ends in a checksum", async () => {
    const { source, queue } = setup();
    await queue(source).add("welcome", { to: "ada" }, { id: "JOB0000000000A" });
    const { text } = await exported(source);
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({ format: "echomq-export", version: 1, wire: "echomq:4.0.0" });
    expect(lines[0]).toMatchObject({ queues: [{ queue: "mail", jobs: 1 }] });
    expect(lines[1]).toEqual({ queue: "mail" });
    expect(lines[2]).toMatchObject({ key: "job:JOB0000000000A", type: "hash" });
    expect(lines.at(-1)).toMatchObject({ end: true, lines: lines.length - 1, isExact: true });
  });

  it("keeps any bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 8 }), async (payloads) => {
        const { source, target, queue } = setup();
        const { jobs } = queue(source);
        for (const [at, payload] of payloads.entries()) await jobs.enqueue("mail", `JOB0000000000${at}`, payload);
        const { text } = await exported(source, { queues: ["mail"] });
        await importChunks(target, [text]);
        expect(await contents(target, ["mail"])).toEqual(await contents(source, ["mail"]));
      }),
      { numRuns: 50 },
    );
  });

  it("hands out its jobs at once, and wakes who waits for them", async () => {
    const { source, target, queue } = setup();
    await queue(source).add("welcome", 1);
    const { text } = await exported(source);
    const woken = new Promise<void>((resolve) => {
      const handle = target.listenForWake("emq:{mail}:wake", { onToken: resolve, onLost: () => {} });
      handle.arm();
    });
    await importChunks(target, [text]);
    await woken;
    expect(await queue(target).jobs.claim("mail", 1000)).toMatchObject({ attempts: 1 });
  });

  it("takes single queues, and says which others have a part in their flows", async () => {
    const { source, target } = setup();
    await furnish(source);
    const { text, report } = await exported(source, { queues: [FURNISHED[0]] });
    expect(report.partners).toEqual(["files"]);
    await importChunks(target, [text], { queues: [FURNISHED[0]] });
    expect((await contents(target)).get("files")?.size).toBe(0);
    expect(await errorOf(() => importChunks(target, [text], { queues: ["other"] }))).toMatchObject({
      code: "invalid_queue",
    });
  });

  it("is none of a queue that is not there, and an empty one of a queue that is empty", async () => {
    const { source, queue } = setup();
    await queue(source).add("welcome", {});
    const refusal = await errorOf(() => exported(source, { queues: ["mail", "mial"] }));
    expect(refusal).toMatchObject({ code: "queue_absent", retryable: false, details: { queue: "mial" } });
    await queue(source, "paused").pause();
    await source.command(["SADD", "{emq}:queues", "listed"]);
    const { report } = await exported(source, { queues: ["paused", "listed"] });
    expect(report.queues.map(({ queue: name, jobs }) => [name, jobs])).toEqual([
      ["listed", 0],
      ["paused", 0],
    ]);
  });

  it("lifts the marks of node numbers, so that no id comes twice", async () => {
    const { source, target, queue } = setup();
    await source.command(["HSET", "{emq}:nodes", "5", "9000000000000", "6", "5"]);
    await target.command(["HSET", "{emq}:nodes", "5", "7", "6", "9"]);
    await queue(source).jobs.enqueue("mail", "JOB0000000000A", "x");
    const { text } = await exported(source);
    await importChunks(target, [text]);
    expect(await target.command(["HMGET", "{emq}:nodes", "5", "6"])).toEqual(["9000000000000", "9"]);
    expect(await target.command(["SMEMBERS", "{emq}:queues"])).toEqual(["mail"]);
  });
});

describe("an import", () => {
  it("refuses an export that is cut or changed anywhere, before it writes anything", async () => {
    const { source, target, queue } = setup();
    await queue(source).addBulk(Array.from({ length: 5 }, (_, at) => ({ name: "a", data: { at, text: "é" } })));
    const { text } = await exported(source);
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice();
      changed[at] = (bytes[at] ?? 0) ^ 1;
      for (const damaged of [bytes.subarray(0, at), changed]) {
        expect(await errorOf(() => importChunks(target, () => [damaged])), `byte ${at}`).toMatchObject({
          code: "bad_export",
        });
      }
    }
    expect(await target.command(["KEYS", "emq:*"])).toEqual([]);
  });

  it("reads lines that are cut anywhere", async () => {
    const { source, target, queue } = setup();
    await queue(source).add("a", "é€😀");
    const bytes = new TextEncoder().encode((await exported(source)).text);
    await importChunks(
      target,
      Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)),
    );
    expect(await contents(target, ["mail"])).toEqual(await contents(source, ["mail"]));
  });

  it("refuses another wire, another layout, and what is no export", async () => {
    const { source, target } = setup();
    const { text } = await exported(source);
    const refusal = async (changed: string) => {
      const { code, details } = await errorOf(() => importChunks(target, [changed]));
      return [code, details["reason"]];
    };
    expect(await refusal(text.replace("echomq:4.0.0", "echomq:3.0.0"))).toEqual(["bad_export", "wire"]);
    expect(await refusal(text.replace('"version":1', '"version":2'))).toEqual(["bad_export", "version"]);
    expect(await refusal("{}\n")).toEqual(["bad_export", "format"]);
    expect(await refusal("")).toEqual(["bad_export", "cut"]);
    expect((await errorOf(() => importChunks(target, []))).message).toContain("There is nothing to import");
    expect(await refusal(`${text}{"queue":"mail"}\n`)).toEqual(["bad_export", "format"]);
  });

  it("leaves a queue alone that holds anything, and says what to do", async () => {
    const { source, target, queue } = setup();
    await queue(source).add("a", 1);
    const { text } = await exported(source);
    await queue(target).pause();
    const error = await errorOf(() => importChunks(target, [text]));
    expect(error).toMatchObject({ code: "queue_not_empty", details: { queue: "mail" } });
    expect(String(error)).toContain("obliterate");
    await queue(target).resume();
    await importChunks(target, [text]);
    expect(await errorOf(() => importChunks(target, [text]))).toMatchObject({ code: "queue_not_empty" });
  });

  it("goes on after it broke off at any of its writes, and ends as if it had not", async () => {
    const { source, engine } = setup();
    await furnish(source);
    const { text } = await exported(source);
    const wanted = await contents(source);
    for (let writes = 0; ; writes += 41) {
      const target = engine();
      try {
        await importChunks(failingAfter(target, writes), [text]);
        break;
      } catch (error) {
        expect(error).toMatchObject({ code: "disconnected" });
      }
      const hasBegun = (await target.command(["HGET", "emq:{files}:meta", "importing"])) !== null;
      // Nothing is handed out before all is there, and no other export gets in between.
      if (hasBegun)
        expect(await target.act("CLAIM", ["emq:{files}:pending", "emq:{files}:active", "emq:{files}:"], ["9"])).toEqual(
          [],
        );
      await importChunks(target, [text]);
      expect(await contents(target), `after ${writes} writes`).toEqual(wanted);
    }
  });

  it("is not mixed up with another one that has not ended", async () => {
    const { source, target, queue } = setup();
    await queue(source).add("a", 1);
    const [first, second] = [await exported(source), await exported(source)];
    await errorOf(() => importChunks(failingAfter(target, 3), [first.text]));
    expect(await errorOf(() => importChunks(target, [second.text]))).toMatchObject({ code: "queue_not_empty" });
    expect(await errorOf(() => exported(target))).toMatchObject({ code: "queue_unsound" });
    await importChunks(target, [first.text]);
    expect(await contents(target, ["mail"])).toEqual(await contents(source, ["mail"]));
  });

  it("ends where its caller says so, and tells how far it is", async () => {
    const { source, target, queue } = setup();
    await queue(source).addBulk(Array.from({ length: 350 }, () => ({ name: "a", data: 1 })));
    const { text } = await exported(source);
    const told: number[] = [];
    await importChunks(target, [text], { onProgress: (jobs) => void told.push(jobs) });
    expect(told).toEqual([100, 200, 300]);
  });
});

describe("an export of queues that change", () => {
  /** Does something in the middle: when the first job was read. */
  async function exportedWith(engine: Engine, work: () => Promise<unknown>, options: ExportOptions = {}) {
    let working: Promise<unknown> | undefined;
    const chunks = exportChunks(engine, {
      ...options,
      onProgress: () => {
        working ??= work();
      },
    });
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    await working;
    return parts;
  }

  it("is refused, unless they may change; what does not fit together is mended", async () => {
    const { source, target, engine, queue } = setup();
    const mail = queue(source);
    await mail.addBulk(Array.from({ length: 300 }, (_, at) => ({ name: "a", data: at, opts: { lane: `l${at % 7}` } })));
    const change = async () => {
      for (const job of await mail.jobs.claimBatch("mail", 5, 1000))
        await mail.jobs.complete("mail", job.id, job.attempts);
      await mail.addBulk(Array.from({ length: 20 }, () => ({ name: "b", data: 1 })));
      await mail.drain({ lanes: true });
      await mail.add("c", 1);
    };
    expect(await errorOf(() => exportedWith(source, change))).toMatchObject({ code: "queue_changed", retryable: true });

    const again = engine();
    await queue(again).addBulk(
      Array.from({ length: 300 }, (_, at) => ({ name: "a", data: at, opts: { lane: `l${at % 7}` } })),
    );
    const drain = () => queue(again).drain({ lanes: true });
    const chunks = await exportedWith(again, drain, { running: true });
    const report = await importChunks(target, () => chunks);
    expect(report.isExact).toBe(false);
    expect(report.queues[0]?.mended).toBeGreaterThan(0);
    expect((await inspectQueue(target, "mail")).isClean).toBe(true);
  });

  it("is refused in any case where jobs wait for others", async () => {
    const { source } = setup();
    await furnish(source);
    const name = FURNISHED[0];
    const mail = new QueueCore<Record<string, unknown>>(name, borrowed(source));
    await mail.addBulk(Array.from({ length: 200 }, () => ({ name: "a", data: 1 })));
    const change = () => mail.add("c", 1);
    expect(await errorOf(() => exportedWith(source, change, { running: true }))).toMatchObject({
      code: "queue_changed",
    });
  });

  it("is exact when nothing happened, whatever it was allowed", async () => {
    const { source, queue } = setup();
    await queue(source).add("a", 1);
    expect((await exported(source, { running: true })).report.isExact).toBe(true);
  });

  it("is refused when the doctor finds something wrong", async () => {
    const { source, queue } = setup();
    await queue(source).add("a", 1);
    await source.command(["HSET", "emq:{mail}:job:JOB0000000000A", "state", "pending"]);
    expect(await errorOf(() => exported(source))).toMatchObject({ code: "queue_unsound", details: { queue: "mail" } });
  });
});
