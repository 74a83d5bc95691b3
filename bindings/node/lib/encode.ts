/** Converts options and calls into JSON. */

/**
 * Converts options into JSON. JSON would turn these numbers into null, which is not a setting: Infinity becomes no limit, and
 * NaN becomes a text, so that the error names it.
 */
export function encode(options: unknown): string {
  return JSON.stringify(options, (_key, value: unknown) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    return value === Infinity ? 'none' : String(value);
  });
}
