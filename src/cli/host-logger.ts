/**
 * Logs of the library inside the tool.
 *
 * A short command ends with one error that carries the reason, so lines about each attempt to connect would only repeat
 * it; a worker that runs for weeks must say when its server goes and comes.
 */

import type { Logger } from "../engine/ports.ts";
import { type Host, paint } from "./host.ts";
import { printable } from "./printable.ts";

/** Writes nothing. */
export const SILENT_LOGGER: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** One line each on the output for what went wrong; what only helps who builds EchoMQ (`debug`) is left out. */
export function hostLogger({ error }: Host): Logger {
  const write = (level: string, message: string, fields: Record<string, unknown> = {}) => {
    const facts = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`);
    error.write(`${level} ${printable(message + facts.join(""))}\n`);
  };
  return {
    debug() {},
    info: (message, fields) => write("info ", message, fields),
    warn: (message, fields) => write(paint(error, "note", "warn "), message, fields),
    error: (message, fields) => write(paint(error, "bad", "error"), message, fields),
  };
}

function shown(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}
