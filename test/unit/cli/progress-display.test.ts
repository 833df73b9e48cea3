/** The display of progress: a line drawn over again on a terminal, plain lines elsewhere. */

import { describe, expect, it } from "vitest";
import { shownProgress } from "../../../src/cli/demo/run-progress.ts";
import { ProgressDisplay } from "../../../src/cli/progress-display.ts";
import { fakeHost } from "./fake-host.ts";

const CLEAR_LINE = "\r\u001b[2K";

function setup(columns?: number) {
  const host = fakeHost(columns === undefined ? {} : { columns });
  const ticks: (() => void)[] = [];
  let stopped = 0;
  const every = (_ms: number, action: () => void) => {
    ticks.push(action);
    return () => stopped++;
  };
  const state = { files: 200, isCounted: false, done: 50, perSecond: 123.4, retries: 2, dead: 1 };
  const display = new ProgressDisplay({ ...host, every }, () => shownProgress(state));
  const tick = () => ticks.forEach((action) => action());
  return { host, display, tick, state, stopCount: () => stopped };
}

describe("without a terminal", () => {
  it("writes plain lines, and none twice", () => {
    const { host, tick, state } = setup();
    tick();
    tick();
    state.done = 200;
    state.isCounted = true;
    tick();
    expect(host.stdout()).toBe(
      "50 of 200 or more files, 123/s, retries 2, dead 1\n200 of 200 files, 123/s, retries 2, dead 1\n",
    );
  });

  it("writes a note as a line of its own", () => {
    const { host, display } = setup();
    display.note("retry  /a");
    expect(host.stdout()).toBe("retry  /a\n");
  });

  it("ends with the last state", () => {
    const { host, display, stopCount } = setup();
    display.end();
    expect(host.stdout()).toMatch(/^50 of 200 or more files.*\n$/);
    expect(stopCount()).toBe(1);
  });
});

describe("on a terminal", () => {
  it("draws one line over again that never wraps", () => {
    const { host, tick } = setup(40);
    tick();
    tick();
    const drawings = host.stdout().split(CLEAR_LINE).slice(1);
    expect(drawings).toHaveLength(2);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences.
    const plain = drawings[0]!.replace(/\u001b\[[0-9;]*m/g, "");
    expect(plain).toContain("█".repeat(6) + "░".repeat(18));
    expect(plain.length).toBeLessThanOrEqual(40);
    expect(host.stdout()).not.toContain("\n");
  });

  it("lets a note scroll away above the bar", () => {
    const { host, display } = setup(80);
    display.note("retry  /a");
    const [note, bar] = host.stdout().split("\n");
    expect(note).toBe(`${CLEAR_LINE}retry  /a`);
    expect(bar?.startsWith(CLEAR_LINE)).toBe(true);
    expect(bar).toContain("█");
  });

  it("leaves no bar behind", () => {
    const { host, display, tick } = setup(80);
    tick();
    display.end();
    expect(host.stdout().endsWith(CLEAR_LINE)).toBe(true);
  });
});
