/** Walks by page over collections that change under them: nothing that stays is missed, and every walk ends. */

import { describe, expect, it } from "vitest";
import { fieldPages, keyPages, listPages, memberPages, PAGE, setPages } from "../../../src/doctor/pages.ts";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

function setup() {
  const engine = new EmbeddedEngine({ ports: createTestPorts() });
  const run = (...parts: string[]) => engine.command(parts);
  const name = (at: number) => `m${String(at).padStart(6, "0")}`;
  /** Adds members `from` to `to`, which stand in that order. */
  const put = async (from: number, to: number) => {
    for (let at = from; at < to; at += PAGE) {
      const members = Array.from({ length: Math.min(PAGE, to - at) }, (_, index) => ["0", name(at + index)]);
      await run("ZADD", "set", ...members.flat());
    }
  };
  const take = async (from: number, to: number) => {
    await run("ZREM", "set", ...Array.from({ length: to - from }, (_, index) => name(from + index)));
  };
  return { engine, run, name, put, take };
}

/** Every item of every page; between two pages `meddle` is called with the number of the page. */
async function collect(pages: AsyncIterable<string[]>, meddle: (page: number) => Promise<unknown> = async () => {}) {
  const seen: string[] = [];
  let count = 0;
  for await (const page of pages) {
    expect(page.length).toBeLessThanOrEqual(PAGE);
    seen.push(...page);
    await meddle(count++);
  }
  return seen;
}

describe("members of a sorted set", () => {
  it("come once each while nothing moves", async () => {
    const { engine, put, name } = setup();
    await put(0, 2500);
    expect(await collect(memberPages(engine, "set"))).toEqual(Array.from({ length: 2500 }, (_, at) => name(at)));
    expect(await collect(memberPages(engine, "none"))).toEqual([]);
  });

  it("that stay are all seen while those before them are taken away", async () => {
    const { engine, put, take, name } = setup();
    await put(0, 5000);
    const seen = await collect(memberPages(engine, "set"), async (page) => await take(page * 700, page * 700 + 700));
    const staying = Array.from({ length: 1500 }, (_, at) => name(3500 + at));
    expect(staying.filter((member) => !seen.includes(member))).toEqual([]);
  });

  it("that stay are all seen while a whole page at a time is taken away", async () => {
    const { engine, put, take, name } = setup();
    await put(0, 5000);
    const seen = await collect(memberPages(engine, "set"), async (page) => {
      if (page < 3) await take(page * PAGE, page * PAGE + PAGE);
    });
    const staying = Array.from({ length: 2000 }, (_, at) => name(3000 + at));
    expect(staying.filter((member) => !seen.includes(member))).toEqual([]);
  });

  it("end although new ones come as fast as they are read", async () => {
    const { engine, put } = setup();
    await put(0, 2000);
    let pages = 0;
    await collect(memberPages(engine, "set"), async (page) => {
      pages += 1;
      await put(2000 + page * PAGE, 3000 + page * PAGE);
    });
    expect(pages).toBeLessThanOrEqual(14);
  });
});

describe("other collections", () => {
  it("come whole, by page", async () => {
    const { engine, run, name } = setup();
    const names = Array.from({ length: 2500 }, (_, at) => name(at));
    await run("RPUSH", "list", ...names);
    await run("SADD", "members", ...names);
    await run("HSET", "fields", ...names.flatMap((field) => [field, "1"]));
    expect(await collect(listPages(engine, "list"))).toEqual(names);
    expect((await collect(setPages(engine, "members"))).sort()).toEqual(names);
    expect((await collect(fieldPages(engine, "fields"))).sort()).toEqual(names);
  });

  it("of keys hold those of the prefix alone, whatever the prefix says as a pattern", async () => {
    const { engine, run } = setup();
    for (const key of ["emq:{a*}:x", "emq:{ab}:x", "emq:{a*}:g:b:pending"]) await run("SET", key, "1");
    expect((await collect(keyPages(engine, "emq:{a*}:"))).sort()).toEqual(["emq:{a*}:g:b:pending", "emq:{a*}:x"]);
    expect(await collect(keyPages(engine, "emq:{a*}:", "g:*:pending"))).toEqual(["emq:{a*}:g:b:pending"]);
  });
});
