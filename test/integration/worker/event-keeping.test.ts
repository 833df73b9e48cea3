/** Kept events on a real server: they must never keep an act from passing that shrinks a full one. */

import { describe, expect, it, onTestFinished } from "vitest";
import { Queue } from "../../../src/index.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { Streams } from "../../../src/queue/streams.ts";
import { useServer } from "../../server/use-server.ts";
import { errorOf, openEngine } from "../valkey/setup-engine.ts";

describe("a queue that keeps its events", () => {
  const server = useServer();

  it("still settles jobs on a server at maxmemory, and keeps what it tells of them", async () => {
    await server().command("FLUSHALL");
    const engine = openEngine({ connection: server().url });
    const jobs = new Jobs(engine);
    const queue = new Queue("mail", { connection: server().url });
    onTestFinished(() => queue.close());
    onTestFinished(() =>
      server()
        .command("CONFIG", "SET", "maxmemory", "0")
        .then(() => undefined),
    );
    await queue.keepEvents({});
    await queue.addBulk([1, 2, 3].map((n) => ({ name: "job", data: { n } })));
    const claimed = [await jobs.claim("mail", 60_000), await jobs.claim("mail", 60_000)];
    await server().command("CONFIG", "SET", "maxmemory", "1");
    expect(await errorOf(queue.add("one more", {}))).toMatchObject({ code: "out_of_memory" });
    const [first, second] = claimed;
    expect(await jobs.complete("mail", first?.id ?? "", first?.attempts ?? 0)).toBe("ok");
    const failure = { delayMs: 0, maxAttempts: 1, error: "no" };
    expect(await jobs.retry("mail", second?.id ?? "", second?.attempts ?? 0, failure)).toBe("dead");
    await server().command("CONFIG", "SET", "maxmemory", "0");
    const events = (await new Streams(engine).read("mail", "events")).map(({ fields }) => fields["event"]);
    expect(events).toEqual(["added", "added", "added", "active", "active", "completed", "failed", "dead"]);
    await engine.close();
  });
});
