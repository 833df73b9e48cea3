/**
 * The code under test: a sign-up that leaves its mails to a queue. It takes its connection from outside, and that is
 * all that a test needs.
 */

import { Queue, Worker } from "echomq";

/** What the program starts in production with `{ connection: "valkey://…", send }`. */
export function createSignup({ connection, send }) {
  const mail = new Queue("mail", { connection, defaultJobOptions: { attempts: 4 } });
  const worker = new Worker("mail", ({ name, data }) => send(name, data.to), {
    connection,
    backoff: { type: "fixed", delay: "1h" },
  });
  return {
    async signUp(user) {
      await mail.add("welcome", { to: user.email }, { idempotencyKey: `welcome ${user.email}` });
      await mail.add("tips", { to: user.email }, { delay: "3d", idempotencyKey: `tips ${user.email}` });
    },
    async close() {
      await worker.close({ timeout: 0 });
      await mail.close();
    },
  };
}
