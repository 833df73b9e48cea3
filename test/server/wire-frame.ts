/**
 * Where one reply or command of the wire ends, in both protocols of the server.
 *
 * The proxy of the fault tests must know whole replies, or it could lose none and answer nothing in a server's place
 * without mixing up what follows. It reads no values, so it shares nothing with the clients that it stands between.
 */

const CR = 0x0d;
const COLON = 0x3a;
const DOLLAR = 0x24;

/** What stands in front of a length of bytes that follow. */
const BLOBS = new Set([..."$=!"].map((sign) => sign.charCodeAt(0)));
/** What stands in front of a number of frames that follow. */
const LISTS = new Set([..."*~>"].map((sign) => sign.charCodeAt(0)));
/** What stands in front of a number of pairs that follow; an attribute has the frame that it belongs to behind it. */
const MAP = "%".charCodeAt(0);
const ATTRIBUTE = "|".charCodeAt(0);

/** The end of the frame that begins at `start`, or `undefined` when bytes of it are missing. */
export function frameEnd(bytes: Buffer, start: number): number | undefined {
  let at = start;
  // Frames that are still to come: one, and what lists in it announce.
  for (let left = 1; left > 0; left--) {
    const lineEnd = bytes.indexOf("\r\n", at, "latin1");
    if (lineEnd < 0) return undefined;
    const sign = bytes[at] ?? 0;
    const count = Number(bytes.toString("latin1", at + 1, lineEnd));
    at = lineEnd + 2;
    if (BLOBS.has(sign) && count >= 0) at += count + 2;
    else if (LISTS.has(sign) && count > 0) left += count;
    else if (sign === MAP && count > 0) left += 2 * count;
    else if (sign === ATTRIBUTE) left += 2 * count + 1;
    if (at > bytes.length) return undefined;
  }
  return at;
}

/** A command as it is sent: parts as text of one character a byte. */
export function commandFrame(parts: readonly string[]): string {
  return `*${parts.length}\r\n${parts.map((part) => `$${part.length}\r\n${part}\r\n`).join("")}`;
}

/** The parts of a command, which is a list of texts; no parts for anything else. Bytes as Latin-1 text. */
export function partsOf(frame: Buffer): string[] {
  const parts: string[] = [];
  let at = frame.indexOf("\r\n", 0, "latin1") + 2;
  while (frame[at] === DOLLAR) {
    const lineEnd = frame.indexOf("\r\n", at, "latin1");
    const length = Number(frame.toString("latin1", at + 1, lineEnd));
    parts.push(frame.toString("latin1", lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
  return parts;
}

/** A reply in which every whole number of `names` is replaced: what a cluster says of its ports. */
export function renumbered(frame: Buffer, names: ReadonlyMap<number, number>): Buffer {
  const lines: string[] = [];
  let at = 0;
  while (at < frame.length) {
    const lineEnd = frame.indexOf("\r\n", at, "latin1");
    const line = frame.toString("latin1", at, lineEnd);
    const sign = line.charCodeAt(0);
    at = lineEnd + 2;
    lines.push(sign === COLON ? `:${renamed(line.slice(1), names)}` : line);
    if (BLOBS.has(sign) && !line.startsWith("$-1")) {
      const length = Number(line.slice(1));
      lines.push(frame.toString("latin1", at, at + length));
      at += length + 2;
    }
  }
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(""), "latin1");
}

/** A refusal that points to another node, with the port under which a client must ask there. */
export function redirected(text: string, names: ReadonlyMap<number, number>): string {
  return text.replace(/:(\d+)\r\n$/, (_, port: string) => `:${renamed(port, names)}\r\n`);
}

function renamed(number: string, names: ReadonlyMap<number, number>): string {
  return String(names.get(Number(number)) ?? number);
}

/** Whether a reply is no answer to a command: a push of protocol 3, or a message of protocol 2. */
export function isMessage(frame: Buffer): boolean {
  const head = frame.toString("latin1", 0, 40);
  return /^[*>]\d+\r\n\$\d+\r\n[ps]?message\r\n/.test(head);
}

/** Whether a frame begins a list, so whether a byte stream is one of commands. */
export function isCommand(first: number): boolean {
  return first === "*".charCodeAt(0);
}

/** Whether a reply is a refusal. */
export function isRefusal(frame: Buffer): boolean {
  return frame[0] === "-".charCodeAt(0);
}

/** A token of a wake list as `BLPOP` answers it: a list of two. */
export function isPair(frame: Buffer): boolean {
  return frame.toString("latin1", 0, 4) === "*2\r\n" && frame[2] === CR;
}
