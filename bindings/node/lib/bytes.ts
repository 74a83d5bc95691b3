/** Text as bytes, for a call that has read them when it returns. */

/** Below this, handing over the text itself is quicker. */
const SHORT = 512;
/** Above this, most texts are too large anyway. */
const LONG = 1 << 16;
/** A character of a string is at most three bytes of UTF-8. */
const scratch = Buffer.allocUnsafeSlow(3 * LONG);

/** Returns text as bytes in a buffer that is used again, where that is quicker. */
export function handed(output: string | Uint8Array): string | Uint8Array {
  if (typeof output !== 'string' || output.length < SHORT || output.length > LONG) return output;
  // Node measures in no time. As many bytes as characters means ASCII, which is copied as it is.
  const length = Buffer.byteLength(output);
  scratch.write(output, 0, length, length === output.length ? 'latin1' : 'utf8');
  return scratch.subarray(0, length);
}
