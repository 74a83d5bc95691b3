/**
 * A drop-in for opencode's truncation: 2000 lines or 50 KiB, the whole output in a file.
 *
 *     const result = await Truncate.output(text, { direction: 'tail' }, agent);
 *     result.content, result.truncated && result.outputPath
 */

import { join } from 'node:path';

import { Overspill } from '../index.js';
import { definer, permissionOf, type Agent, type Define, type ToolContext, type ToolInfo } from './opencode/tool.js';

export type * from './opencode/tool.js';

/** Options of a call. */
export interface TruncateOptions {
  maxLines?: number | undefined;
  maxBytes?: number | undefined;
  direction?: 'head' | 'tail' | undefined;
}

/** What became of a text. `outputPath` is empty if the output could not be saved; `content` then says why. */
export type TruncateResult =
  | { content: string; truncated: false }
  | { content: string; truncated: true; outputPath: string };

/** The constants and functions of opencode's namespace `Truncate`. */
export interface Truncation {
  readonly MAX_LINES: number;
  readonly MAX_BYTES: number;
  /** The directory of saved outputs; empty if there is none. */
  readonly DIR: string;
  /** A pattern for the saved outputs, as permissions have it. */
  readonly GLOB: string;
  readonly RETENTION_MS: number;
  /** Shortens a text. */
  output(text: string, options?: TruncateOptions, agent?: Agent): Promise<TruncateResult>;
  /** Removes outputs that are too old by the time in their names, and returns how many. */
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

/** Makes a `Truncate` that saves where you say. */
export function createTruncate(
  options: { store?: string | undefined; retentionDays?: number | undefined; overspill?: Overspill } = {},
): Truncation {
  const { store, retentionDays = 7 } = options;
  const overspill = options.overspill ?? new Overspill({ profile: 'opencode', store, retentionDays });
  return truncation(() => overspill, retentionDays);
}

/** Makes a `Tool` that saves where you say. */
export function createTool(options: Parameters<typeof createTruncate>[0] = {}): { define: Define } {
  const { store, retentionDays = 7 } = options;
  const overspill = options.overspill ?? new Overspill({ profile: 'opencode', store, retentionDays });
  return { define: definer(() => overspill) };
}

let shared: Overspill | undefined;
const standard = (): Overspill => (shared ??= new Overspill({ profile: 'opencode' }));

/** Saves in opencode's own directory. */
export const Truncate: Truncation = truncation(standard, 7);

/** The types of opencode's namespace. */
export declare namespace Truncate {
  export type Result = TruncateResult;
  export type Options = TruncateOptions;
}

/** `Tool.define` makes a tool whose results are shortened. */
export const Tool: { define: Define } = { define: definer(standard) };

/** The types of opencode's namespace. */
export declare namespace Tool {
  export type Info = ToolInfo;
  export type Context = ToolContext;
}
