/**
 * A drop-in for opencode's truncation: 2000 lines or 50 KiB, the whole output in a file.
 *
 *     const result = await Truncate.output(text, { direction: 'tail' }, agent);
 *     result.content, result.truncated && result.outputPath
 */

import { Overspill } from '../index.js';

/** What may be told of a call. */
export interface TruncateOptions {
  maxLines?: number;
  maxBytes?: number;
  direction?: 'head' | 'tail';
}

/** What became of a text. */
export type TruncateResult =
  | { content: string; truncated: false }
  | { content: string; truncated: true; outputPath?: string };

/** An agent, as far as it says what it may do. */
export interface Agent {
  permission?: Array<{ permission: string; pattern: string; action: 'allow' | 'ask' | 'deny' }>;
}

/** Makes a `Truncate` that saves where you say. */
export function createTruncate(options: { store?: string; overspill?: Overspill } = {}): {
  output(text: string, options?: TruncateOptions, agent?: Agent): Promise<TruncateResult>;
} {
  const overspill = options.overspill ?? new Overspill({ profile: 'opencode', store: options.store });
  return {
    async output(text, asked = {}, agent) {
      const call = { ...asked, permission: agent?.permission };
      const outcome = await overspill.process(text, call);
      if (!outcome.spilled) return { content: text, truncated: false };
      const path = outcome.path === null ? {} : { outputPath: outcome.path };
      return { content: outcome.text, truncated: true, ...path };
    },
  };
}

/** Saves in opencode's own directory. */
export const Truncate: ReturnType<typeof createTruncate> = {
  output: (text, options, agent) => (standard ??= createTruncate()).output(text, options, agent),
};
let standard: ReturnType<typeof createTruncate> | undefined;
