/** Shortens results that are instances of classes. */

import { isPlain } from '../aside.js';
import type { Call, Overspill } from '../index.js';

/**
 * Shortens a result by its own fields, also if it is an instance of a class. A short result is returned as the same
 * object.
 */
export async function applyFields<R>(overspill: Overspill, result: R, call: Call): Promise<R> {
  const isInstance = typeof result === 'object' && result !== null && !Array.isArray(result) && !isPlain(result);
  if (!isInstance) return (await overspill.apply(result, call)) as R;
  const fields = { ...result };
  const shortened = await overspill.apply(fields, call);
  return shortened === fields ? result : (shortened as R);
}
