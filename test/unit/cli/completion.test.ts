/** Completion scripts: the one for bash by sourcing it, the others by what they must hold. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { completeInBash } from "./completion/complete-in-bash.ts";
import { run, runJson } from "./run.ts";

const COMMANDS =
  "add work queues counts jobs list dead job logs lanes repeat result retry promote delay priority cancel remove pause resume limit weight order drain clean obliterate doctor ping fence".split(
    " ",
  );

async function setupBash() {
  const folder = mkdtempSync(join(tmpdir(), "echomq-completion-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "completion.bash");
  writeFileSync(path, (await run(["completion", "bash"])).out);
  return { folder, complete: (...words: string[]) => completeInBash(path, words, folder) };
}

describe("completion bash", () => {
  it("offers every command", async () => {
    const { complete } = await setupBash();
    expect(complete("")).toEqual(expect.arrayContaining(COMMANDS));
    expect(complete("re")).toEqual(["result", "repeat", "retry", "remove", "resume"]);
  });

  it("offers the options of the command that is typed", async () => {
    const { complete } = await setupBash();
    expect(complete("retry", "mail", "--")).toEqual(["--url", "--wire-version", "--json", "--all", "--help"]);
    expect(complete("--v")).toEqual(["--version"]);
  });

  it("offers the words of the wire where a state belongs, past options and their values", async () => {
    const { complete } = await setupBash();
    const states = ["pending", "active", "scheduled", "awaiting_children", "dead", "completed"];
    expect(complete("jobs", "mail", "")).toEqual(states);
    expect(complete("list", "mail", "c")).toEqual(["completed"]);
    expect(complete("clean", "mail", "--older-than", "7d", "--state", "")).toEqual(
      states.filter((state) => state !== "active"),
    );
    expect(complete("dead", "mail", "--from", "")).toEqual(["first", "last"]);
    expect(complete("jobs", "--limit", "5", "--full", "mail", "d")).toEqual(["dead"]);
    expect(complete("jobs", "")).toEqual([]);
    expect(complete("jobs", "mail", "dead", "")).toEqual([]);
  });

  it("knows commands below commands", async () => {
    const { complete } = await setupBash();
    expect(complete("id", "m")).toEqual(["mint"]);
    expect(complete("id", "mint", "--c")).toEqual(["--count"]);
  });

  it("offers files where a path belongs, also with blanks in their names", async () => {
    const { complete, folder } = await setupBash();
    writeFileSync(join(folder, "my handler.mjs"), "");
    expect(complete("work", "mail", "my")).toEqual(["my handler.mjs"]);
    expect(complete("add", "mail", "welcome", "--file", "comp")).toEqual(["completion.bash"]);
    expect(complete("add", "mail", "welcome", "--lane", "comp")).toEqual([]);
  });

  it("offers the shells", async () => {
    const { complete } = await setupBash();
    expect(complete("completion", "")).toEqual(["bash", "zsh", "fish"]);
  });
});

describe("completion for other shells", () => {
  it.each(["zsh", "fish"])("%s names every command, its options and the states", async (shell) => {
    const { code, out } = await run(["completion", shell]);
    expect(code).toBe(0);
    for (const word of [...COMMANDS, "from-line", "scheduled", "mint"]) expect(out).toContain(word);
  });

  it("is one JSON document with --json", async () => {
    const { json } = await runJson(["completion", "fish"]);
    expect(json).toEqual({ shell: "fish", script: (await run(["completion", "fish"])).out });
  });

  it("is refused for a shell that nobody wrote a script for", async () => {
    const { code, err } = await run(["completion", "tcsh"]);
    expect(code).toBe(2);
    expect(err).toContain("bash, zsh, fish");
  });
});
