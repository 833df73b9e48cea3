/**
 * Jobs that wait for other jobs.
 *
 * A report waits for three files; one of them cannot be read, which its author decided to live with. The handler of the
 * report finds out only then that a page has to be drawn for each month, adds these jobs, and rests until they are done.
 *
 *   node examples/flow.mjs
 */

import { FlowProducer, Worker } from "echomq";

const rows = { "may.csv": 3, "june.csv": 4 };

const files = new Worker("files", async (job) => {
  if (!(job.data.path in rows)) throw new Error(`${job.data.path} is not there`);
  return rows[job.data.path];
});

const pages = new Worker("pages", async (job) => `page of ${job.data.rows} rows`);

const reports = new Worker("reports", async (_, { children }) => {
  const counts = await children.results();
  const [lost] = await children.failures();
  const drawn = await children.run(
    Object.fromEntries(
      counts
        .filter(({ queueName }) => queueName === "files")
        .map(({ result }, at) => [`page ${at + 1}`, { name: "draw", queueName: "pages", data: { rows: result } }]),
    ),
  );
  return [...Object.values(drawn), `without ${lost.error.split("\n")[0]}`];
});

const ended = new Promise((resolve) => {
  reports.once("completed", (_, lines) => resolve(lines));
});

const flows = new FlowProducer();
const file = (path) => ({
  name: "count",
  queueName: "files",
  data: { path },
  opts: { onFailure: "ignore", attempts: 1 },
});
const { job } = await flows.add({
  name: "report",
  queueName: "reports",
  children: [file("may.csv"), file("june.csv"), file("july.csv")],
});
console.log(`stored: ${(await flows.getFlow({ id: job.id, queueName: "reports" })).childCount} children`);

for (const line of await ended) console.log(line);

await Promise.all([files.close(), pages.close(), reports.close(), flows.close()]);
