/**
 * The columns of the bench: our queue in its four forms, its peers, and the floors of the server.
 *
 * A column that cannot run here is left out, and the report says why.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MODULE_PATH } from "../scripts/native/module-path.mjs";
import { findServer } from "../scripts/server/find-server.mjs";

const serve = join(fileURLToPath(new URL("..", import.meta.url)), "dist", "cli", "main.js");

/**
 * @typedef {object} Column
 * @property {string} name What `--column` and the results say.
 * @property {string} title What people read.
 * @property {string} driver The file under `driver/` that gives the calls.
 * @property {"valkey" | "module" | "serve" | "none"} server What it talks to.
 * @property {string} native How our host treats the native half: `off` or `require`.
 */

/** @type {readonly Column[]} */
export const COLUMNS = [
  { name: "lua", title: "EchoMQ, scripts", driver: "echomq", server: "valkey", native: "off" },
  { name: "native", title: "EchoMQ, native half", driver: "echomq", server: "module", native: "require" },
  { name: "embedded", title: "EchoMQ, embedded", driver: "echomq", server: "none", native: "off" },
  { name: "serve", title: "EchoMQ, echomq serve", driver: "echomq", server: "serve", native: "off" },
  { name: "bullmq", title: "BullMQ", driver: "bullmq", server: "valkey", native: "off" },
  { name: "bee-queue", title: "bee-queue", driver: "bee-queue", server: "valkey", native: "off" },
  { name: "floor-client", title: "floor: plain commands", driver: "floor-client", server: "valkey", native: "off" },
  { name: "floor-script", title: "floor: shortest script", driver: "floor-script", server: "valkey", native: "off" },
  {
    name: "floor-benchmark",
    title: "floor: valkey-benchmark",
    driver: "floor-benchmark",
    server: "valkey",
    native: "off",
  },
];

/** The columns of our own. */
export const OURS = ["lua", "native", "embedded", "serve"];

/** Why a column cannot run here; undefined when it can. */
export function lackOf(column) {
  if (column.server === "module" && !existsSync(MODULE_PATH)) return "npm run build:native was not run";
  if (column.server === "serve" && !existsSync(serve)) return "echomq serve is not built";
  if (column.name === "floor-benchmark" && benchmarkPath() === undefined) {
    return "valkey-benchmark is not beside the server";
  }
  return undefined;
}

/** Where `valkey-benchmark` of the server that is measured lies; undefined when it has none. */
export function benchmarkPath() {
  const folder = dirname(findServer().path);
  const places = [folder, join(folder, "..", "usr", "bin")];
  return places.map((place) => join(place, "valkey-benchmark")).find((path) => existsSync(path));
}
