/**
 * Loads the handler of `echomq work`: the default export of a module, a function or an object of functions by name of
 * job, as a `Worker` takes them.
 *
 * It is judged here and not when the worker is made, so that a bad module ends the command before it listens anywhere.
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isEchoMQError } from "../../protocol/errors.ts";
import { HandlerTable } from "../../worker/handler-table.ts";
import { CliError } from "../cli-error.ts";
import { printable } from "../printable.ts";

/** What a worker runs; the worker gives it a job and a context. */
export type ModuleHandler = (...args: unknown[]) => unknown;

/** One for all jobs, or one for each name. */
export type ModuleHandlers = ModuleHandler | Readonly<Record<string, ModuleHandler>>;

/**
 * The handler of the module at `path`, seen from the working directory.
 *
 * @throws CliError `bad_module` when there is no such file, it cannot be loaded, or its default export is neither a
 *   function nor an object of functions.
 */
export async function loadHandler(path: string): Promise<ModuleHandlers> {
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
  // A module that was compiled to CommonJS has its default export one level deeper. Without the compiler's mark,
  // `default` is the name of a job.
  if (isCompiled(exported)) exported = exported.default;
  if (typeof exported !== "function" && (typeof exported !== "object" || exported === null)) {
    throw badModule(path, `has no function as its default export: ${FORMS}`);
  }
  tableOf(exported, path);
  return exported as ModuleHandlers;
}

/** The table that a worker will make of it; throws CliError `bad_module` where it would throw. */
function tableOf(exported: unknown, path: string): HandlerTable {
  try {
    return new HandlerTable(exported);
  } catch (error) {
    if (!isEchoMQError(error, "invalid_handler")) throw error;
    throw badModule(path, `does not fit: ${error.message}; ${FORMS}`, error);
  }
}

const FORMS = "export default async (job, context) => { … }, or export default { name: async (job, context) => { … } }";

function isCompiled(exported: unknown): exported is { readonly default: unknown } {
  if (typeof exported !== "object" || exported === null) return false;
  return "default" in exported && Reflect.get(exported, "__esModule") === true;
}

function badModule(path: string, what: string, cause?: unknown): CliError {
  return new CliError("failed", `the module ${printable(path)} ${what}`, { code: "bad_module", cause });
}
