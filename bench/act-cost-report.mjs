/**
 * What the counters of the server say of an act: what its commands take, what the script or the module around them
 * takes, and what reading the call and answering it does.
 */

/**
 * The cost of a job in microseconds.
 *
 * @param counters What the commands were called and took; see `countersOf` of `wire.mjs`.
 * @param act The command that is the act; undefined where plain commands do its work.
 * @param processorUs What the server took in all.
 * @param jobs How many jobs that was for.
 */
export function costOf({ counters, act, processorUs, jobs }) {
  const inner = Object.entries(counters).filter(([name]) => name !== act && !OURS.has(name));
  const commands = inner
    .map(([name, { calls, us }]) => ({ name, callsPerJob: calls / jobs, usPerCall: us / calls }))
    .sort((a, b) => b.callsPerJob * b.usPerCall - a.callsPerJob * a.usPerCall);
  const commandsUs = inner.reduce((sum, [, { us }]) => sum + us, 0) / jobs;
  const actUs = act === undefined ? commandsUs : counters[act].us / jobs;
  const allUs = processorUs / jobs;
  return { commands, commandsUs, aroundUs: actUs - commandsUs, actUs, wireUs: allUs - actUs, allUs };
}

/** Commands with which the bench itself looks. */
const OURS = new Set(["info", "config|resetstat"]);

/** The rows below the commands, and what of a cost they show. */
const SUMS = [
  ["all commands", "commandsUs"],
  ["script or module around them", "aroundUs"],
  ["the act", "actUs"],
  ["reading and answering", "wireUs"],
  ["the server, in all", "allUs"],
];

/** One table of an act: a command a line, a way a column; `costs` gives the cost by the name of the way. */
export function costTable(title, costs) {
  const ways = Object.keys(costs);
  const names = [...new Set(Object.values(costs).flatMap(({ commands }) => commands.map(({ name }) => name)))];
  const cellOf = (way, name) => {
    const command = costs[way].commands.find((one) => one.name === name);
    if (command === undefined) return "";
    return `${command.callsPerJob.toFixed(2)} x ${command.usPerCall.toFixed(2)}`;
  };
  const rows = [
    ...names.map((name) => [name, ...ways.map((way) => cellOf(way, name))]),
    ...SUMS.map(([name, key]) => [name, ...ways.map((way) => costs[way][key].toFixed(2))]),
  ];
  return [`| ${title} | ${ways.join(" | ")} |`, `|---|${ways.map(() => "---|").join("")}`]
    .concat(rows.map((cells) => `| ${cells.join(" | ")} |`))
    .join("\n");
}
