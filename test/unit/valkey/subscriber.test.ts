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
});
