/**
 * Processor time of a run: of the process that measures, and of the server beside it. Other processes of the machine
 * make a run longer, and cannot make this more than a little.
 */

import { readdirSync, readFileSync } from "node:fs";

/** Microseconds of processor time that a process has used; undefined where the system does not tell. */
export function processorUs(pid) {
  try {
    const folder = `/proc/${pid}/task`;
    let ns = 0;
    for (const thread of readdirSync(folder)) {
      ns += Number(readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ", 1)[0]);
    }
    return ns / 1000;
  } catch {
    return undefined;
  }
}

/** Milliseconds for which this thread could have run and had no core; 0 where the system does not tell. */
export function waitedMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ", 2)[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Starts to count; the answer tells jobs a second and microseconds a job since then. `serverPid` 0 is no server. */
export function startMeter(serverPid) {
  const client = process.cpuUsage();
  const server = serverPid === 0 ? undefined : processorUs(serverPid);
  const startedAt = performance.now();
  return (jobs) => {
    const seconds = (performance.now() - startedAt) / 1000;
    const used = process.cpuUsage(client);
    const serverUs = server === undefined ? undefined : processorUs(serverPid);
    return {
      perSecond: jobs / seconds,
      clientUs: (used.user + used.system) / jobs,
      ...(serverUs === undefined ? {} : { serverUs: (serverUs - server) / jobs }),
    };
  };
}

/** The value below which that share of a list lies. */
export function percentile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A promise and what resolves it. */
export function signal() {
  let tell = () => {};
  const heard = new Promise((resolve) => {
    tell = resolve;
  });
  return { heard, tell };
}
