/** The error of EchoMQ that an action throws, for tests that look at its code and details. */

import { type EchoMQError, isEchoMQError } from "../../../src/protocol/errors.ts";

/** Runs `action` and gives its error; anything but an error of EchoMQ fails the test. */
export function refusalOf(action: () => unknown): EchoMQError {
  let answer: unknown;
  try {
    answer = action();
  } catch (error) {
    if (isEchoMQError(error)) return error;
    throw error;
  }
  throw new Error(`expected a refusal, got ${String(answer)}`);
}
