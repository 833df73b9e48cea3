/**
 * The floor of the server by its own tool: `valkey-benchmark` with as many connections as adds are in flight. It runs
 * a command each time, so the figure is that of `HSET` and `ZADD` in turns: the harmonic mean of both halved.
 */

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { benchmarkPath } from "../columns.mjs";
import { JOB_NAME, PAYLOAD } from "../rows.mjs";

/** Pairs of `HSET` and `ZADD` a second. */
export function measureFloor(url, inFlight, pairs, pipeline = 1) {
  const fields = ["state", "pending", "attempts", "0", "payload", JSON.stringify(PAYLOAD), "name", JOB_NAME];
  const hset = ["HSET", "floor:job:__rand_int__", ...fields];
  const zadd = ["ZADD", "floor:pending", "0", "JOB__rand_int__"];
  const [first, second] = [hset, zadd].map((command) => perSecond(url, inFlight, pairs, pipeline, command));
  return 1 / (1 / first + 1 / second);
}

function perSecond(url, inFlight, count, pipeline, command) {
  const { hostname, port } = new URL(url);
  const words = ["-h", hostname, "-p", port, "-c", String(inFlight), "-n", String(count), "-P", String(pipeline)];
  const output = execFileSync(benchmarkPath(), [...words, "-r", "1000000", "--csv", ...command], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, LD_LIBRARY_PATH: librariesOf(benchmarkPath()) },
  });
  const last = output.trim().split("\n").at(-1);
  return Number(last.match(/"([\d.]+)"/)[1]);
}

/** A server that was fetched for the tests brings its libraries in the folders beside it. */
function librariesOf(path) {
  const libraries = join(path, "..", "..", "lib");
  const machines = readdirSync(libraries, { withFileTypes: true }).filter((entry) => entry.name.endsWith("-linux-gnu"));
  return [libraries, ...machines.map(({ name }) => join(libraries, name)), process.env.LD_LIBRARY_PATH ?? ""]
    .filter((place) => place !== "")
    .join(":");
}
