/**
 * What a driver offers, so that each work is written once for all queues. A call that a queue does not have is left
 * out of its driver, and the row that needs it is left out of its column.
 *
 * @typedef {object} Driver
 * @property {(data?: object, options?: object) => Promise<unknown>} add Adds one job.
 * @property {(items: { name: string, data: object, opts?: object }[]) => Promise<unknown>} addMany Adds a bulk.
 * @property {object} [retryOptions] Options of a job that is tried three times without a wait between.
 * @property {string} [noName] The name of a job that stores none.
 * @property {{ enqueue: () => Promise<unknown>, admit: (count: number) => Promise<unknown>, turn: (held: object[],
 *   request: { want: number, leaseMs: number }) => Promise<object[]> }} [acts] Single acts: `turn` settles what it is
 *   given and resolves to what it has claimed.
 * @property {(handler: (data: object) => Promise<unknown>, concurrency: number, options?: { isKept?: boolean }) =>
 *   Promise<unknown>} [work] Starts a worker; `isKept` keeps the newest thousand results.
 * @property {(handler: (data: object) => Promise<unknown>) => Promise<unknown>} [workKeepingAll]
 * @property {(children: number, onParent: () => unknown) => Promise<() => Promise<unknown>>} [flow] Starts the workers
 *   of flows and answers the call that adds one.
 * @property {(lane: string, weight: number) => Promise<unknown>} [weigh]
 * @property {() => Promise<void>} [stopWorkers]
 * @property {() => Promise<unknown>} [list] The first thousand waiting jobs.
 * @property {() => Promise<unknown>} [drain]
 * @property {() => Promise<unknown>} [cleanWaiting]
 * @property {() => Promise<unknown>} [obliterate]
 * @property {() => Promise<void>} close
 */

/** Opens the queue of a column. */
export async function openDriver(name, url) {
  const { open } = await import(`./${name}.mjs`);
  return /** @type {Driver} */ (await open(url));
}
