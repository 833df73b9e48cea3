/**
 * Certificates for servers and clients of one test, made without any program beside Node.js.
 *
 * Node.js can sign and read certificates but not make them, so the few structures of X.509 that a server and a client
 * need are written here in DER. Every call is a new authority, which nothing on the machine trusts.
 */

import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate and its key, as PEM text and as files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly certPath: string;
  readonly keyPath: string;
}

/** An authority and what it signed. `remove` deletes the files. */
export interface Authority {
  readonly ca: string;
  readonly caPath: string;
  /** For 127.0.0.1 and localhost. */
  readonly server: Certificate;
  readonly client: Certificate;
  remove(): void;
}

const ECDSA_SHA256 = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));

/** Makes an authority, a server's certificate and a client's. */
export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), "echomq-tls-"));
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const authority = newKeys();
  const ca = certificate({
    subject: "test authority",
    keys: authority,
    issuer: authority,
    extensions: [isAuthority()],
  });
  const issue = (subject: string, extensions: Buffer[]): Certificate => {
    const keys = newKeys();
    const cert = certificate({ subject, keys, issuer: authority, extensions });
    const key = keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    return { cert, key, certPath: write(`${subject}.crt`, cert), keyPath: write(`${subject}.key`, key) };
  };
  return {
    ca,
    caPath: write("ca.crt", ca),
    server: issue("server", [alternativeNames()]),
    client: issue("client", []),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function newKeys(): Keys {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function certificate(parts: { subject: string; keys: Keys; issuer: Keys; extensions: Buffer[] }): string {
  const { subject, keys, issuer, extensions } = parts;
  const now = Date.now();
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(1 + Math.floor(Math.random() * 2 ** 30)),
    ECDSA_SHA256,
    name("test authority"),
    sequence(time(now - 3_600_000), time(now + 86_400_000)),
    name(subject),
    keys.publicKey.export({ type: "spki", format: "der" }),
    ...(extensions.length === 0 ? [] : [tagged(0xa3, sequence(...extensions))]),
  );
  const signature = sign("sha256", body, issuer.privateKey);
  const der = sequence(body, ECDSA_SHA256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** basicConstraints, critical: this key may sign certificates. */
function isAuthority(): Buffer {
  const value = sequence(tagged(0x01, Buffer.from([0xff])));
  return sequence(oid([0x55, 0x1d, 0x13]), tagged(0x01, Buffer.from([0xff])), tagged(0x04, value));
}

/** subjectAltName: the names that the tests connect to. */
function alternativeNames(): Buffer {
  const value = sequence(tagged(0x82, Buffer.from("localhost")), tagged(0x87, Buffer.from([127, 0, 0, 1])));
  return sequence(oid([0x55, 0x1d, 0x11]), tagged(0x04, value));
}

function name(commonName: string): Buffer {
  const pair = sequence(oid([0x55, 0x04, 0x03]), tagged(0x0c, Buffer.from(commonName)));
  return sequence(tagged(0x31, pair));
}

function time(atMs: number): Buffer {
  const text = `${new Date(atMs).toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  return tagged(0x18, Buffer.from(text));
}

function oid(bytes: number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

/** A whole number from 0 to 2^31 - 1. */
function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  let start = 0;
  // DER wants the shortest form, and a first bit of 1 would make the number negative.
  while (start < 3 && bytes[start] === 0 && (bytes[start + 1] ?? 0) < 0x80) start++;
  return tagged(0x02, bytes.subarray(start));
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}
