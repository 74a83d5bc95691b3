/** The errors of this package. An output that cannot be saved throws no error. */

/** The base class of all errors of this package, except `TypeError` for values of a wrong type. */
export class OverspillError extends Error {
  override name = 'OverspillError';
}

/** An invalid option or argument. The message names the option and the allowed values. */
export class Misuse extends OverspillError {
  override name = 'Misuse';
}

/** The store has no output with this id. */
export class NotFound extends OverspillError {
  override name = 'NotFound';
}

/** The store could not answer a question about saved outputs. */
export class StoreError extends OverspillError {
  override name = 'StoreError';
}

const CLASSES = { Misuse, NotFound, StoreError };

/** Converts an error of the native part into an error of this package. */
export function typed(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  const found = /^(Misuse|NotFound|StoreError): ([^]*)$/.exec(message);
  if (!found) return error;
  const Class = CLASSES[found[1] as keyof typeof CLASSES];
  return new Class(found[2]);
}

/** Returns the message of a thrown value. */
export function said(error: unknown): string {
  try {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return text.slice(0, 300);
  } catch {
    return 'something was thrown that says nothing';
  }
}
