/** `echomq serve` where it does not come to serve. */

import { expect, it } from "vitest";
import { run } from "./run.ts";

it.each([
  [["--host", "0.0.0.0", "--port", "0"], 1, "[cannot_listen]"],
  [["--password-file", "/nowhere/at/all"], 1, "cannot be read"],
  [["--password-file", "/dev/null"], 2, "the password, is empty"],
  [["--fsync", "always"], 2, "give --file as well"],
  [["--fsync", "sometimes"], 2, "Allowed choices are always, everysec, no"],
  [["--file", "/dev/null/store"], 2, "[invalid_folder]"],
  [["--file", "/proc/store"], 2, "[invalid_folder]"],
  [["--socket", `/tmp/${"long".repeat(30)}`], 1, "has at most 107 bytes"],
  [["--socket", "/nowhere/at/all"], 1, "there is no such folder"],
  [["--file", "/tmp/never-made", "--wire-version", "echomq:3.0.0"], 2, "written by this wire alone"],
  [["--file", ""], 2, "It is empty: give the path of a folder, such as ./data."],
  [["--file", "file:./data"], 2, "A path is asked for, and no URL"],
  [["--file", "~/data"], 2, "write the whole path"],
  [["--host", ""], 2, "It is empty: give an address, or leave the option out."],
  [["--socket", " "], 2, "It is empty: give the path of a socket"],
  [["--password-file", ""], 2, "It is empty: give the path of a file"],
  [["--port", ""], 2, "from 0 to 65535"],
  [["--port", "70000"], 2, "from 0 to 65535"],
  [["--socket", "/tmp/never-made", "--port", "1"], 2, "a port or at a path"],
  [["--password", "secret"], 2, "unknown option"],
])("says why it does not serve: %o", async (args, code, words) => {
  const outcome = await run(["serve", ...args]);
  expect(outcome.err).toContain(words);
  expect(outcome.code).toBe(code);
});

it.each([
  [["file", "check", ""], 2, "It is empty: give the path of a folder"],
  [["file", "repair", "file:./data"], 2, "leave the file: out"],
  [["export", "--out", ""], 2, "It is empty: give the path of a file"],
])("says what is to be given instead of nothing: %o", async (args, code, words) => {
  const outcome = await run(args);
  expect([outcome.code, outcome.err]).toEqual([code, expect.stringContaining(words)]);
});
