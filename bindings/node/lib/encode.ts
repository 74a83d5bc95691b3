/** Options and calls as JSON. */

/**
 * Turns options into JSON. JSON would make null, which is no setting, of these numbers: Infinity is no limit, and NaN becomes a
 * text, so that the error names it.
 */
export function encode(options: unknown): string {
  return JSON.stringify(options, (_key, value: unknown) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    return value === Infinity ? 'none' : String(value);
  });
}
