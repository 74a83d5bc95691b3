/**
 * A drop-in replacement for opencode's truncation: shows 2000 lines or 50 KiB, saves the whole output in a file.
 *
 *     const result = await Truncate.output(text, { direction: 'tail' }, agent);
 *     result.content, result.truncated && result.outputPath
 */

import { join } from 'node:path';

import { Overspill } from '../index.js';
import { definer, permissionOf, type Agent, type Define, type ToolContext, type ToolInfo } from './opencode/tool.js';

export type * from './opencode/tool.js';

/** The options of a call. */
export interface TruncateOptions {
  maxLines?: number | undefined;
  maxBytes?: number | undefined;
  direction?: 'head' | 'tail' | undefined;
}

/** The result for a text. `outputPath` is empty if the output could not be saved; `content` then has the reason. */
export type TruncateResult =
  | { content: string; truncated: false }
  | { content: string; truncated: true; outputPath: string };

/** The constants and functions of opencode's namespace `Truncate`. */
export interface Truncation {
  readonly MAX_LINES: number;
  readonly MAX_BYTES: number;
  /** The directory of saved outputs. Empty without one. */
  readonly DIR: string;
  /** A pattern for the saved outputs, in the form of permissions. */
  readonly GLOB: string;
  readonly RETENTION_MS: number;
  /** Shortens a text. */
  output(text: string, options?: TruncateOptions, agent?: Agent): Promise<TruncateResult>;
  /** Removes outputs that are too old by the time in their names, and returns their number. */
  cleanup(): Promise<number>;
}

/** Recommended options by the kind of output. */
export const PRESETS: Readonly<Record<'code' | 'log' | 'error', TruncateOptions>> = {
  code: { maxLines: 2000, maxBytes: 50 * 1024 },
  log: { maxLines: 500, maxBytes: 20 * 1024, direction: 'tail' },
  error: { maxLines: 100, maxBytes: 10 * 1024, direction: 'tail' },
};

const DAY = 24 * 60 * 60 * 1000;

function truncation(engine: () => Overspill, retentionDays: number): Truncation {
  return {
    MAX_LINES: 2000,
    MAX_BYTES: 50 * 1024,
    get DIR() {
      return engine().directory ?? '';
    },
    get GLOB() {
      return join(this.DIR, '*');
    },
    RETENTION_MS: retentionDays * DAY,
    async output(text, options, agent) {
      const { maxLines, maxBytes, direction } = options ?? {};
      const permission = permissionOf(engine(), agent);
      const outcome = await engine().process(text, { maxLines, maxBytes, direction, permission });
      if (!outcome.spilled) return { content: text, truncated: false };
      return { content: outcome.text, truncated: true, outputPath: outcome.path ?? '' };
    },
    async cleanup() {
      return engine().cleanupByName();
    },
  };
}

/** Makes a `Truncate` that saves in a store of your choice. */
export function createTruncate(
  options: { store?: string | undefined; retentionDays?: number | undefined; overspill?: Overspill } = {},
): Truncation {
  const { store, retentionDays = 7 } = options;
  const overspill = options.overspill ?? new Overspill({ profile: 'opencode', store, retentionDays });
  return truncation(() => overspill, retentionDays);
}

/** Makes a `Tool` that saves in a store of your choice. */
export function createTool(options: Parameters<typeof createTruncate>[0] = {}): { define: Define } {
  const { store, retentionDays = 7 } = options;
  const overspill = options.overspill ?? new Overspill({ profile: 'opencode', store, retentionDays });
  return { define: definer(() => overspill) };
}

let shared: Overspill | undefined;
const standard = (): Overspill => (shared ??= new Overspill({ profile: 'opencode' }));

/** The `Truncate` that saves in opencode's own directory. */
export const Truncate: Truncation = truncation(standard, 7);

/** The types of opencode's namespace. */
export declare namespace Truncate {
  export type Result = TruncateResult;
  export type Options = TruncateOptions;
}

/** `Tool.define` makes a tool with shortened results. */
export const Tool: { define: Define } = { define: definer(standard) };

/** The types of opencode's namespace. */
export declare namespace Tool {
  export type Info = ToolInfo;
  export type Context = ToolContext;
}
