/**
 * What both floors of processing share: the record of a job as `ADMIT` writes it, and a worker that does nothing but
 * ask for jobs, run their handlers and say which have ended.
 *
 * It leaves out whatever makes a queue of this: fences and tokens are read and never compared, and there are no lanes,
 * priorities, retries, flows, limits, pauses, counters, events, wake tokens, kept results, owners and renewals of
 * leases, and no check of keys. A worker that dies loses its jobs.
 */

import { idOf, PAYLOAD_TEXT, rowOf, SETS } from "../acts.mjs";
import { JOB_NAME } from "../rows.mjs";
import { Exchange, encode } from "../wire.mjs";

export const LEASE_MS = 30_000;

/** Turns that are under way at once, as many as a worker of ours has. */
const TURNS = 2;

/** Jobs that one turn asks for at most. */
const WANT_MAX = 128;

/** The commands that add jobs of these ids: one `HSET` for each, and one `ZADD` for all, so one more than ids. */
export function adding(ids) {
  const rows = ids.map((id) =>
    encode(["HSET", rowOf(id), "state", "pending", "attempts", "0", "payload", PAYLOAD_TEXT, "name", JOB_NAME]),
  );
  return rows.join("") + encode(["ZADD", SETS[0], ...ids.flatMap((id) => ["0", id])]);
}

/** Jobs that a turn asks for: half of what a worker of ours has in hand, running and ahead, as two are under way. */
export function wantOf(concurrency) {
  const ahead = Math.min(25 * concurrency, 256);
  return Math.min(Math.ceil((concurrency + ahead) / TURNS), WANT_MAX);
}

/**
 * Opens the driver of a floor.
 *
 * @param prepare Gives, for a connection, the function of one turn: it is told of the jobs that have ended, each an id,
 *   a token and a result, and how many to claim, and answers those that it claimed: id, token and payload.
 */
export async function openFloor(url, prepare) {
  const exchange = await Exchange.open(url);
  const turn = await prepare(exchange);
  let count = 0;
  const nextId = () => idOf(count++);
  const loops = [];
  let isClosing = false;
  let ids = [];
  let sent;
  return {
    add: () => {
      ids.push(nextId());
      sent ??= new Promise((resolve, reject) => {
        setImmediate(() => {
          const batch = ids;
          [ids, sent] = [[], undefined];
          exchange.send(adding(batch), batch.length + 1).then(resolve, reject);
        });
      });
      return sent;
    },
    addMany: (items) => exchange.send(adding(items.map(nextId)), items.length + 1),
    work: async (handler, concurrency) => {
      const want = wantOf(concurrency);
      let handlers = Promise.resolve();
      const loop = async () => {
        let ended = [];
        while (!isClosing || ended.length > 0) {
          const jobs = await turn(ended, isClosing ? 0 : want);
          // The handlers of one turn run after those of the other, so that no more than asked run at once.
          handlers = handlers.then(() => runAll(jobs, concurrency, handler));
          ended = await handlers;
        }
      };
      for (let at = 0; at < TURNS; at++) loops.push(loop());
    },
    close: async () => {
      isClosing = true;
      await Promise.all(loops);
      const left = loops.length === 0 ? 0 : await exchange.ask("DBSIZE");
      exchange.close();
      if (left > 0) throw new Error(`${left} keys are left of jobs that have run`);
    },
  };
}

/** Runs the handlers of jobs, so many at once; resolves to what is to be told of them. */
async function runAll(jobs, concurrency, handler) {
  const ended = [];
  let next = 0;
  const slot = async () => {
    while (next < jobs.length) {
      const { id, token, payload: text } = jobs[next++];
      const result = await handler(JSON.parse(text));
      ended.push({ id, token, result: JSON.stringify(result ?? null) });
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, jobs.length) }, slot));
  return ended;
}
