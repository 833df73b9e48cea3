/**
 * What the guard says of a measurement beside its baseline.
 */

/** How much more than the baseline is told, by the kind of figure: how full batches are depends on timing. */
const MARGINS = [
  [/instructions/, 0.1],
  [/processor time|server time/, 0.35],
  [/commands/, 0.1],
  [/bytes/, 0.05],
];

/** One line for each figure: what it was, what it is, and whether somebody should look. */
export function compare(baseline, measured) {
  return Object.entries(measured).map(([name, value]) => {
    const before = baseline[name];
    if (before === undefined) return { name, value, verdict: "new" };
    const change = value / before - 1;
    const margin = MARGINS.find(([kind]) => kind.test(name))?.[1] ?? 0;
    const verdict = change > margin ? "grown" : change < -margin ? "less" : "as before";
    return { name, before, value, change, verdict };
  });
}

/** The lines as text for people, with the grown ones told again at the end. */
export function guardTable(lines, lacks) {
  const width = Math.max(0, ...lines.map(({ name }) => name.length));
  const rows = lines.map(({ name, before, value, change, verdict }) => {
    const was = before === undefined ? "" : before.toPrecision(4);
    const percent = change === undefined ? "" : `${change < 0 ? "" : "+"}${(change * 100).toFixed(0)} %`;
    const cells = [was.padStart(9), value.toPrecision(4).padStart(9), percent.padStart(7), verdict];
    return [name.padEnd(width), ...cells].join("  ");
  });
  const grown = lines.filter(({ verdict }) => verdict === "grown").length;
  return [...lacks, ...rows, "", `${grown} of ${lines.length} figures have grown beyond their margin`, ""].join("\n");
}
