/**
 * Codes that a contract promises: each must be one that can come.
 */

import { expect, it } from "vitest";
import { ERROR_CODES } from "../../src/protocol/error-codes.generated.ts";
import { lineAt, readText, trackedFiles } from "./repository.ts";

/** Where contracts of the library stand. The command has codes of its own. */
const sources = trackedFiles().filter((path) => /^src\/(?!cli\/).+\.ts$/.test(path) && !path.endsWith(".generated.ts"));

/** A `@throws` of an `EchoMQError`, up to the next tag or the end of its comment. */
const THROWS = /@throws \{?EchoMQError[\s\S]*?(?=\n\s*\* @|\*\/)/g;

it("names no code after @throws that spec/errors.json does not have", () => {
  const unknown = sources.flatMap((path) => {
    const text = readText(path);
    return [...text.matchAll(THROWS)].flatMap((contract) =>
      [...contract[0].matchAll(/`([a-z]+_[a-z_]+)`/g)]
        .filter(([, code]) => !Object.hasOwn(ERROR_CODES, code ?? ""))
        .map(([, code]) => `${path}:${lineAt(text, contract.index)}: ${code}`),
    );
  });
  expect(unknown).toEqual([]);
});
