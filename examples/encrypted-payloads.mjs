/**
 * Payloads that only the holders of a key can read, and a change of the key without a pause.
 *
 * A payload names its key. The first key of the list encrypts and all of them decrypt, so jobs of the old key go on
 * while new ones are written under the new key. A worker without the key fails the attempt and says which one it lacks.
 *
 *   node examples/encrypted-payloads.mjs
 */

import { randomBytes } from "node:crypto";
import { Queue, Worker } from "echomq";
import { json, withCompression, withEncryption } from "echomq/codec";

const connection = "memory:";
const winter = { id: "2026-winter", key: randomBytes(32) };
const spring = { id: "2026-spring", key: randomBytes(32) };
const codec = (...keys) => withEncryption(withCompression(json), { keys, context: "payments" });

const before = new Queue("payments", { connection, codec: codec(winter) });
const job = await before.add("pay", { iban: "DE02 1203 0000 0000 2020 51" });
await before.close();

const after = new Queue("payments", { connection, codec: codec(spring, winter) });
await after.add("pay", { iban: "FR14 2004 1010 0505 0001 3M02 606" });

const stored = await after.getJob(job.id);
console.log(`stored: ${Buffer.from(stored.payload).includes("DE02") ? "readable" : "unreadable"} by others`);

/** Runs a worker until it has dealt with so many jobs. */
async function work(count, keys) {
  const worker = new Worker("payments", (job) => job.data.iban.slice(0, 2), {
    connection,
    codec: codec(...keys),
    attempts: 1,
  });
  const lines = [];
  await new Promise((resolve) => {
    const end = (line) => {
      if (lines.push(line) === count) resolve();
    };
    worker.on("completed", (_job, country) => end(`paid to ${country}`));
    worker.on("failed", (_job, error) => end(`${error.code}: ${error.details.keyId}`));
  });
  await worker.close();
  return lines.sort();
}

for (const line of await work(2, [winter])) console.log(`with one key, ${line}`);
// Dead jobs wait for whoever mends the cause.
for (const dead of await after.getJobs("dead")) await dead.retry();
for (const line of await work(1, [spring, winter])) console.log(`with both keys, ${line}`);

await after.close();
