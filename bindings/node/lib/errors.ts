/** What is thrown, and only for misuse: an output that cannot be saved is no error of a call. */

/** Everything that this package throws, but for values of a wrong type (`TypeError`). */
export class OverspillError extends Error {
  override name = 'OverspillError';
}

/** An option or a question that makes no sense; the message names it and says what does. */
export class Misuse extends OverspillError {
  override name = 'Misuse';
}

/** There is no output of this id. */
export class NotFound extends OverspillError {
  override name = 'NotFound';
}

/** The store could not answer a question about what was saved. */
export class StoreError extends OverspillError {
  override name = 'StoreError';
}

const CLASSES = { Misuse, NotFound, StoreError };

/** Turns what the native part throws into an error of ours. */
export function typed(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  const found = /^(Misuse|NotFound|StoreError): ([^]*)$/.exec(message);
  if (!found) return error;
  const Class = CLASSES[found[1] as keyof typeof CLASSES];
  return new Class(found[2]);
}

/** Says what a thrown value says. */
export function said(error: unknown): string {
  try {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return text.slice(0, 300);
  } catch {
    return 'something was thrown that says nothing';
  }
}
