/** Streams on real servers, by each client and protocol: nothing is lost when connections are, and nobody polls. */

import { describe, expect, it, onTestFinished } from "vitest";
import { EventStreamCore } from "../../../src/queue/event-stream.ts";
import { StreamConsumerCore } from "../../../src/worker/stream-consumer.ts";
import { useServer } from "../../server/use-server.ts";
import { openEngine, until, WAYS } from "../valkey/setup-engine.ts";

describe.each(WAYS)("streams by %s", (_name, way) => {
  const server = useServer();
  const setup = async () => {
    await server().command("FLUSHALL");
    const open = () => openEngine({ connection: { ...way, url: server().url } });
    const leaseOf = () => ({ engine: open(), release: () => Promise.resolve() });
    const stream = new EventStreamCore("q", "s", leaseOf());
    onTestFinished(() => stream.close());
    const consume = (handled: string[], options: object = {}) => {
      const consumer = new StreamConsumerCore(
        "q",
        "s",
        ({ fields }) => {
          handled.push(fields["n"] ?? "");
        },
        leaseOf(),
        { group: "g", from: "start", idle: "1s", concurrency: 4, prefetch: 20, ...options },
      );
      onTestFinished(() => consumer.close({ timeout: 0 }));
      return consumer;
    };
    return { stream, consume };
  };
  const pending = async () => Number(((await server().command("XPENDING", "emq:{q}:stream:s", "g")) as unknown[])[0]);

  it("hands every record to a group once, over consumers of two connections", async () => {
    const { stream, consume } = await setup();
    const [one, other]: [string[], string[]] = [[], []];
    const consumers = [consume(one), consume(other)];
    await Promise.all(consumers.map((consumer) => consumer.waitUntilReady()));
    for (let at = 0; at < 10; at++) {
      await stream.appendBatch(Array.from({ length: 30 }, (_, n) => ({ n: String(at * 30 + n) })));
    }
    await until(async () => one.length + other.length >= 300 && (await pending()) === 0);
    const all = Array.from({ length: 300 }, (_, n) => String(n)).toSorted();
    expect([...one, ...other].toSorted()).toEqual(all);
    expect(await stream.groups()).toMatchObject([{ group: "g", lag: 0, pending: 0 }]);
    for (const consumer of consumers) await consumer.close();
  });

  it("goes on after every connection was broken, in a group and behind it", async () => {
    const { stream, consume } = await setup();
    const handled: string[] = [];
    const consumer = consume(handled);
    await consumer.waitUntilReady();
    const followed: string[] = [];
    const follow = async () => {
      for await (const { fields } of stream.tail({ from: "start" })) followed.push(fields["n"] ?? "");
    };
    const following = follow();
    await stream.append({ n: "before" });
    await until(() => handled.includes("before") && followed.includes("before"));
    await server().command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until(() =>
      stream.append({ n: "after" }).then(
        () => true,
        () => false,
      ),
    );
    await until(async () => handled.includes("after") && followed.includes("after") && (await pending()) === 0);
    expect(followed.slice(0, 2)).toEqual(["before", "after"]);
    await consumer.close();
    await stream.close();
    await following;
  });
});
