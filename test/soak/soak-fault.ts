/**
 * Everything that a soak does to the server, to the way to it and to the workers, one thing at a time.
 *
 * Each fault ends by itself: when its promise resolves, server, way and processes are as before, but for what the fault
 * is about (a process that was killed is replaced by another one). So the faults of a run are known by their seed and
 * their order alone.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { FaultProxy } from "../server/fault-proxy.ts";
import type { TestServer } from "../server/start-server.ts";
import type { SoakProcess } from "./soak-process.ts";

/** What faults are done to. */
export interface FaultSubjects {
  readonly server: TestServer;
  readonly proxy: FaultProxy;
  /** Processes that may be killed; a fault takes one out and puts another one in. */
  readonly mortals: SoakProcess[];
  /** The process that lives through all of it. */
  readonly resident: SoakProcess;
  /** Another process for one that is gone. */
  readonly replace: (gone: SoakProcess) => void;
  readonly random: () => number;
}

type SoakFault = (subjects: FaultSubjects) => Promise<void>;

const between = ({ random }: FaultSubjects, min: number, max: number) => Math.round(min + random() * (max - min));

const one = <Item>({ random }: FaultSubjects, items: readonly Item[]): Item | undefined =>
  items[Math.floor(random() * items.length)];

/** Every fault by its name. */
export const SOAK_FAULTS: Readonly<Record<string, SoakFault>> = {
  async "freezes the server"(subjects) {
    subjects.server.freeze();
    await pause(between(subjects, 100, 3000));
    subjects.server.thaw();
  },
  async "kills and restarts the server"(subjects) {
    await subjects.server.kill();
    await pause(between(subjects, 0, 1500));
    await subjects.server.restart();
  },
  async "ends every connection at the server"({ server }) {
    await server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  },
  async "flushes the scripts"({ server }) {
    await server.command("SCRIPT", "FLUSH");
  },
  async "pauses all clients"(subjects) {
    const ms = between(subjects, 100, 2000);
    await subjects.server.command("CLIENT", "PAUSE", String(ms), "ALL");
    await pause(ms);
  },
  async "kills a worker"(subjects) {
    const victim = one(subjects, subjects.mortals);
    if (victim === undefined) return;
    victim.kill();
    subjects.replace(victim);
  },
  async "closes a worker"(subjects) {
    const leaver = one(subjects, subjects.mortals);
    if (leaver === undefined) return;
    subjects.replace(leaver);
    const code = await leaver.close();
    if (code !== 0) throw new Error(`a worker that was asked to close ended with ${String(code)}`);
  },
  async "freezes a worker"(subjects) {
    const frozen = one(subjects, [...subjects.mortals, subjects.resident]);
    frozen?.freeze();
    await pause(between(subjects, 500, 4000));
    frozen?.thaw();
  },
  async "cuts the way"(subjects) {
    subjects.proxy.cut(one(subjects, [undefined, "command", "blocking", "subscriber"] as const));
  },
  async "loses replies after the server has acted"(subjects) {
    const verb = one(subjects, ["TURN", "ADMIT", "OWNED", "EXTENDM"] as const) ?? "TURN";
    const times = between(subjects, 1, 4);
    const fault = subjects.proxy.inject({ does: "lose-reply", to: { verb }, leaves: "cut", times });
    await pause(between(subjects, 500, 3000));
    fault.lift();
  },
  async "stalls the way"(subjects) {
    const direction = one(subjects, ["up", "down"] as const) ?? "down";
    const fault = subjects.proxy.inject({ does: "stall", direction });
    await pause(between(subjects, 200, 3000));
    fault.lift();
  },
  async "loses every wake token"(subjects) {
    const fault = subjects.proxy.inject({ does: "mute", what: "wakes" });
    await pause(between(subjects, 500, 3000));
    fault.lift();
  },
  async "refuses new connections and ends the old ones"(subjects) {
    const fault = subjects.proxy.inject({ does: "refuse" });
    subjects.proxy.cut();
    await pause(between(subjects, 200, 2000));
    fault.lift();
  },
  async "slows the way"(subjects) {
    const fault = subjects.proxy.inject({ does: "delay", ms: between(subjects, 5, 100) });
    await pause(between(subjects, 500, 3000));
    fault.lift();
  },
};
