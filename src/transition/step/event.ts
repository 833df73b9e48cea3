/**
 * Events: what an act tells on the channel `events` to whoever watches the queue.
 *
 * An act asks once whether anybody listens, together with another question where it has one, so an act of a queue that
 * nobody watches pays nothing for its events. A message goes out before the writes of its own job: a channel right that
 * is missing then ends the act while no job is lost. It is a JSON object of texts, `event` and `job` first.
 *
 * Bounds: at most three messages for each job that an act touches and one for the act; a text within a message is cut
 * at {@link EVENT_TEXT_BYTES_MAX}, and a result that is larger than {@link EVENT_RESULT_BYTES_MAX} is only measured.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";
import { mirror } from "./mirror.ts";

/** Nobody listens. */
export const UNHEARD = 0;

/** Somebody listens, and wants the results of completed jobs as well. */
const WITH_RESULTS = 2;

/** Bytes of an error, a reason, a name or the like within a message, at most; the rest is cut. */
export const EVENT_TEXT_BYTES_MAX = 1024;

/** Bytes of a result within a message, at most; of a larger one the message tells the size alone. */
export const EVENT_RESULT_BYTES_MAX = 16384;

/**
 * What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
 * somebody wants results, in server milliseconds.
 *
 * @cold
 */
export function wantOf(s: Server, base: Bytes): number {
  const until = s.call("GET", `${base}listeners`);
  return until !== false && s.int(until, 0, NUMBER_MAX) && s.num(until) > s.now() ? WITH_RESULTS : 1;
}

/** Whether anybody listens: 0, or what {@link wantOf} says. To be asked before the first write. */
export function heardBy(s: Server, base: Bytes): number {
  return s.call("EXISTS", `${base}listeners`) === 0 ? UNHEARD : wantOf(s, base);
}

/**
 * Tells an event of a job. `more` holds names and texts in turn; an empty text says nothing and is left out.
 */
export function tell(s: Server, base: Bytes, event: Bytes, id: Bytes, more: Bytes[]): void {
  let text = `{"event":"${event}","job":${s.json(id)}`;
  const stop = more.length;
  for (let i = 0; i < stop; i += 2) {
    const value = more[i + 1];
    if (value !== "") {
      const isLong = value.length > EVENT_TEXT_BYTES_MAX && more[i] !== "result";
      text = `${text},"${more[i]}":${s.json(isLong ? value.slice(0, 1024) : value)}`;
    }
  }
  // Kept first: where the server has no room for it, a new job is refused, and nobody has heard of it.
  mirror(s, base, event, id, more, text.length);
  s.call("PUBLISH", `${base}events`, `${text}}`);
}

/** The alias of a job, empty for none. `dedup` is that field of its row, without which there is none. */
function aliasOfRow(s: Server, base: Bytes, id: Bytes, dedup: Bytes | false): Bytes {
  if (dedup === false) return "";
  const alias = s.call("HGET", `${base}job:${id}`, "alias");
  return alias === false ? "" : alias;
}

/**
 * Tells an event of a job whose row stands, with its alias.
 */
export function tellOfJob(s: Server, base: Bytes, event: Bytes, id: Bytes, dedup: Bytes | false, more: Bytes[]): void {
  more[more.length] = "alias";
  more[more.length] = aliasOfRow(s, base, id, dedup);
  tell(s, base, event, id, more);
}

/**
 * Tells that a job is completed.
 */
export function tellCompleted(
  s: Server,
  base: Bytes,
  heard: number,
  id: Bytes,
  token: Bytes,
  dedup: Bytes | false,
  result: Bytes | false,
): void {
  const more: Bytes[] = ["attempts", token];
  if (heard === WITH_RESULTS && result !== false) {
    const isLarge = result.length > EVENT_RESULT_BYTES_MAX;
    more[2] = isLarge ? "resultBytes" : "result";
    more[3] = isLarge ? s.text(result.length) : result;
  }
  tellOfJob(s, base, "completed", id, dedup, more);
}

/**
 * Tells that the last job that could be claimed has been, if an act that is heard has claimed it. `taken` is how many
 * it has.
 *
 * @cold
 */
export function tellIfDrained(s: Server, base: Bytes, taken: number): void {
  if (taken === 0) return;
  if (s.call("EXISTS", `${base}pending`, `${base}ring`) === 0) tell(s, base, "drained", "", []);
}
