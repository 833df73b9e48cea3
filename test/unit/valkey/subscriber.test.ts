import { describe, expect, it } from "vitest";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { Subscriber } from "../../../src/valkey/subscriber.ts";
import { FakeSession } from "./fake-session.ts";

describe("the subscriber", () => {
  it("hands on a message that is read together with the confirmation of its channel", async () => {
    const subscriber = new Subscriber({ ports: createTestPorts(), timeoutMs: 1000, start: () => {} });
    const session = new FakeSession();
    subscriber.onUp(session);
    const heard: string[] = [];
    const subscription = subscriber.subscribe("news", (payload) => void heard.push(payload));
    expect(session.texts).toEqual(["SUBSCRIBE news"]);
    // One read of the socket may bring both, before anybody who waits for the answer runs.
    session.answer(["subscribe", "news", 1]);
    subscriber.onMessage("news", "first");
    await subscription;
    subscriber.onMessage("news", "second");
    expect(heard).toEqual(["first", "second"]);
  });

  it("asks anew for a channel that was refused after a reconnect, and tells who has listened since before", async () => {
    const subscriber = new Subscriber({ ports: createTestPorts(), timeoutMs: 1000, start: () => {} });
    const [first, second] = [new FakeSession(), new FakeSession()];
    subscriber.onUp(first);
    const heard: string[] = [];
    const early = subscriber.subscribe("news", (payload) => void heard.push(`early ${payload}`));
    first.answer(["subscribe", "news", 1]);
    await early;
    subscriber.onDown();
    subscriber.onUp(second);
    second.refuse("NOPERM No permissions to access a channel");
    await new Promise((resolve) => setImmediate(resolve));
    // Two who come at once ask once.
    const late = [1, 2].map((number) => subscriber.subscribe("news", (text) => void heard.push(`${number} ${text}`)));
    expect(second.texts).toEqual(["SUBSCRIBE news"]);
    second.answer(["subscribe", "news", 1]);
    await Promise.all(late);
    subscriber.onMessage("news", "again");
    expect(heard).toEqual(["early again", "1 again", "2 again"]);
  });
});
