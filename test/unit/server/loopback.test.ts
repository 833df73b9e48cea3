/** Which addresses other machines cannot reach. */

import { expect, it } from "vitest";
import { isLoopback } from "../../../src/server/loopback.ts";

it.each(["127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "localhost", "LocalHost"])(
  "%s is reached from its own machine only",
  (host) => expect(isLoopback(host)).toBe(true),
);

it.each(["0.0.0.0", "::", "10.0.0.1", "1.127.0.0", "127.0.0.1.example", "::ffff:10.0.0.1", "::2", "1::1", "box", ""])(
  "%s may be reached from elsewhere",
  (host) => expect(isLoopback(host)).toBe(false),
);
