/**
 * One run of EchoMQ, as its built package offers it; see workload.mjs. Without a URL the queue is embedded.
 * `ECHOMQ_BENCH_NATIVE` in the environment says how the server's native half is treated; `auto` without it.
 */

import { openEchomq } from "./open-echomq.mjs";
import { runWorkload } from "./workload.mjs";

await runWorkload(async (url) => {
  const native = process.env.ECHOMQ_BENCH_NATIVE ?? "auto";
  return await openEchomq(url === "" ? "memory:" : { url, native });
});
