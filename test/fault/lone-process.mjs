/**
 * A program with a queue and a worker that listens to nothing: what becomes of it, and of its log, in an outage?
 *
 * It runs what was built, as a program of a user does. Its parent tells it what to do by words, and it answers each.
 */

import { Queue, Worker } from "../../dist/index.js";

const connection = process.argv[2];
let completed = 0;
const queue = new Queue("mail", { connection });
const worker = new Worker(
  "mail",
  () => {
    completed += 1;
  },
  { connection },
);

const words = {
  async add() {
    await queue.add("letter", {}, { retryOnDisconnect: true });
    return "added";
  },
  completed: () => completed,
  health: () => worker.health().isConsuming,
  /** Processor time of this process so far, in ms. */
  cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  async close() {
    await worker.close();
    await queue.close();
    process.disconnect();
  },
};

async function answer(word) {
  const reply = await words[word]();
  if (process.connected) process.send(reply);
}

process.on("message", (word) => void answer(word));
process.send("begun");
