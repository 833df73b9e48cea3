/** Processes that race for one folder, again and again, and are killed with it in their hands now and then. */

import { expect } from "vitest";
import { LockProcess } from "./lock-process.ts";

export interface RaceOptions {
  readonly rounds: number;
  /** Every so manieth winner is killed, the others close. */
  readonly killEvery: number;
}

/**
 * Each name is that of the folder for one process. Each winner counts one up, so no round may be missing in the end.
 */
export async function raceForFolder(names: readonly string[], { rounds, killEvery }: RaceOptions): Promise<void> {
  const racers = await Promise.all(names.map(async (folder) => await LockProcess.start({ folder })));
  const winners = new Set<number>();
  for (let round = 1; round <= rounds; round++) {
    const answers = await Promise.all(racers.map(async (racer) => await racer.ask("open")));
    const winner = answers.indexOf("opened");
    const owner = racers[winner] as LockProcess;
    const wanted = racers.map((_, at) => (at === winner ? "opened" : `refused folder_in_use ${owner.pid}`));
    expect([round, winner >= 0, answers]).toEqual([round, true, wanted]);
    expect([await owner.ask("write count"), await owner.ask("read count")]).toEqual(["wrote count", `value ${round}`]);
    const name = names[winner] as string;
    winners.add(winner);
    if (round % killEvery === 0) {
      await owner.kill();
      racers[winner] = await LockProcess.start({ folder: name });
    } else expect(await owner.ask("close")).toBe("closed");
  }
  // Whoever is always the first to be asked is not always the first to come.
  expect(winners.size).toBeGreaterThan(1);
}
