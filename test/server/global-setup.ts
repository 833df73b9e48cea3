/**
 * Fetches missing servers once, before any worker asks for one. What cannot be had is no failure here: the tests that
 * need it say so, and a run of unit tests alone needs none.
 */

import { findRedis, findServer } from "../../scripts/server/find-server.mjs";

/** Vitest calls it before the first file. */
export function setup(): void {
  for (const find of [findServer, findRedis]) {
    try {
      find();
    } catch {
      // The test that starts this server reports the reason.
    }
  }
}
