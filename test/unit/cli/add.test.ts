/** `echomq add`, one job and many. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { setupStore } from "./store.ts";

function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "echomq-add-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "jobs.ndjson");
  writeFileSync(path, text);
  return path;
}

/** `count` lines that each hold their number. */
function numbers(count: number): string {
  return Array.from({ length: count }, (_, at) => `{"n":${at + 1}}\n`).join("");
}

describe("one job", () => {
  it("is added with its data and options", async () => {
    const { run, queue } = setupStore();
    const line = ["add", "mail", "welcome", '{"to":"ada"}', "--priority", "3", "--lane", "eu", "--attempts", "5"];
    const { code, out, err } = await run(line);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const id = /^added {2}(JOB\w{11})\n$/.exec(out)?.[1];
    const job = await queue.getJob(id!);
    expect(job).toMatchObject({ name: "welcome", data: { to: "ada" }, priority: 3, lane: "eu" });
    expect(job?.options).toMatchObject({ attempts: 5 });
  });

  it("is told as JSON", async () => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(["add", "mail", "welcome", "--delay", "5m", "--id", "JOB0Nb1VTbfnu4"]);
    expect(code).toBe(0);
    expect(json).toEqual({ queue: "mail", id: "JOB0Nb1VTbfnu4", name: "welcome", outcome: "added" });
  });

  it("is told as a duplicate when its id lives, which is no failure", async () => {
    const { run, runJson } = setupStore();
    const line = ["add", "mail", "welcome", "--delay", "5m", "--id", "JOB0Nb1VTbfnu4"];
    await run(line);
    const again = await run(line);
    expect(again).toEqual({
      code: 0,
      out: "duplicate  JOB0Nb1VTbfnu4 is scheduled already, and nothing was changed\n",
      err: "",
    });
    const { json } = await runJson(line);
    expect(json).toMatchObject({ outcome: "duplicate", state: "scheduled" });
  });

  it("is held back by its deduplication id, and known by its jobId to every command", async () => {
    const { run, runJson } = setupStore();
    const line = ["add", "mail", "welcome", "{}", "--job-id", "a b{1}", "--dedup-id", "order-7", "--delay", "5m"];
    const json = (await runJson(line)).json as { readonly id: string };
    expect(await run(line)).toMatchObject({
      out: `duplicate  ${json.id} is scheduled already, and nothing was changed\n`,
    });
    const held = await run(["add", "mail", "welcome", "{}", "--dedup-id", "order-7"]);
    expect(held.out).toBe(
      `deduplicated  ${json.id}, which is scheduled, holds the deduplication id, and nothing was changed\n`,
    );
    expect((await run(["job", "mail", "a b{1}"])).out).toMatch(/ {2}jobId +a b\{1\}\n {2}dedup +order-7\n/);
    expect((await run(["explain", "mail", "a b{1}"])).out).toContain(`${json.id} (a b{1})  scheduled\n`);
    expect((await run(["logs", "mail", "a b{1}"])).code).toBe(0);
    expect((await run(["promote", "mail", "a b{1}"])).out).toContain("a b{1}");
    expect((await run(["cancel", "mail", "a b{1}"])).out).toContain("removed  a b{1}");
    for (const command of ["job", "explain", "remove", "cancel"]) {
      expect(await run([command, "mail", "a b{1}"])).toMatchObject({ code: 1 });
    }
    const windowed = ["add", "mail", "welcome", "{}", "--dedup-id", "order-8", "--dedup-ttl", "1h"];
    expect((await run(windowed)).out).toContain("added");
    expect((await run(windowed)).out).toContain("deduplicated");
  });

  it("has {} as its data without any, and what is piped in with -", async () => {
    const { run, queue } = setupStore();
    await run(["add", "mail", "first"]);
    await run(["add", "mail", "second", "-"], { input: ['{"to":', '"ada"}\n'] });
    // Two processes that mint in one millisecond have no order between them.
    const jobs = await queue.getJobs("pending");
    const data = Object.fromEntries(jobs.map((job) => [job.name, job.data]));
    expect(data).toEqual({ first: {}, second: { to: "ada" } });
  });

  it.each([
    [["{bad"], [], "bad_json"],
    [["-"], ["{bad"], "bad_json"],
    [["-"], [], "bad_json"],
    [["-"], [new Uint8Array([0x22, 0xff, 0x22])], "bad_json"],
    [["{}", "--file", "x"], [], "usage"],
    [["--file", "x", "--id", "JOB0Nb1VTbfnu4"], [], "usage"],
    [["--file", "x", "--job-id", "X"], [], "usage"],
    [["--file", "x", "--dedup-id", "X"], [], "usage"],
    [["{}", "--dedup-ttl", "5s"], [], "usage"],
    [["{}", "--dedup-id", "X", "--dedup-ttl", "soon"], [], "invalid_option"],
    [["{}", "--dedup-id", ""], [], "invalid_deduplication"],
    [["{}", "--job-id", "JOB0Nb1VTbfnu4"], [], "invalid_job_id"],
    [["--from-line", "3"], [], "usage"],
    [["--priority", "-1"], [], "usage"],
    [["--attempts", "0"], [], "usage"],
  ])("%j is refused and adds nothing", async (rest, input, code) => {
    const { runJson, queue } = setupStore();
    const ran = await runJson(["add", "mail", "welcome", ...rest], { input });
    expect(ran.code).toBe(2);
    expect(ran.json).toEqual({ error: { code, message: expect.any(String) } });
    expect(await queue.count()).toBe(0);
  });
});

describe("a file", () => {
  it("adds a job for each line, in order, with the same options", async () => {
    const { run, queue } = setupStore();
    const { code, out } = await run(["add", "mail", "n", "--file", fileOf(numbers(2500)), "--priority", "2"]);
    expect(code).toBe(0);
    // A machine under load takes long enough to be told of the work in between.
    expect(out).toMatch(/^(?:\d+ of 2500 jobs\n)*2500 of 2500 jobs\nadded {2}2500 jobs to mail\n$/);
    const first = await queue.getJobs("pending", 0, 2, true);
    expect(first.map(({ data, priority }) => [data, priority])).toEqual([
      [{ n: 1 }, 2],
      [{ n: 2 }, 2],
      [{ n: 3 }, 2],
    ]);
    expect(await queue.count()).toBe(2500);
  });

  it("passes over blank lines and needs no line feed at its end", async () => {
    const { runJson } = setupStore();
    const { json } = await runJson(["add", "mail", "n", "--file", fileOf("1\n\n  \r\n2\r\n3")]);
    expect(json).toEqual({ queue: "mail", name: "n", added: 3, isInterrupted: false });
  });

  it("is begun at a line", async () => {
    const { run, queue } = setupStore();
    await run(["add", "mail", "n", "--file", fileOf(numbers(5)), "--from-line", "4"]);
    const jobs = await queue.getJobs("pending", 0, 9, true);
    expect(jobs.map(({ data }) => data)).toEqual([{ n: 4 }, { n: 5 }]);
  });

  it("with one bad line adds nothing and names the line", async () => {
    const { runJson, queue } = setupStore();
    const { code, json } = await runJson(["add", "mail", "n", "--file", fileOf(`${numbers(1500)}{bad\n`)]);
    expect(code).toBe(2);
    expect(json).toEqual({ error: { code: "bad_line", message: expect.stringMatching(/^line 1501 is no JSON/) } });
    expect(await queue.count()).toBe(0);
  });

  it("that is piped in adds the lines before a bad one", async () => {
    const { runJson, queue } = setupStore();
    const { code, json } = await runJson(["add", "mail", "n", "--file", "-"], { input: [numbers(3), "{bad\n"] });
    expect(code).toBe(2);
    expect(json).toMatchObject({ error: { code: "bad_line", message: expect.stringMatching(/^line 4/) } });
    expect(await queue.count()).toBe(3);
  });

  it("that is not there is an error of its own", async () => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(["add", "mail", "n", "--file", "/nowhere/at/all"]);
    expect(code).toBe(1);
    expect(json).toMatchObject({ error: { code: "bad_file", message: expect.stringContaining("/nowhere/at/all") } });
  });

  it("shows a bar on a terminal", async () => {
    const { run } = setupStore();
    const { out } = await run(["add", "mail", "n", "--file", fileOf(numbers(3))], { columns: 80 });
    expect(out.startsWith("\r\u001b[2K")).toBe(true);
    expect(out).toMatch(/added.*3 jobs to mail\n$/);
  });
});
