/** Durations as the tool shows them. */

import { expect, it } from "vitest";
import { durationOption, durationText, spanText } from "../../../src/cli/duration-option.ts";

it.each([
  [0, "0ms"],
  [250, "250ms"],
  [1500, "1500ms"],
  [30_000, "30s"],
  [5_400_000, "90m"],
  [86_400_000, "1d"],
  [604_800_000, "1w"],
])("%d ms is typed as %s, which is read as the same", (ms, text) => {
  expect(durationText(ms)).toBe(text);
  expect(durationOption("--age")(text)).toBe(ms);
});

it.each([
  [0, "0s"],
  [999, "0s"],
  [59_999, "59s"],
  [60_000, "1m 0s"],
  [303_000, "5m 3s"],
  [11_100_000, "3h 5m"],
  [694_800_000, "8d 1h"],
])("%d ms have lasted %s", (ms, text) => {
  expect(spanText(ms)).toBe(text);
});
