/**
 * Loads the handler of `echomq work`: the default export of a module.
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CliError } from "../cli-error.ts";
import { printable } from "../printable.ts";

/** What a worker runs; the worker gives it a job and a context. */
export type ModuleHandler = (...args: unknown[]) => unknown;

/**
 * The handler of the module at `path`, seen from the working directory.
 *
 * @throws CliError `bad_module` when there is no such file, it cannot be loaded, or it exports no function.
 */
export async function loadHandler(path: string): Promise<ModuleHandler> {
  const file = resolve(path);
  if (!existsSync(file)) throw badModule(path, "does not exist; give the path of a file");
  let exported: unknown;
  try {
    exported = ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  } catch (cause) {
    // The stack names the line of the module, which is what its writer needs.
    const why = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    throw badModule(path, `cannot be loaded: ${why}`, cause);
  }
  // A module that was compiled to CommonJS has its default export one level deeper.
  if (typeof exported === "object" && exported !== null && "default" in exported) exported = exported.default;
  if (typeof exported === "function") return exported as ModuleHandler;
  throw badModule(path, "has no function as its default export: export default async (job, context) => { … }");
}

function badModule(path: string, what: string, cause?: unknown): CliError {
  return new CliError("failed", `the module ${printable(path)} ${what}`, { code: "bad_module", cause });
}
