/** Where the time of the server goes: what is told of its counters. */

import { describe, expect, it } from "vitest";
import { costOf, costTable } from "../../../bench/act-cost-report.mjs";
import { countersOf } from "../../../bench/wire.mjs";

const counters = countersOf({
  cmdstat_evalsha: "calls=10,usec=900,usec_per_call=90.00,rejected_calls=0,failed_calls=0",
  cmdstat_hset: "calls=100,usec=50,usec_per_call=0.50,rejected_calls=0,failed_calls=0",
  cmdstat_zadd: "calls=10,usec=150,usec_per_call=15.00,rejected_calls=0,failed_calls=0",
  "cmdstat_config|resetstat": "calls=1,usec=70,usec_per_call=70.00,rejected_calls=0,failed_calls=0",
});

describe("the cost of a job", () => {
  it("is that of the commands, of the script around them, and of reading and answering", () => {
    expect(costOf({ counters, act: "evalsha", processorUs: 1100, jobs: 100 })).toEqual({
      commands: [
        { name: "zadd", callsPerJob: 0.1, usPerCall: 15 },
        { name: "hset", callsPerJob: 1, usPerCall: 0.5 },
      ],
      commandsUs: 2,
      aroundUs: 7,
      actUs: 9,
      wireUs: 2,
      allUs: 11,
    });
  });

  it("has nothing around the commands where they come as they are", () => {
    const { evalsha: _, ...plain } = counters;
    const cost = costOf({ counters: plain, act: undefined, processorUs: 300, jobs: 100 });
    expect(cost).toMatchObject({ commandsUs: 2, aroundUs: 0, actUs: 2, wireUs: 1, allUs: 3 });
  });

  it("is a table with a command a line and a way a column", () => {
    const script = costOf({ counters, act: "evalsha", processorUs: 1100, jobs: 100 });
    const { zadd } = counters;
    if (zadd === undefined) throw new Error("no counter");
    const plain = costOf({
      counters: { zadd, del: { calls: 100, us: 90 } },
      act: undefined,
      processorUs: 300,
      jobs: 100,
    });
    expect(costTable("`TURN`", { script, "plain commands": plain })).toBe(
      [
        "| `TURN` | script | plain commands |",
        "|---|---|---|",
        "| zadd | 0.10 x 15.00 | 0.10 x 15.00 |",
        "| hset | 1.00 x 0.50 |  |",
        "| del |  | 1.00 x 0.90 |",
        "| all commands | 2.00 | 2.40 |",
        "| script or module around them | 7.00 | 0.00 |",
        "| the act | 9.00 | 2.40 |",
        "| reading and answering | 2.00 | 0.60 |",
        "| the server, in all | 11.00 | 3.00 |",
      ].join("\n"),
    );
  });
});
