/** Converts text into bytes, for a call that has read them when it returns. */

/** The length in characters below which passing the text itself is faster. */
const SHORT = 512;
/** The length in characters above which most texts are too large anyway. */
const LONG = 1 << 16;
/** The largest number of bytes of UTF-8 for a character of a string. */
const scratch = Buffer.allocUnsafeSlow(3 * LONG);

/** Returns text as bytes in a buffer that is reused, if that is faster. */
export function handed(output: string | Uint8Array): string | Uint8Array {
  if (typeof output !== 'string' || output.length < SHORT || output.length > LONG) return output;
  // Node measures very fast. Text with as many bytes as characters is ASCII, which is copied unchanged.
  const length = Buffer.byteLength(output);
  scratch.write(output, 0, length, length === output.length ? 'latin1' : 'utf8');
  return scratch.subarray(0, length);
}
