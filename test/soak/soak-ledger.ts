/**
 * What became of every job of a soak, from the lines of the processes, and what of it cannot be explained.
 *
 * A job may start more than once, but each start that was not its last has a reason: its handler threw, its lease was
 * lost, or its process was killed. A job that nobody said to be settled, and that is not dead, must have been in the
 * hands of a process that was killed before it could say so, or that never heard that its settlement was taken and
 * counted the lease as lost; the counters of the server say that none of them is missing. Adds that were repeated
 * because their answer was lost may run a job once more, as `add` says, so these are known.
 */

/** One process, as far as its jobs depend on it. */
export interface Holder {
  readonly wasKilled: boolean;
}

interface Start {
  readonly token: number;
  readonly holder: Holder;
}

class Entry {
  isAdded = false;
  isRepeated = false;
  settled = 0;
  readonly starts: Start[] = [];
  /** Tokens whose start has a reason to be followed by another. */
  readonly ended: number[] = [];
  /** Whether a holder was left without the answer to its settlement. */
  isLost = false;
}

/** Findings that a report shows, at most. */
const SHOWN_MAX = 10;

export class SoakLedger {
  readonly #entries = new Map<string, Entry>();
  /** Adds that were acknowledged. */
  added = 0;
  /** Those of them whose first answer was lost. */
  repeated = 0;
  /** Jobs that were said to be settled. */
  settled = 0;

  /** Takes in one line of a process; lines of other words are none of its business. */
  note([event = "", id = "", number = "0"]: readonly string[], holder: Holder): void {
    const token = Number(number);
    switch (event) {
      case "added":
        this.#add(this.#entry(id), token);
        return;
      case "start":
        this.#entry(id).starts.push({ token, holder });
        return;
      case "lost":
        this.#entry(id).isLost = true;
        this.#entry(id).ended.push(token);
        return;
      case "threw":
      case "failed":
        this.#entry(id).ended.push(token);
        return;
      case "settled":
        this.#entry(id).settled += 1;
        this.settled += 1;
        return;
      default:
        return;
    }
  }

  /** Jobs that were added and that no process said to be settled: they are dead, or their process was killed. */
  unsettled(): string[] {
    return [...this.#entries].flatMap(([id, { isAdded, settled }]) => (isAdded && settled === 0 ? [id] : []));
  }

  /** What cannot be explained. `dead` are the ids of the jobs that are dead at the end. */
  findings(dead: ReadonlySet<string>): string[] {
    const found: string[] = [];
    for (const [id, entry] of this.#entries) {
      const fault = faultOf(entry, dead.has(id));
      if (fault !== undefined) found.push(`${id}: ${fault}; ${historyOf(entry)}`);
      if (found.length === SHOWN_MAX) break;
    }
    return found;
  }

  #entry(id: string): Entry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const entry = new Entry();
    this.#entries.set(id, entry);
    return entry;
  }

  #add(entry: Entry, tries: number): void {
    entry.isAdded = true;
    this.added += 1;
    if (tries === 0) return;
    entry.isRepeated = true;
    this.repeated += 1;
  }
}

function faultOf(entry: Entry, isDead: boolean): string | undefined {
  const { isAdded, isRepeated, isLost, settled, starts } = entry;
  if (!isAdded) return "it ran and no add of it was acknowledged";
  if (starts.length === 0) return "it never ran";
  if (settled > 1 && !isRepeated) return `it was settled ${settled} times`;
  if (settled > 0 && isDead && !isRepeated) return "it is settled and dead";
  if (settled === 0 && !isDead && !isLost && !starts.some(({ holder }) => holder.wasKilled)) return "it vanished";
  return isRepeated ? undefined : doubledOf(entry);
}

/** A start that was followed by another one for no reason. */
function doubledOf({ starts, ended }: Entry): string | undefined {
  const last = Math.max(...starts.map(({ token }) => token));
  const reasonless = starts.find(({ token, holder }) => token < last && !holder.wasKilled && !ended.includes(token));
  if (reasonless !== undefined) return `it ran again after token ${reasonless.token} for no reason`;
  return new Set(starts.map(({ token }) => token)).size < starts.length ? "one token started twice" : undefined;
}

function historyOf({ starts, ended, settled, isRepeated }: Entry): string {
  const runs = starts.map(({ token, holder }) => `${token}${holder.wasKilled ? " (killed)" : ""}`).join(", ");
  return `started ${runs || "never"}; ended ${ended.join(", ") || "never"}; settled ${settled}${isRepeated ? "; add repeated" : ""}`;
}
