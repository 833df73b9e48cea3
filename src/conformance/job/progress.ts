/** What `PROGRESS` promises: the value is stored as it is and told to whoever listens, as JSON that always parses. */

import { textOf } from "../../protocol/bytes.ts";
import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const progressScenarios: readonly ScenarioDraft[] = [
  {
    row: 29,
    name: "update_progress",
    contract: "Progress is stored and published with the job's id; an unknown job is gone.",
    async run(t) {
      const messages = await t.messages(t.key("events"));
      const id = await t.enqueued();
      same(await t.jobs.updateProgress(t.queue, id, "50"), "ok", "progress");
      same(await t.field(id, "progress"), "50", "the field");
      await t.until(() => messages.length > 0, "the event");
      same(JSON.parse(messages[0] ?? ""), { event: "progress", job: id, progress: "50" }, "the event");
      same(await t.jobs.updateProgress(t.queue, t.id(), "50"), "gone", "an unknown id");
    },
  },
  {
    name: "progress_json",
    contract:
      "The event is valid JSON for any bytes: control characters are escaped, invalid UTF-8 becomes U+FFFD (C24).",
    async run(t) {
      const messages = await t.messages(t.key("events"));
      const id = await t.enqueued();
      const control = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("");
      const values = [
        `${control}\u007f`,
        '"quoted" \\ and / slashed',
        "\u00c3\u00a9 \u00e2\u0082\u00ac \u00f0\u009f\u0098\u0080",
        // A lone continuation, an overlong form, a cut-off sequence, a surrogate, and a byte that never occurs.
        "a\u0080b",
        "\u00c0\u00afb",
        "\u00e2\u0082b",
        "\u00ed\u00a0\u0080b",
        "\u00ffb\u00fe",
        "\u00f0\u009f\u0098",
        "\u00f4\u0090\u0080\u0080",
      ];
      for (const [at, value] of values.entries()) {
        const array = Uint8Array.from(value, (character) => character.charCodeAt(0));
        same(await t.jobs.updateProgress(t.queue, id, array), "ok", "progress");
        same(await t.field(id, "progress"), value, "the field");
        await t.until(() => messages.length > at, "the event");
        const event = JSON.parse(textOf(messages[at] ?? "")) as { progress: string };
        same(event.progress.includes("\ufffd"), textOf(value).includes("\ufffd"), `bad UTF-8 in event ${at}`);
        if (!event.progress.includes("\ufffd")) same(event.progress, textOf(value), `the text of event ${at}`);
      }
      same(messages.length, values.length, "events");
    },
  },
];
