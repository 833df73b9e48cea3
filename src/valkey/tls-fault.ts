/**
 * Tells a failed handshake of TLS from a server that is merely away.
 *
 * A wrong authority, a missing certificate or a port that speaks no TLS is a mistake in the connection and not a
 * moment of bad luck, so whoever made it must hear of it at once. But certificates are also renewed while programs run,
 * so a connection that was up before goes on trying: whether a fault is final is the decision of the link.
 */

import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";

/** Codes by which Node.js refuses a server's certificate, beside those that begin as {@link PREFIXES} say. */
const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
]);

const PREFIXES = ["ERR_SSL_", "ERR_TLS_", "ERR_OSSL_", "CERT_"];

/** The error for a handshake that failed, or `undefined` for any other failure. */
export function tlsFault(error: Error): EchoMQError | undefined {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string") return undefined;
  if (!CERTIFICATE_CODES.has(code) && !PREFIXES.some((prefix) => code.startsWith(prefix))) return undefined;
  return new EchoMQError("invalid_connection", `TLS with the server failed: ${reason(error, code)}.`, {
    cause: error,
    details: { tls: code },
  });
}

/** Whether an error is one that {@link tlsFault} made. */
export function isTlsFault(error: unknown): boolean {
  return isEchoMQError(error, "invalid_connection") && typeof error.details["tls"] === "string";
}

function reason(error: Error, code: string): string {
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG") {
    return "the port speaks no TLS; use valkey:// or the server's port for TLS";
  }
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/.test(code)) {
    return "the server wants a certificate of this client; give tls: { cert, key }";
  }
  if (code.includes("ALERT")) return `the server does not accept the certificate of this client (${code})`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `${error.message.replace(/\.$/, "")}; see tls: { servername }`;
  if (code.startsWith("ERR_")) return code;
  return `${error.message}; give the authority that signed the server's certificate as tls: { ca }`;
}
