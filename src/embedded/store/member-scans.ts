/**
 * Steps over the members of one large collection, for `HSCAN`, `SSCAN` and `ZSCAN`.
 *
 * Promise, as the server's: what is there from the first step to the last is found at least once, whatever is added and
 * removed between the steps, and every scan ends. Members come in the order of a hash of their names, because that
 * order does not move when others go; the cursor is the next hash to visit. Putting them in order takes a look at all,
 * which is done once a scan: the latest scans are kept open, each with a list of references to the names. A cursor
 * without an open scan is put in order again and is right all the same.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Value } from "./value.ts";

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Open scans; each keeps the names alive that it has still to answer. */
const SCANS_MAX = 8;

interface Place {
  readonly member: Bytes;
  readonly hash: number;
}

interface OpenScan {
  readonly value: Value;
  readonly places: readonly Place[];
  /** The next place to answer. */
  at: number;
}

export interface MemberStep {
  readonly value: Value;
  /** 0, or what an earlier step answered. */
  readonly cursor: number;
  /** How many members to answer, about: those that share the last hash come with it. */
  readonly count: number;
  readonly all: () => readonly Bytes[];
}

/** What a step found. Members may be gone since the scan began; the caller looks at each anyway. */
export interface MemberPart {
  /** Where to go on; 0 at the end. */
  readonly next: number;
  readonly members: readonly Bytes[];
}

export class MemberScans {
  #open: OpenScan[] = [];

  step(step: MemberStep): MemberPart {
    const scan = this.#take(step);
    const { places } = scan;
    const members: Bytes[] = [];
    while (scan.at < places.length && (members.length < step.count || sharesHash(places, scan.at))) {
      members.push((places[scan.at++] as Place).member);
    }
    const next = places[scan.at]?.hash ?? 0;
    if (next !== 0) this.#open.push(scan);
    if (this.#open.length > SCANS_MAX) this.#open.shift();
    return { next, members };
  }

  #take({ value, cursor, all }: MemberStep): OpenScan {
    const index = this.#open.findIndex((scan) => scan.value === value && scan.places[scan.at]?.hash === cursor);
    const [found] = index < 0 ? [] : this.#open.splice(index, 1);
    if (found !== undefined) return found;
    const places = all()
      .map((member) => ({ member, hash: hashOf(member) }))
      .filter(({ hash }) => hash >= cursor)
      .sort((one, other) => one.hash - other.hash);
    return { value, places, at: 0 };
  }
}

function sharesHash(places: readonly Place[], at: number): boolean {
  return places[at]?.hash === places[at - 1]?.hash;
}

/** FNV-1a over the bytes, 1 to 2^32: 0 is the cursor of the start and of the end. */
function hashOf(text: Bytes): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return (hash >>> 0) + 1;
}
