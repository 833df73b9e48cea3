/**
 * What a connection of `file:` says: which folder, and how carefully it is written.
 *
 * A path in a URL is ambiguous in many ways, and a store in the wrong folder looks like an empty queue. So every form
 * that could mean two things is refused with the form to write.
 */

import type { FsyncMode } from "./embedded/journal/journal-start.ts";
import { EchoMQError } from "./protocol/errors.ts";
import { quote } from "./protocol/quote.ts";
import { assertKnownOptions } from "./queue/option-check.ts";

/** A store in a folder, as options. */
export interface FileConnectionOptions {
  /** `file:` and a folder: `file:./data`, `file:/var/lib/app/queue`, `file:///var/lib/app/queue`. */
  readonly url: string;
  /**
   * When the device has to have what was written. `always`: before a call is answered, so nothing that was acknowledged
   * is lost in a power cut. `everysec` (default): at most about a second later; the end of the process loses nothing.
   * `no`: whenever the system likes.
   */
  readonly fsync?: FsyncMode;
}

/** A connection of `file:` that was read. */
export interface FileConnection {
  /** The folder as it was written, relative to the working directory or absolute. */
  readonly path: string;
  /** `undefined` when it was not said. */
  readonly fsync: FsyncMode | undefined;
}

const MODES: readonly FsyncMode[] = ["always", "everysec", "no"];

const OPTION_TABLE = {
  owner: "A connection of file:",
  known: ["url", "fsync"],
  foreign: {
    wireVersion: "a folder is written by this wire alone",
    isReadonly: "a folder is open in one process, which writes",
    host: "share a folder with echomq serve, and connect to that",
    port: "share a folder with echomq serve, and connect to that",
  },
};

const QUERY_TABLE = { owner: "The query of a file: URL", known: ["fsync"] };

/** Whether a connection is a folder. */
export function isFileConnection(connection: unknown): boolean {
  const url =
    typeof connection === "object" && connection !== null ? (connection as { url?: unknown }).url : connection;
  return typeof url === "string" && url.startsWith("file:");
}

/**
 * Reads a connection of `file:`.
 *
 * @throws EchoMQError `invalid_connection`, `unknown_option` or `invalid_option`.
 */
export function parseFileConnection(connection: string | FileConnectionOptions): FileConnection {
  const options = typeof connection === "string" ? { url: connection } : connection;
  assertKnownOptions(options, OPTION_TABLE);
  const [place = "", ...queries] = options.url.slice("file:".length).split("?");
  const query = Object.fromEntries(new URLSearchParams(queries.join("?")));
  assertKnownOptions(query, QUERY_TABLE);
  const fsync = modeOf(options.fsync ?? query["fsync"]);
  return { path: pathOf(options.url, place), fsync };
}

function modeOf(fsync: unknown): FsyncMode | undefined {
  if (fsync === undefined) return undefined;
  const mode = MODES.find((each) => each === fsync);
  if (mode !== undefined) return mode;
  throw new EchoMQError("invalid_option", `fsync must be one of ${MODES.join(", ")}, not ${quote(fsync)}`, {
    details: { option: "fsync" },
  });
}

function pathOf(url: string, place: string): string {
  let path = place;
  if (place.startsWith("//")) {
    const end = place.indexOf("/", 2);
    const host = end < 0 ? place.slice(2) : place.slice(2, end);
    if (host !== "" && host !== "localhost") {
      throw invalid(
        url,
        `two slashes begin the name of a host: write file:./${place.slice(2)} or file:///${place.slice(2)}`,
      );
    }
    path = end < 0 ? "" : place.slice(end);
  }
  if (path === "" || path === "/") throw invalid(url, "it names no folder of its own: write file:./data");
  if (path.includes("#")) throw invalid(url, "a # in a path is written %23");
  if (path.startsWith("~")) throw invalid(url, "~ is known to shells only: write the whole path");
  const decoded = decode(url, path);
  if (decoded.includes("\0")) throw invalid(url, "no path holds a NUL");
  // `file:///C:/data` has a slash before the letter of the drive, which is none of the path.
  return /^\/[A-Za-z]:[\\/]/.test(decoded) ? decoded.slice(1) : decoded;
}

function decode(url: string, path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalid(url, "a % in a path is written %25");
  }
}

function invalid(url: string, reason: string): EchoMQError {
  return new EchoMQError("invalid_connection", `The connection ${quote(url)} cannot be used: ${reason}`);
}
