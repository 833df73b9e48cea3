/** The bytes that an export is handed out and taken in as: texts turned into them, and pieces of them joined. */

// Every runtime has it, and the language's own library does not.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
const encoder = new TextEncoder();

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD. */
export function chunkOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The bytes of all parts, in their order. A single part is returned as it is and not copied. */
export function joinChunks(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
