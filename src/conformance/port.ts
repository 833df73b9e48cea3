/**
 * The port: all that a scenario may ask of an engine beyond acts and commands.
 *
 * Scenarios never know which engine they run on. What one engine has and another has not (a socket, a script cache, a
 * clock that can be moved) stands behind a method that each answers in its own way, so no scenario is ever left out for
 * the sake of an engine.
 */

import type { Engine } from "../engine/engine.ts";

/** One more connection to the server under test. An engine in process hands out itself. */
export interface ConformanceConnection {
  readonly engine: Engine;
  /** Breaks the connection as a network does. An engine in process has none to break and goes on. */
  drop(): Promise<void>;
  /** Resolves when the engine can be asked again after a {@link ConformanceConnection.drop} and is subscribed again. */
  reopen(): Promise<void>;
  /** Ends the connection. Calling it twice is harmless. */
  close(): Promise<void>;
}

/** The server under test. */
export interface ConformancePort {
  /** The engine that acts and commands of scenarios go through. */
  readonly engine: Engine;
  /** What the fence key must hold. */
  readonly wireVersion: string;
  /** Mints the next id of a namespace; ids of one port rise. */
  mint(namespace: string): string;
  /** Opens a further connection to the same server. */
  open(): Promise<ConformanceConnection>;
  /** Makes the server forget every script, so that the next act has to bring its own. */
  flush(): Promise<void>;
  /** The server's clock, in Unix milliseconds. */
  serverNow(): Promise<number>;
  /** Resolves when the server's clock has gone on by at least `ms`. */
  advance(ms: number): Promise<void>;
  /** Why the server cannot run a command that a scenario needs; `undefined` when it can. */
  lacks(command: string): Promise<string | undefined>;
}
