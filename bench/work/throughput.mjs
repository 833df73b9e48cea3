/**
 * Works that count jobs a second, and the processor time of a job: adding, processing, retries, and flows. The clock
 * starts when the first fifth is done.
 */

import { measureFloor } from "../driver/floor-benchmark.mjs";
import { signal, startMeter } from "../meter.mjs";
import { BULK, JOB_NAME, PAYLOAD, WARM_UP } from "../rows.mjs";
import { countedOf } from "../wire.mjs";

/** Flows that are added and not ended at most at once. */
const FLOWS_OPEN = 50;

const RESULT = { isSent: true };

/** `ENQUEUE` as the server counts it, by script and natively. */
const ENQUEUE = ["evalsha", "emq.enqueue"];

/** Adds one by one with so many in flight. */
export async function add(driver, { concurrency, jobs, serverPid }) {
  const warm = Math.floor(jobs * WARM_UP);
  await addInFlight(() => driver.add(), concurrency, warm);
  const read = startMeter(serverPid);
  await addInFlight(() => driver.add(), concurrency, jobs - warm);
  return read(jobs - warm);
}

/** Adds by bulks of a thousand, one after the other. */
export async function bulk(driver, { jobs, serverPid }) {
  const items = itemsOf(BULK, () => PAYLOAD);
  const bulks = Math.ceil(jobs / BULK);
  const warm = Math.ceil(bulks * WARM_UP);
  for (let at = 0; at < warm; at++) await driver.addMany(items);
  const read = startMeter(serverPid);
  for (let at = warm; at < bulks; at++) await driver.addMany(items);
  return read((bulks - warm) * BULK);
}

/** Enqueues one by one with so many in flight, by the plainest of all verbs; also tells what the act alone takes. */
export async function enqueue(driver, { concurrency, jobs, serverPid, server, url }) {
  const isCounted = server === "valkey" || server === "module";
  const before = isCounted ? await countedOf(url, ENQUEUE) : undefined;
  const figures = await add({ add: driver.acts.enqueue }, { concurrency, jobs, serverPid });
  if (before === undefined) return figures;
  const now = await countedOf(url, ENQUEUE);
  return { ...figures, actUs: (now.us - before.us) / (now.calls - before.calls) };
}

/** Empties a full queue with handlers that do nothing but return a result. */
export async function work(driver, { concurrency, jobs, lanes = 0, isKept = false, serverPid }) {
  await fill(driver, jobs, (at) => (lanes === 0 ? undefined : { lane: `lane-${at % lanes}` }));
  return await empty(driver, { concurrency, jobs, isKept, serverPid }, () => RESULT);
}

/** The same while 30 of 100 jobs fail at their first attempt, each of which is tried again at once. */
export async function retries(driver, { concurrency, jobs, serverPid }) {
  await fill(
    driver,
    jobs,
    () => driver.retryOptions,
    (at) => ({ ...PAYLOAD, campaign: at }),
  );
  const failed = new Set();
  return await empty(driver, { concurrency, jobs, serverPid }, ({ campaign }) => {
    if (campaign % 10 >= 3 || failed.has(campaign)) return RESULT;
    failed.add(campaign);
    throw new Error("the mail server is away");
  });
}

/** Flows of a parent and its children, so many of them under way at once, from their adds to the ends of parents. */
export async function flows(driver, { children, jobs, serverPid }) {
  const warm = Math.floor(jobs * WARM_UP);
  let ended = 0;
  let read;
  const all = signal();
  const places = [];
  const addFlow = await driver.flow(children, () => {
    ended += 1;
    places.shift()?.();
    if (ended === warm) read = startMeter(serverPid);
    if (ended === jobs) all.tell(read(jobs - warm));
  });
  const adds = [];
  for (let added = 0; added < jobs; added++) {
    if (added - ended >= FLOWS_OPEN) await new Promise((resolve) => places.push(resolve));
    adds.push(addFlow());
  }
  await Promise.all(adds);
  return await all.heard;
}

/** What the server does when only asked for the plain commands; see driver/floor-benchmark.mjs. */
export async function floor(url, { concurrency, jobs, isBulk = false }) {
  return { perSecond: isBulk ? measureFloor(url, 1, jobs, BULK) : measureFloor(url, concurrency, jobs) };
}

/** Adds jobs by bulks, each with the data and the options of its place. */
export async function fill(driver, jobs, optionsOf = () => undefined, dataOf = () => PAYLOAD, name = JOB_NAME) {
  for (let from = 0; from < jobs; from += BULK) {
    const count = Math.min(BULK, jobs - from);
    await driver.addMany(
      itemsOf(
        count,
        (at) => dataOf(from + at),
        (at) => optionsOf(from + at),
        name,
      ),
    );
  }
}

/** Calls `call` that many times in all, with so many unanswered. */
export async function addInFlight(call, inFlight, count) {
  let left = count;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
}

/** Jobs that end well a second. Handlers may throw, and then the job is counted when it comes again. */
async function empty(driver, { concurrency, jobs, isKept, serverPid }, handle) {
  const warm = Math.floor(jobs * WARM_UP);
  const all = signal();
  let count = 0;
  let read;
  await driver.work(
    async (data) => {
      const result = handle(data);
      count += 1;
      if (count === warm) read = startMeter(serverPid);
      if (count === jobs) all.tell(read(jobs - warm));
      return result;
    },
    concurrency,
    { isKept },
  );
  return await all.heard;
}

function itemsOf(count, dataOf, optionsOf = () => undefined, name = JOB_NAME) {
  return Array.from({ length: count }, (_, at) => {
    const opts = optionsOf(at);
    return opts === undefined ? { name, data: dataOf(at) } : { name, data: dataOf(at), opts };
  });
}
