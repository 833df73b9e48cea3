import { describe, expect, it } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { isTlsFault, tlsFault } from "../../../src/valkey/tls-fault.ts";

const failure = (code: string, message = "as the library says") => Object.assign(new Error(message), { code });

describe("a failed handshake of TLS", () => {
  it.each([
    ["SELF_SIGNED_CERT_IN_CHAIN", /tls: \{ ca \}/],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /tls: \{ ca \}/],
    ["CERT_HAS_EXPIRED", /as the library says/],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /servername/],
    ["ERR_SSL_WRONG_VERSION_NUMBER", /speaks no TLS/],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", /tls: \{ cert, key \}/],
    ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", /does not accept the certificate of this client/],
  ])("of the code %s says what would mend it", (code, reason) => {
    const fault = tlsFault(failure(code));
    expect(fault).toMatchObject({ code: "invalid_connection", retryable: false, details: { tls: code } });
    expect(fault?.message).toMatch(reason);
    expect(isTlsFault(fault)).toBe(true);
  });

  it("is no failure of the network, and no other error of this package", () => {
    for (const error of [failure("ECONNRESET"), failure("ETIMEDOUT"), new Error("no code")]) {
      expect(tlsFault(error)).toBeUndefined();
    }
    expect(isTlsFault(new EchoMQError("invalid_connection", "something else"))).toBe(false);
  });
});
