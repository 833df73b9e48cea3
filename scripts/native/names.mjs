/** Names and literals as Rust writes them. */

const KEYWORDS = new Set(
  "as box break const continue crate dyn else enum extern final fn for gen if impl in let loop macro match mod move mut pub ref return self static struct super trait true type unsafe use where while yield".split(
    " ",
  ),
);

/** `laneScores` as `lane_scores`. */
export function snake(name) {
  const text = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  return KEYWORDS.has(text) ? `${text}_` : text;
}

/** The name of a value: constants keep theirs. */
export function valueName(name) {
  return /^[A-Z][A-Z0-9_]*$/.test(name) ? name : snake(name);
}

/** The module path of a transition's file: `step/lane-claim.ts` as `step::lane_claim`. */
export function modulePath(path) {
  return path
    .replace(/(\.generated)?\.ts$/, "")
    .split("/")
    .map((part) => snake(part.replaceAll("-", "_")))
    .join("::");
}

/** The file of a module, below the crate's `src`. */
export function moduleFile(path) {
  return `${modulePath(path).replaceAll("::", "/")}.rs`;
}

/** A byte string as a Rust text. */
export function textLiteral(value) {
  let out = "";
  for (const char of value) {
    const code = char.charCodeAt(0);
    if (code > 0xff) throw new Error(`not a byte string: ${value}`);
    if (char === '"' || char === "\\") out += `\\${char}`;
    else if (code < 0x20 || code > 0x7e) out += `\\x${code.toString(16).padStart(2, "0")}`;
    else out += char;
  }
  return `text!(b"${out}")`;
}
