/** What `LOG` promises: lines in their order, bounded on request, and none for a job that is gone. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, type Trial } from "../trial.ts";

export const logScenarios: readonly ScenarioDraft[] = [
  {
    row: 30,
    name: "job_logs",
    contract: "Log lines come back in order, the newest are kept on request, an unknown job is gone.",
    async run(t) {
      const id = await t.enqueued();
      same(await t.jobs.addLog(t.queue, id, "line-1"), 1, "the first line");
      same(await t.jobs.addLog(t.queue, id, "line-2"), 2, "the second line");
      same(await lines(t, id), ["line-1", "line-2"], "the lines");
      same(await t.jobs.addLog(t.queue, id, "line-3", 2), 2, "the third line, keeping two");
      same(await lines(t, id), ["line-2", "line-3"], "the lines that are kept");
      const missing = t.id();
      same(await t.jobs.addLog(t.queue, missing, "line"), "gone", "a line of an unknown job");
      same(await t.jobs.getLogs(t.queue, missing), "gone", "the lines of an unknown job");
    },
  },
  {
    name: "log_keep",
    contract: "A bound above the number of lines keeps all, a bound of 1 the last, and 0 is no bound.",
    async run(t) {
      const id = await t.enqueued();
      same(await t.jobs.addLog(t.queue, id, "a", 5), 1, "below the bound");
      same(await t.jobs.addLog(t.queue, id, "", 0), 2, "an empty line");
      same(await lines(t, id), ["a", ""], "the lines");
      same(await t.jobs.addLog(t.queue, id, "c", 1), 1, "a bound of 1");
      same(await lines(t, id), ["c"], "the line that is kept");
    },
  },
];

async function lines(t: Trial, id: string): Promise<string[] | "gone"> {
  const logs = await t.jobs.getLogs(t.queue, id);
  return logs === "gone" ? logs : logs.map(bytesIn);
}
