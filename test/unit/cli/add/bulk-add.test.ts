/** A bulk through an outage. */

import { describe, expect, it } from "vitest";
import { bulkAdd } from "../../../../src/cli/add/bulk-add.ts";
import type { JsonLine } from "../../../../src/cli/add/json-lines.ts";
import type { ErrorCode } from "../../../../src/protocol/error-codes.generated.ts";
import { EchoMQError } from "../../../../src/protocol/errors.ts";
import type { QueueCore } from "../../../../src/queue/queue.ts";
import { fakeHost } from "../fake-host.ts";

interface Item {
  readonly data: unknown;
  readonly opts: { readonly id?: string };
}

/**
 * A queue whose first `losses` answers are lost after the jobs were stored, with an error of `code`; of each such bulk
 * the first `answered` jobs were answered, and are over before anything is repeated.
 */
function setup(options: { losses?: number; code?: ErrorCode; count?: number; answered?: number } = {}) {
  const { code = "disconnected", count = 2500, answered = 0 } = options;
  const stored = new Map<string, unknown>();
  const state = { losses: options.losses ?? 0, added: 0, mints: 0, calls: 0, runs: [] as unknown[] };
  const queue = {
    addBulk(items: readonly Item[]) {
      state.calls++;
      const ids = items.map(({ opts }) => opts.id ?? `id ${state.mints++}`);
      ids.forEach((id, at) => stored.set(id, items[at]?.data));
      if (state.losses-- > 0) {
        for (const id of ids.slice(0, answered)) {
          state.runs.push(stored.get(id));
          stored.delete(id);
        }
        const failed = [...ids.keys()].slice(answered);
        throw new EchoMQError(code, "lost", { details: { ids, failed } });
      }
      return Promise.resolve([]);
    },
  } as unknown as QueueCore;
  async function* lines(): AsyncGenerator<JsonLine> {
    for (let line = 1; line <= count; line++) yield { line, value: line, bytes: 4 };
  }
  const host = { ...fakeHost(), wait: () => Promise.resolve() };
  const stopping = new AbortController();
  const onAdded = (jobs: number) => {
    state.added += jobs;
  };
  const run = () => bulkAdd(lines(), { queue, name: "n", options: {}, host, signal: stopping.signal, onAdded });
  return { run, stored, state, stopping };
}

describe("bulkAdd", () => {
  it("adds a slice whose answer was lost again under the same ids", async () => {
    const { run, stored, state } = setup({ losses: 3 });
    await run();
    expect([...stored.values()]).toEqual(Array.from({ length: 2500 }, (_, at) => at + 1));
    expect(state.added).toBe(2500);
  });

  it("adds none again that was answered, for it may be over by now", async () => {
    const { run, stored, state } = setup({ losses: 2, answered: 300 });
    await run();
    expect(state.runs).toEqual(Array.from({ length: 600 }, (_, at) => at + 1));
    expect([...stored.values()]).toEqual(Array.from({ length: 1900 }, (_, at) => at + 601));
    expect(state.added).toBe(2500);
  });

  it("names the first line that is open when it gives up", async () => {
    const { run } = setup({ losses: 1000, answered: 100 });
    const message = expect.stringMatching(/^lines 601 to 1000 .*--from-line 601 /);
    await expect(run()).rejects.toMatchObject({ code: "disconnected", message });
  });

  it("gives up after a while and names the line to go on from", async () => {
    const { run, state } = setup({ losses: 1000 });
    const failure = { code: "disconnected", message: expect.stringContaining("--from-line 1 ") };
    await expect(run()).rejects.toMatchObject(failure);
    expect(state).toMatchObject({ added: 0, calls: 6 });
  });

  it("does not repeat what would fail again", async () => {
    const { run, state } = setup({ losses: 1, code: "permission" });
    await expect(run()).rejects.toMatchObject({ code: "permission" });
    expect(state.calls).toBe(1);
  });

  it("ends before the next slice when it is interrupted", async () => {
    const { run, state, stopping } = setup();
    stopping.abort();
    await run();
    expect(state.calls).toBe(0);
  });
});
