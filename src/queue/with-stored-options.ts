/**
 * Adds what the package itself has to say of a job to the options in its row.
 *
 * What a caller overrides stands in `opts` as compact JSON. What a worker has to know beside it, and no caller writes
 * (where a trace goes on, when a callback is to run), stands in the same field, so a job that needs nothing of it pays
 * nothing for it.
 */

import { bytesOf, textOf } from "../protocol/bytes.ts";
import type { Draft } from "./job-draft.ts";

/** A draft whose row has these fields among its options; the draft itself is left as it is. */
export function withStoredOptions(draft: Draft, fields: Readonly<Record<string, unknown>>): Draft {
  const { plan } = draft;
  const at = plan.shape.indexOf("o");
  const options: unknown = at < 0 ? {} : JSON.parse(textOf(plan.values[at] ?? "{}"));
  const opts = bytesOf(JSON.stringify(Object.assign({}, options, fields)));
  if (at >= 0) return { ...draft, plan: { ...plan, values: plan.values.with(at, opts) } };
  const shape = `${plan.shape}o`;
  return { ...draft, plan: { ...plan, shape, namedShape: `n${shape}`, values: [...plan.values, opts] } };
}
