/**
 * Finds the servers that tests and benches run against, and fetches them where the machine has none.
 *
 * The order is: the path that an environment variable names, the PATH, what an earlier run unpacked, and last the
 * distribution's own packages (`apt-packages.mjs`). Every candidate is asked for its version, so a server that is too
 * old is never taken by accident. The functions are synchronous: they run once before everything else, and a caller
 * with nothing to wait for is easier to use from test files and scripts alike.
 */

import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fetchPackages } from "./apt-packages.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Where fetched servers live. It goes with `node_modules`, so nothing outside the clone is ever written. */
const CACHE = join(root, "node_modules", ".cache", "echomq");

/** What is known of each kind of server. `min` is the oldest version that the project supports. */
const KINDS = {
  valkey: {
    product: "Valkey",
    binary: "valkey-server",
    client: "valkey-cli",
    min: [8, 0],
    variable: "ECHOMQ_TEST_SERVER",
    packages: ["valkey-server", "valkey-tools"],
    backports: true,
  },
  redis: {
    product: "Redis",
    binary: "redis-server",
    client: "redis-cli",
    min: [7, 0],
    variable: "ECHOMQ_TEST_REDIS",
    packages: ["redis-server", "redis-tools"],
    backports: false,
  },
};

/** @typedef {"valkey" | "redis"} ServerKind */

/**
 * A server program that can be started as it is.
 *
 * @typedef {object} FoundServer
 * @property {ServerKind} kind
 * @property {string} path Absolute path of the program.
 * @property {string | undefined} client Absolute path of the command line client, where one lies beside the server.
 * @property {string} version Such as `8.0.1`.
 */

/**
 * A Valkey of version 8.0 or later. `ECHOMQ_TEST_SERVER` names one by path.
 *
 * @returns {FoundServer}
 * @throws {Error} whose message says what to install, when there is none and none can be fetched.
 */
export function findServer() {
  return find("valkey");
}

/**
 * A Redis of version 7.0 or later. `ECHOMQ_TEST_REDIS` names one by path.
 *
 * @returns {FoundServer}
 * @throws {Error} with the reason, which tests print beside SKIP.
 */
export function findRedis() {
  return find("redis");
}

function find(name) {
  const kind = KINDS[name];
  const named = process.env[kind.variable];
  if (named !== undefined && named !== "") return checked(name, named);
  const found = usable(name, onPath(kind.binary)) ?? usable(name, cached(name));
  if (found !== undefined) return found;
  try {
    fetchPackages({
      ...kind,
      target: join(CACHE, name),
      cache: CACHE,
      isGood: () => usable(name, cached(name)) !== undefined,
    });
  } catch (error) {
    throw new Error(missing(kind, error instanceof Error ? error.message : String(error)), { cause: error });
  }
  return checked(name, cached(name));
}

function missing(kind, reason) {
  const version = kind.min.join(".");
  return [
    `No ${kind.binary} ${version} or later was found, and none could be fetched: ${reason}`,
    `Install ${kind.product} ${version} or later (Debian and Ubuntu: apt-get install ${kind.packages.join(" ")}),`,
    `or name one by its path: ${kind.variable}=/path/to/${kind.binary}`,
  ].join("\n");
}

function cached(name) {
  return join(CACHE, name, "bin", KINDS[name].binary);
}

function onPath(binary) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, binary)).find(isProgram) ?? "";
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The server at `path` if it is there and new enough, else `undefined`: the search goes on. */
function usable(name, path) {
  if (path === "" || !isProgram(path)) return undefined;
  try {
    return checked(name, path);
  } catch {
    return undefined;
  }
}

/** The server at `path`, which somebody named and which is therefore right or an error. */
function checked(name, path) {
  const kind = KINDS[name];
  if (!isProgram(path)) throw new Error(`${path} is not a program (${kind.variable} or cache)`);
  const text = execFileSync(path, ["--version"], { encoding: "utf8", timeout: 20_000 });
  // Both products print a line such as "Valkey server v=8.0.1 sha=…"; one may be installed under the other's name.
  const match = /^(\w+) server v=(\d+)\.(\d+)\.(\d+)/.exec(text);
  if (match?.[1] !== kind.product) throw new Error(`${path} is no ${kind.product} server: ${text.trim()}`);
  const [major, minor, patch] = match.slice(2, 5).map(Number);
  if (major < kind.min[0] || (major === kind.min[0] && minor < kind.min[1])) {
    throw new Error(`${path} is version ${major}.${minor}.${patch}; ${kind.min.join(".")} or later is needed`);
  }
  const client = join(dirname(path), kind.client);
  return { kind: name, path, client: existsSync(client) ? client : undefined, version: `${major}.${minor}.${patch}` };
}

/** Run as a program it prints what it found, one server a line, and ends with 1 when there is no Valkey. */
function main() {
  try {
    const server = findServer();
    console.log(`valkey ${server.version} ${server.path}`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
  try {
    const redis = findRedis();
    console.log(`redis ${redis.version} ${redis.path}`);
  } catch (error) {
    console.log(`redis SKIP ${error.message.split("\n")[0]}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
