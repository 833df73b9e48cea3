import { describe, expect, it } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { nativeHead, scriptHead } from "../../../src/valkey/call.ts";
import { Dispatcher, type DispatcherOptions } from "../../../src/valkey/dispatch.ts";
import { NativeForm, type NativeMode } from "../../../src/valkey/native-form.ts";
import { FakeSession } from "./fake-session.ts";

const UNKNOWN = "ERR unknown command 'EMQ.FENCE', with args beginning with: '0'";

function formOf(mode: NativeMode) {
  return new NativeForm({ mode, wireVersion: "echomq:4.0.0" });
}

const has = async () => await Promise.resolve("OK");
const lacks = async () => await Promise.reject(new EchoMQError("refused", UNKNOWN));

describe("the native form", () => {
  it("is on where the server has the module, and asks for this host's wire", async () => {
    const form = formOf("auto");
    const asked: (readonly string[])[] = [];
    expect(form.isOn).toBe(false);
    await form.probe(async (parts) => {
      asked.push(parts);
      return await has();
    });
    expect(form.isOn).toBe(true);
    expect(asked).toEqual([["EMQ.FENCE", "0", "echomq:4.0.0"]]);
    form.giveUp();
    expect(form.isOn).toBe(false);
  });

  it.each([
    ["no such command", new EchoMQError("refused", UNKNOWN)],
    ["no right to it", new EchoMQError("permission", "NOPERM")],
    ["another wire", new EchoMQError("fence", "EMQFENCE wire version is a, this server speaks b")],
  ])("is off where there is %s, and only a host that demands it is refused", async (_, error) => {
    const refuse = async () => await Promise.reject(error);
    const form = formOf("auto");
    await form.probe(refuse);
    expect(form.isOn).toBe(false);
    await expect(formOf("require").probe(refuse)).rejects.toMatchObject({ code: "unsuitable_server" });
  });

  it("leaves it to a later question where the server cannot tell now", async () => {
    const busy = async () => await Promise.reject(new EchoMQError("server_busy", "LOADING"));
    await expect(formOf("auto").probe(busy)).rejects.toMatchObject({ code: "server_busy" });
  });

  it("asks nothing when it is off, and follows each server that a connection leads to", async () => {
    const off = formOf("off");
    await off.probe(() => expect.fail("nobody is asked"));
    const form = formOf("auto");
    await form.probe(has);
    await form.probe(lacks);
    expect(form.isOn).toBe(false);
  });
});

function createDispatcher(native: Pick<DispatcherOptions, "isNative" | "onNoNative">): Dispatcher {
  return new Dispatcher({
    ports: createTestPorts(),
    name: "valkey://here",
    offline: "wait",
    timeoutMs: 5000,
    pendingMax: 10,
    whyDown: () => undefined,
    onReadonly() {},
    ...native,
  });
}

describe("an act that waits since before the first connection", () => {
  const script = { sha: "abc", text: "return 1" };
  const content = { head: scriptHead("abc", false), keys: ["k"], args: [], script, nativeHead: nativeHead("CLAIM") };

  function setup() {
    const server = { isNative: false };
    const told: string[] = [];
    const dispatcher = createDispatcher({ isNative: () => server.isNative });
    const end = { onDone: (reply: unknown) => void told.push(String(reply)), onFailed: () => void told.push("failed") };
    dispatcher.start(content, end);
    return { server, dispatcher, told, session: new FakeSession() };
  }

  it("goes as a native command where the server turns out to have the module, and as a script where not", () => {
    const { server, dispatcher, told, session } = setup();
    server.isNative = true;
    dispatcher.onUp(session);
    expect(session.texts).toEqual(["EMQ.CLAIM k"]);
    session.answer(7);
    expect(told).toEqual(["7"]);
    expect(dispatcher.pendingCount).toBe(0);
    const bare = setup();
    bare.dispatcher.onUp(bare.session);
    expect(bare.session.texts).toEqual(["EVALSHA k"]);
  });

  it("goes once more as a script when the module is gone by then", () => {
    const { server, dispatcher, told, session } = setup();
    server.isNative = true;
    dispatcher.onUp(session);
    session.refuse("ERR unknown command 'EMQ.CLAIM'");
    expect(session.texts.at(-1)).toBe("EVALSHA k");
    session.answer(8);
    expect(told).toEqual(["8"]);
  });

  it("is open to both forms until a server was asked, and never when the module is left alone", async () => {
    const form = formOf("auto");
    expect(form.isOpen).toBe(true);
    await form.probe(lacks);
    expect(form.isOpen).toBe(false);
    expect(formOf("off").isOpen).toBe(false);
  });
});

describe("a native call on a server without the module", () => {
  it("goes once more as a script, and tells that the module is gone", () => {
    const told: string[] = [];
    const dispatcher = createDispatcher({ onNoNative: () => void told.push("gone") });
    const session = new FakeSession();
    dispatcher.onUp(session);
    const script = { sha: "abc", text: "return 1" };
    dispatcher.start(
      { head: nativeHead("CLAIM"), scriptHead: scriptHead("abc", false), keys: ["k"], args: [], script },
      { onDone: (reply) => void told.push(String(reply)), onFailed: (error) => void told.push(error.code) },
    );
    session.refuse("ERR unknown command 'EMQ.CLAIM'");
    expect(session.texts.at(-1)).toBe("EVALSHA k");
    session.answer(7);
    expect(told).toEqual(["gone", "7"]);
    expect(dispatcher.pendingCount).toBe(0);
  });
});
