/**
 * Finds out why a server cuts an encrypted connection that it has just accepted.
 *
 * With TLS 1.3 a client is ready before the server has looked at its certificate, and writes at once. A server that
 * refuses the certificate says so and closes; but bytes that it had not read make the system reset the connection, and
 * a reset throws away what was not read on this side either, the reason among it. So the reason is asked for again by a
 * connection that writes nothing: nothing of it can be reset, and the alert arrives.
 */

import { type ConnectionOptions, connect } from "node:tls";
import type { EchoMQError } from "../protocol/errors.ts";
import { tlsFault } from "./tls-fault.ts";

/** Longest wait for a server to say what it does not like, in ms. */
export const PROBE_MS = 1000;

/** Where a connection leads and how it is encrypted, as the client libraries keep it in their options. */
export interface TlsPlace {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly tls?: ConnectionOptions;
}

/**
 * Connects, listens for up to {@link PROBE_MS} and closes.
 *
 * @returns the fault of the handshake, or `undefined` when the server finds none (or is away).
 */
export function probeTls({ host, port, path, tls }: TlsPlace): Promise<EchoMQError | undefined> {
  return new Promise((resolve) => {
    const place = path === undefined || path === "" ? { host: host ?? "localhost", port: port ?? 6379 } : { path };
    const finish = (fault: EchoMQError | undefined): void => {
      socket.destroy();
      resolve(fault);
    };
    const socket = connect({ ...place, ...tls, timeout: PROBE_MS } as ConnectionOptions);
    socket.on("error", (error: Error) => finish(tlsFault(error)));
    socket.on("timeout", () => finish(undefined));
    socket.on("close", () => finish(undefined));
    // Only a stream that is read tells that the far side has ended it.
    socket.resume();
  });
}
