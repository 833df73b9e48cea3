/**
 * The address of a server as one text, `host:port`, which is how a cluster names its nodes in redirects.
 *
 * An IPv6 host stands without brackets there, so the port is what follows the last colon.
 */

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The address as people write it, for messages and as a key of maps. */
export function addressText({ host, port }: Address): string {
  return `${host}:${port}`;
}

/**
 * Reads `host:port`; `undefined` when it is none. A node that does not know its own host leaves it empty, which means
 * the host that was asked: `askedHost`.
 */
export function parseAddress(text: string, askedHost: string): Address | undefined {
  const colon = text.lastIndexOf(":");
  const port = Number(text.slice(colon + 1));
  if (colon < 0 || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  return { host: text.slice(0, colon) || askedHost, port };
}
