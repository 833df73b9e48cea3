/** `echomq fence` towards a person; what it does on real servers is tested on real servers. */

import { describe, expect, it } from "vitest";
import { WIRE_VERSION } from "../../../src/protocol/wire-version.ts";
import { setupStore } from "./store.ts";

const OTHER = "echomq:3.0.0";

async function markOf({ engine }: ReturnType<typeof setupStore>): Promise<unknown> {
  return await engine.command(["GET", "{emq}:version"]);
}

describe("showing", () => {
  it("tells the mark and what is spoken", async () => {
    const { run, runJson } = setupStore();
    const { code, out } = await run(["fence"]);
    expect(code).toBe(0);
    expect(out).toBe(`{emq}:version   ${WIRE_VERSION}\nthis package    ${WIRE_VERSION}\nthey fit\n`);
    expect((await runJson(["fence"])).json).toEqual({ found: WIRE_VERSION, speaks: WIRE_VERSION, isPassable: true });
  });

  it("tells that there is none, and sets none", async () => {
    const store = setupStore();
    await store.engine.command(["DEL", "{emq}:version"]);
    const { code, out } = await store.run(["fence"]);
    expect(code).toBe(0);
    expect(out).toContain("not set; the first producer or worker sets it");
    expect(await markOf(store)).toBeNull();
  });

  it("ends with 1 and says what can be done when the mark is another", async () => {
    const store = setupStore();
    await store.engine.command(["SET", "{emq}:version", OTHER]);
    const { code, out } = await store.run(["fence"]);
    expect(code).toBe(1);
    expect(out).toContain("they do not fit");
    expect(out).toContain(`echomq fence --set ${WIRE_VERSION}`);
  });
});

describe("setting", () => {
  it("asks first, and tells what the answer means", async () => {
    const store = setupStore();
    const { code, out, err } = await store.run(["fence", "--set", OTHER], { answer: "y" });
    expect(code).toBe(0);
    expect(err).toContain(`This server has ${WIRE_VERSION}.`);
    expect(err).toContain("[y/N]");
    expect(out).toBe(`{emq}:version is ${OTHER} now; before it was ${WIRE_VERSION}\n`);
    expect(await markOf(store)).toBe(OTHER);
  });

  it.each(["", "n", "yeah", "Set"])("changes nothing after the answer %j", async (answer) => {
    const store = setupStore();
    const { code, out } = await store.run(["fence", "--set", OTHER], { answer });
    expect([code, out]).toEqual([1, "nothing was changed\n"]);
    expect(await markOf(store)).toBe(WIRE_VERSION);
  });

  it("needs --yes where nobody can be asked, and with --json", async () => {
    const store = setupStore();
    const piped = await store.run(["fence", "--set", OTHER]);
    expect(piped.code).toBe(2);
    expect(piped.err).toContain("--yes");
    expect((await store.runJson(["fence", "--set", OTHER], { answer: "y" })).code).toBe(2);
    expect(await markOf(store)).toBe(WIRE_VERSION);
    const sure = await store.runJson(["fence", "--set", OTHER, "--yes"]);
    expect(sure).toEqual({ code: 0, json: { outcome: "set", previous: WIRE_VERSION, found: OTHER }, err: "" });
  });

  it("asks nothing when the mark is that already", async () => {
    const { run } = setupStore();
    const { code, out, err } = await run(["fence", "--set", WIRE_VERSION], { answer: "n" });
    expect({ code, out, err }).toEqual({ code: 0, out: `{emq}:version is ${WIRE_VERSION} already\n`, err: "" });
  });

  it.each(["4.0.0", "echomq:4", "echomq:4.0.0 ", "emq:4.0.0"])("refuses %j, which no program speaks", async (mark) => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(["fence", "--set", mark, "--yes"]);
    expect(code).toBe(2);
    expect(json).toMatchObject({ error: { code: "usage" } });
  });
});
