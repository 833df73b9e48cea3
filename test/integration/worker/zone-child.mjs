/** Prints the next slot of a scheduler without a zone, and the zone of its own process. Argument: the URL. */

import { Queue } from "../../../dist/index.js";

const [url, name] = process.argv.slice(2);
const queue = new Queue(name, { connection: url });
const scheduler = await queue.upsertJobScheduler("s", { pattern: "0 6 1 1 *" });
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
process.stdout.write(JSON.stringify({ zone, nextAt: scheduler.nextAt?.toISOString() }));
await queue.close();
