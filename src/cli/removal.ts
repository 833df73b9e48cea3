/**
 * What all commands have in common that remove many jobs: they count first, ask, go in slices and tell what went.
 *
 * With `--dry-run` only the first is done, with the rights of a reader and without a question.
 */

import type { QueueCore } from "../queue/queue.ts";
import { EXIT } from "./command-context.ts";
import { assertCanConfirm, isConfirmed } from "./confirm.ts";
import { paint } from "./host.ts";
import { type QueueCall, type ServerOptions, withQueue, writeJson } from "./server-command.ts";
import { inSlices } from "./sliced-work.ts";

/** The options of such a command. */
export interface RemovalOptions extends ServerOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** What would go. */
export interface Doomed {
  readonly total: number;
  /** In words, for the question and for `--dry-run`: `30 pending jobs of mail`. */
  readonly text: string;
  /** In words, what is near and would not go: `12 in lanes stay`. */
  readonly stays?: string;
  /** For programs, beside the number. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** One removal. */
export interface Removal {
  readonly options: RemovalOptions;
  /** Counts what would go; throws when nothing may. */
  readonly look: (queue: QueueCore) => Promise<Doomed>;
  /** Removes it; resolves to how many jobs went. */
  readonly remove: (queue: QueueCore, doomed: Doomed, onProgress: (done: number) => void) => Promise<number>;
  /** What the JSON document says of the wish: `{ state: "dead" }`. */
  readonly wish: Readonly<Record<string, unknown>>;
  /** Whether there may be something to remove when no job is; default false. */
  readonly isAlwaysDue?: boolean;
  /** Words after a removal that went to its end, of the number that went. */
  readonly told: (removed: number) => string;
  /** Words that follow what an interrupted one tells. */
  readonly interrupted?: string;
}

/** How it ended, for programs. */
type Outcome = "removed" | "nothing" | "declined" | "would-remove" | "interrupted";

/** Runs a removal and sets the exit code. Throws CliError `needs_yes` where nobody can be asked. */
export async function runRemoval(call: QueueCall, removal: Removal): Promise<void> {
  const { yes = false, dryRun = false } = removal.options;
  if (!dryRun) assertCanConfirm(call, { isSure: yes, look: "look with --dry-run" });
  const spec = dryRun ? { ...call.spec, isReadonly: true } : call.spec;
  await withQueue({ ...call, spec }, async (core) => {
    const doomed = await removal.look(core);
    const isDue = doomed.total > 0 || removal.isAlwaysDue === true;
    if (dryRun) return tell(call, removal, { outcome: "would-remove", removed: 0, doomed });
    if (!isDue) return tell(call, removal, { outcome: "nothing", removed: 0, doomed });
    if (!yes && !(await isConfirmed(call.context.host, `Remove ${doomed.text}, for good?`))) {
      return tell(call, removal, { outcome: "declined", removed: 0, doomed });
    }
    const work = (onProgress: (done: number) => void) => removal.remove(core, doomed, onProgress);
    const { done, isInterrupted } = await inSlices(call, { total: doomed.total, work });
    tell(call, removal, { outcome: isInterrupted ? "interrupted" : "removed", removed: done, doomed });
  });
}

/** What came of a removal. */
interface RemovalEnd {
  readonly outcome: Outcome;
  readonly removed: number;
  readonly doomed: Doomed;
}

const EXIT_OF: Readonly<Record<Outcome, number>> = {
  removed: EXIT.ok,
  nothing: EXIT.ok,
  "would-remove": EXIT.ok,
  declined: EXIT.failed,
  interrupted: EXIT.interrupted,
};

function tell({ context, options, queue }: QueueCall, removal: Removal, end: RemovalEnd): void {
  const { host } = context;
  const { outcome, removed, doomed } = end;
  if (options.json === true) {
    writeJson(host, { queue, ...removal.wish, outcome, found: doomed.total, removed, ...doomed.details });
  } else {
    host.out.write(`${endText(removal, end, (text) => paint(host.out, "good", text))}\n`);
  }
  context.setExitCode(EXIT_OF[outcome]);
}

function endText({ told, interrupted = "" }: Removal, end: RemovalEnd, good: (text: string) => string): string {
  const { outcome, removed, doomed } = end;
  const stays = doomed.stays === undefined ? "" : `; ${doomed.stays}`;
  switch (outcome) {
    case "removed":
      return `${good("ok")}  ${told(removed)}${stays}`;
    case "nothing":
      return `nothing to remove${stays}`;
    case "declined":
      return "nothing was removed";
    case "would-remove":
      return `would remove ${doomed.text}${stays}`;
    case "interrupted":
      return `interrupted: about ${removed} jobs are removed${interrupted}`;
  }
}
