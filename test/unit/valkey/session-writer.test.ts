import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/valkey/call.ts";
import type { LibraryClient } from "../../../src/valkey/client.ts";
import { SessionWriter } from "../../../src/valkey/session-writer.ts";

/** A client whose socket tells when it is corked and released; a call is as large as its `bytes`. */
function setup() {
  const steps: string[] = [];
  const atEnd: (() => void)[] = [];
  const stream = {
    writable: true,
    writableEnded: false,
    writableLength: 0,
    cork: () => steps.push("cork"),
    uncork: () => {
      steps.push("uncork");
      stream.writableLength = 0;
    },
    on: () => stream,
  };
  const client = {
    status: "ready",
    stream,
    sendCommand(call: { bytes: number; isWritten: boolean }) {
      steps.push(`write ${call.bytes}`);
      stream.writableLength += call.bytes;
      call.isWritten = true;
    },
  };
  const writer = new SessionWriter(client as unknown as LibraryClient, (action) => atEnd.push(action));
  const write = (bytes: number) =>
    writer.write({ bytes, isWritten: false, isSettled: false, abandon() {} } as unknown as Call);
  const endStep = () => {
    for (const action of atEnd.splice(0)) action();
  };
  return { steps, stream, write, endStep };
}

describe("the writer of a session", () => {
  it("sends small calls of one step together when the step ends", () => {
    const { steps, write, endStep } = setup();
    write(100);
    write(100);
    expect(steps).toEqual(["cork", "write 100", "write 100"]);
    endStep();
    expect(steps.at(-1)).toBe("uncork");
  });

  it("sends a large act at once, so that the server works while the host builds the next", () => {
    const { steps, write, endStep } = setup();
    write(5000);
    write(5000);
    endStep();
    expect(steps).toEqual(["cork", "write 5000", "uncork", "cork", "write 5000", "uncork"]);
  });

  it("sends small calls as soon as together they are worth a system call", () => {
    const { steps, write } = setup();
    for (let calls = 0; calls < 6; calls++) write(100);
    expect(steps.at(-1)).toBe("uncork");
  });

  it("writes nothing to a socket that has ended", () => {
    const { steps, stream, write } = setup();
    stream.writableEnded = true;
    expect(write(100)).toBe(false);
    expect(steps).toEqual([]);
  });
});
