/**
 * A picture of one row: bars with whiskers from the least to the greatest run, one panel for each figure. Drawn by
 * ECharts without a browser or a canvas.
 */

import { init } from "echarts";
import { COLUMNS } from "./columns.mjs";
import { headOf, labelOf, shown } from "./report.mjs";

const WIDTH = 860;
const BAR_HEIGHT = 24;
const PANEL_GAP = 46;
const HEAD_HEIGHT = 64;
const LEFT = 260;

/** Ours in one hue, others in greys, so that the eye finds us without reading. */
const COLOURS = {
  lua: "#1f6feb",
  native: "#0a3d91",
  embedded: "#54aeff",
  serve: "#8ecbff",
  bullmq: "#d1495b",
  "bee-queue": "#edae49",
};
const COLOUR_REST = "#8c959f";

/** The row as SVG text. Processor times have panels of their own below the speeds. */
export function pictureOf(machine, result) {
  const panels = [...new Set(result.figures.map(({ figure }) => figure))].map((figure) => ({
    figure,
    bars: result.figures.filter((one) => one.figure === figure).toReversed(),
  }));
  const heights = panels.map(({ bars }) => bars.length * BAR_HEIGHT);
  const height = HEAD_HEIGHT + heights.reduce((sum, one) => sum + one + PANEL_GAP, 0);
  const tops = heights.map(
    (_, at) => HEAD_HEIGHT + 20 + heights.slice(0, at).reduce((sum, one) => sum + one + PANEL_GAP, 0),
  );
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
  chart.setOption({
    animation: false,
    backgroundColor: "#ffffff",
    textStyle: { fontFamily: "sans-serif" },
    title: [
      {
        text: result.title,
        subtext: subtextOf(machine),
        left: 12,
        top: 6,
        textStyle: { fontSize: 15 },
        subtextStyle: { fontSize: 11 },
      },
      ...panels.map(({ figure }, at) => ({
        text: `${labelOf(result, figure)}, ${isMoreBetter(result, figure) ? "more" : "less"} is better`,
        left: LEFT,
        top: tops[at] - 20,
        textStyle: { fontSize: 12, fontWeight: "normal", color: "#57606a" },
      })),
    ],
    grid: panels.map((_, at) => ({ left: LEFT, right: 90, top: tops[at], height: heights[at] })),
    xAxis: panels.map((_, at) => ({ type: "value", gridIndex: at, min: 0, show: false })),
    yAxis: panels.map(({ bars }, at) => ({
      type: "category",
      gridIndex: at,
      data: bars.map(({ column, median }) => `${titleOf(column)}   ${shown(median)}`),
      axisTick: { show: false },
      axisLabel: { fontSize: 11, width: LEFT - 20, overflow: "truncate" },
    })),
    series: panels.flatMap(({ bars }, at) => [barsOf(bars, at), whiskersOf(bars, at)]),
  });
  const text = chart.renderToSVGString();
  chart.dispose();
  return `${text}\n`;
}

function barsOf(bars, at) {
  return {
    type: "bar",
    xAxisIndex: at,
    yAxisIndex: at,
    barWidth: BAR_HEIGHT - 8,
    data: bars.map((bar) => ({
      value: bar.median,
      itemStyle: { color: COLOURS[bar.column] ?? COLOUR_REST },
    })),
  };
}

function whiskersOf(bars, at) {
  return {
    type: "custom",
    xAxisIndex: at,
    yAxisIndex: at,
    data: bars.map((bar, place) => [place, bar.min, bar.max]),
    encode: { x: [1, 2], y: 0 },
    renderItem: (_params, api) => {
      const [left, y] = api.coord([api.value(1), api.value(0)]);
      const [right] = api.coord([api.value(2), api.value(0)]);
      const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: "#1f2328" } });
      return {
        type: "group",
        children: [line(left, y, right, y), line(left, y - 4, left, y + 4), line(right, y - 4, right, y + 4)],
      };
    },
  };
}

function subtextOf(machine) {
  const [, where] = headOf(machine);
  const busy = machine.isBusy ? ", busy with other work" : "";
  return `median of ${machine.rounds}, whiskers from least to greatest; ${where}${busy}`;
}

/** Speeds are the better the more, whatever the row is about; processor times and all else the less. */
function isMoreBetter(result, figure) {
  return figure === "perSecond" ? result.isMoreBetter : figure === "most";
}

function titleOf(name) {
  return COLUMNS.find((column) => column.name === name)?.title ?? name;
}
