/** The code and the words of a server's refusal. */

import { describe, expect, it } from "vitest";
import { refusalError } from "../../../src/engine/refusal.ts";

describe("a refusal of a server", () => {
  it.each([
    [
      "NOAUTH Authentication required.",
      "auth",
      "NOAUTH Authentication required. Give the connection a user and password.",
    ],
    [
      "WRONGPASS invalid username-password pair or user is disabled.",
      "auth",
      "WRONGPASS invalid username-password pair or user is disabled. Check user and password of the connection.",
    ],
    [
      "OOM command not allowed when used memory > 'maxmemory'. script: f00, on @user_script:1",
      "out_of_memory",
      "OOM command not allowed when used memory > 'maxmemory'. script: f00, on @user_script:1. " +
        "Raise maxmemory or let workers drain the queue.",
    ],
  ])("that says only what is wrong is followed by what to do: %s", (text, code, message) => {
    expect(refusalError(text)).toMatchObject({ code, message });
  });

  it.each([
    ["EMQSTALE token mismatch", "stale"],
    ["LOADING the data set is loading", "server_busy"],
    ["MISCONF Errors writing to the AOF file: No space left on device", "server_busy"],
    ["NOPERM this user has no permissions to run the 'eval' command", "permission"],
    ["ERR ACL failure in script: this user has no permissions", "permission"],
    ["ERR something else", "refused"],
    ["NOAUTHOR is no word that is known", "refused"],
  ])("of any other class keeps its text alone: %s", (text, code) => {
    expect(refusalError(text)).toMatchObject({ code, message: text });
  });
});
