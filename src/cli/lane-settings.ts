/** `echomq limit`, `echomq weight` and `echomq order`: the settings of one lane. */

import { Argument, type Command, InvalidArgumentError } from "commander";
import { LANE_LIMIT_MAX, LANE_WEIGHT_MAX } from "../queue/defaults.ts";
import type { Lane } from "../queue/lane.ts";
import type { CommandContext } from "./command-context.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";

const LIMIT: ServerCommandSpec = {
  name: "limit",
  summary: "set how many jobs of a lane run at once",
  description: "Set how many jobs of a lane run at once, over all workers; none takes the limit away.",
  example: "limit mail acme 5",
  memory: "blind",
  isReadonly: false,
  mayBeAbsent: true,
};

const WEIGHT: ServerCommandSpec = {
  name: "weight",
  summary: "set how many jobs a lane gets in its turn",
  description: "Set how many jobs a lane gets in its turn where other lanes get one; none takes the weight away.",
  example: "weight mail acme 3",
  memory: "blind",
  isReadonly: false,
  mayBeAbsent: true,
};

const ORDER: ServerCommandSpec = {
  name: "order",
  summary: "run the jobs of a lane strictly in order, or end that",
  description:
    "Run the jobs of a lane one at a time and strictly in order: one that failed or is delayed keeps those behind it " +
    "waiting. Ending that leaves the lane without a limit.",
  example: "order mail account-7 on",
  memory: "blind",
  isReadonly: false,
  mayBeAbsent: true,
};

/** The word that takes a setting away. */
const NONE = "none";

/** The command; see `echomq limit --help`. */
export function limitCommand(context: CommandContext): Command {
  return numberCommand(context, LIMIT, { max: LANE_LIMIT_MAX, set: (lane, limit) => lane.limit(limit) });
}

/** The command; see `echomq weight --help`. */
export function weightCommand(context: CommandContext): Command {
  return numberCommand(context, WEIGHT, { max: LANE_WEIGHT_MAX, set: (lane, weight) => lane.weight(weight) });
}

/** The command; see `echomq order --help`. */
export function orderCommand(context: CommandContext): Command {
  return serverCommand(ORDER)
    .argument("<queue>", "name of the queue")
    .argument("<lane>", "name of the lane")
    .addArgument(new Argument("<mode>", "whether it is ordered from now on").choices(["on", "off"]))
    .action(async (queue: string, lane: string, mode: string, options: ServerOptions) => {
      const isOrdered = mode === "on";
      await withQueue({ context, spec: ORDER, options, queue }, (core) => core.lane(lane).ordered(isOrdered));
      if (options.json === true) writeJson(context.host, { queue, lane, isOrdered });
      else context.host.out.write(isOrdered ? "ordered: one job at a time\n" : "not ordered, and without a limit\n");
    });
}

/** What sets a number of a lane. */
interface NumberSetting {
  readonly max: number;
  readonly set: (lane: Lane, value: number | null) => Promise<void>;
}

function numberCommand(context: CommandContext, spec: ServerCommandSpec, { max, set }: NumberSetting): Command {
  return serverCommand(spec)
    .argument("<queue>", "name of the queue")
    .argument("<lane>", "name of the lane")
    .argument(`<${spec.name}>`, `1 to ${max}, or ${NONE}`, numberOrNone(max))
    .action(async (queue: string, lane: string, value: number | null, options: ServerOptions) => {
      await withQueue({ context, spec, options, queue }, (core) => set(core.lane(lane), value));
      if (options.json === true) writeJson(context.host, { queue, lane, [spec.name]: value });
      else context.host.out.write(value === null ? `no ${spec.name}\n` : `${spec.name} ${value}\n`);
    });
}

function numberOrNone(max: number): (text: string) => number | null {
  const parse = wholeNumber({ min: 1, max });
  return (text) => {
    if (text === NONE) return null;
    try {
      return parse(text);
    } catch {
      throw new InvalidArgumentError(`Give a whole number from 1 to ${max}, or ${NONE}.`);
    }
  };
}
