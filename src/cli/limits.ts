/** `echomq limits`: shows the limits of a queue, or sets those of the queue, a lane or a job name. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { LANE_LIMIT_MAX } from "../queue/defaults.ts";
import type { DurationText } from "../queue/duration.ts";
import type { QueueLimits } from "../queue/limits.ts";
import { RATE_CLAIMS_MAX, RATE_WAYS, type Rate, type RateWay } from "../queue/rate.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, withQueue, writeJson } from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";

const LIMITS: ServerCommandSpec = {
  name: "limits",
  summary: "show or set how many jobs of a queue run, and start in a time",
  description:
    "Show the limits of a queue, or set them: how many of its jobs run at once, and how many start in a time, over all " +
    "workers. With --lane or --job-name the rate is that of a lane or of a job name. What is not named stays; none takes " +
    "a limit away.",
  example: "limits mail --concurrency 10 --rate 100/1s",
  memory: "blind",
  isReadonly: false,
};

/** The word that takes a limit away. A parser of an option must not answer null, which is no value there. */
const NONE = "none";

interface LimitsOptions extends ServerOptions {
  readonly concurrency?: number | typeof NONE;
  readonly rate?: Rate | typeof NONE;
  readonly way?: RateWay;
  readonly burst?: number;
  readonly lane?: string;
  readonly jobName?: string;
}

/** The command; see `echomq limits --help`. */
export function limitsCommand(context: CommandContext): Command {
  return serverCommand(LIMITS)
    .argument("<queue>", "name of the queue")
    .option("--concurrency <number>", `jobs that run at once, 1 to ${LANE_LIMIT_MAX}, or ${NONE}`, ceiling)
    .option("--rate <rate>", `jobs that start in a time, such as 100/1s, or ${NONE}`, rateText)
    .addOption(new Option("--way <way>", "how the rate counts").choices([...RATE_WAYS]))
    .option("--burst <number>", "size of a bucket", wholeNumber({ min: 1, max: RATE_CLAIMS_MAX }))
    .option("--lane <name>", "set the rate of this lane")
    .option("--job-name <name>", "set the rate of this job name")
    .action(async (queue: string, options: LimitsOptions) => {
      const { concurrency, lane, jobName } = options;
      const rate = wantedRate(options);
      const spec = { ...LIMITS, mayBeAbsent: rate !== undefined || concurrency !== undefined };
      const limits = await withQueue({ context, spec, options, queue }, async (core) => {
        if (lane !== undefined && rate !== undefined) await core.lane(lane).rate(rate);
        else if (jobName !== undefined && rate !== undefined) await core.setLimits({ names: { [jobName]: rate } });
        else if (rate !== undefined) await core.setLimits({ rate });
        if (concurrency !== undefined) await core.setLimits({ concurrency: concurrency === NONE ? null : concurrency });
        return await core.limits();
      });
      if (options.json === true) writeJson(context.host, { queue, ...jsonOf(limits) });
      else context.host.out.write(`${linesOf(limits).join("\n")}\n`);
    });
}

/** The rate that the options ask for; `undefined` to leave it. */
function wantedRate({ rate, way, burst, lane, jobName }: LimitsOptions): Rate | null | undefined {
  if (lane !== undefined && jobName !== undefined) throw new CliError("usage", "Give --lane or --job-name, not both.");
  const isLost = rate === undefined && (way ?? burst ?? lane ?? jobName) !== undefined;
  if (isLost) throw new CliError("usage", "--way, --burst, --lane and --job-name need --rate.");
  if (rate === undefined) return undefined;
  if (rate === NONE) return null;
  return { ...rate, ...(way === undefined ? {} : { way }), ...(burst === undefined ? {} : { burst }) };
}

function ceiling(text: string): number | typeof NONE {
  return text === NONE ? NONE : wholeNumber({ min: 1, max: LANE_LIMIT_MAX })(text);
}

function rateText(text: string): Rate | typeof NONE {
  if (text === NONE) return NONE;
  const [, max, duration] = /^([1-9][0-9]{0,6})\/([0-9].*)$/.exec(text) ?? [];
  if (max === undefined || duration === undefined) {
    throw new InvalidArgumentError(`Give how many in how long, such as 100/1s, or ${NONE}.`);
  }
  return { max: Number(max), duration: duration as DurationText };
}

function jsonOf({ concurrency, rate, names, restsUntil }: QueueLimits): object {
  return { concurrency: concurrency ?? null, rate: rate ?? null, names, restsUntil };
}

function linesOf({ concurrency, rate, names, restsUntil }: QueueLimits): string[] {
  const lines = [
    `at once  ${concurrency ?? "no limit"}`,
    `rate     ${rate === undefined ? "no limit" : wordsOf(rate)}`,
    ...Object.entries(names).map(([name, named]) => `${JSON.stringify(name)}  ${wordsOf(named)}`),
  ];
  return restsUntil === 0 ? lines : [...lines, `nothing starts before ${new Date(restsUntil).toISOString()}`];
}

function wordsOf({ max, duration, way = "window", burst }: Rate): string {
  const size = burst === undefined ? "" : ` of ${burst}`;
  return `${max} in ${duration} ms, ${way}${size}`;
}
