import { expect, it } from "vitest";
import { streamReadOf } from "../../../src/valkey/stream-read.ts";

it.each([
  ["COUNT 1 STREAMS s 0", false, 3],
  ["count 1 block 0 streams s 0", true, 5],
  ["GROUP g c BLOCK 10 STREAMS s >", true, 6],
  ["group g c NOACK STREAMS s >", false, 5],
  ["BLOCK 10", true, undefined],
  ["", false, undefined],
])("%s", (text, blocks, keysAt) => {
  expect(streamReadOf(text.split(" "))).toEqual({ blocks, keysAt });
});

it.each([
  ["GROUP block c STREAMS s >", false, 4],
  ["GROUP g BLOCK STREAMS s >", false, 4],
  ["GROUP streams STREAMS BLOCK 10 STREAMS s >", true, 6],
])("takes the names of a group and a consumer for no options: %s", (text, blocks, keysAt) => {
  expect(streamReadOf(text.split(" "))).toEqual({ blocks, keysAt });
});
