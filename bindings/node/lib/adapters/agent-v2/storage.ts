/** Storages in the form of the document. */

import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { sep } from 'node:path';

import { NotFound, Overspill, StoreError, type Call, type Store } from '../../index.js';
import { said } from '../../errors.js';
import { within } from '../../own.js';
import type { ITruncationStorage, TruncationContext } from './types.js';

/** Saves outputs as files: `{tool}_{milliseconds}_{random}.txt`. */
export class TruncationStorage implements ITruncationStorage {
  readonly #directory: string;

  /** Without a directory, outputs are saved in `data/truncation` below the working directory. */
  constructor(storageDir?: string) {
    this.#directory = new Overspill({ profile: 'agent-v2', store: storageDir }).directory ?? '';
  }

  async save(content: string, context: TruncationContext): Promise<string> {
    // No output is within a limit of zero, so the engine saves every output that is not empty.
    const overspill = new Overspill({ profile: 'agent-v2', store: this.#directory, maxBytes: 0, maxLines: 'none' });
    const call = { tool: context.toolName, session: context.sessionId, enabled: true };
    const { path, error } = await overspill.process(content, call);
    if (path === null) throw new StoreError(error ?? 'an empty output is not saved');
    return path;
  }

  async read(path: string): Promise<string> {
    return readInside(this.#directory, path);
  }

  /** Removes files that were not used for this number of days, and returns their number. */
  async cleanup(retentionDays: number): Promise<number> {
    const days = wholeDays(retentionDays);
    const overspill = new Overspill({ profile: 'agent-v2', store: this.#directory, retentionDays: days });
    return (await overspill.sweep()).removed;
  }

  getStorageDir(): string {
    return this.#directory;
  }
}

/** Returns whole days: a part of a day counts as a day, and a negative number as zero. */
export function wholeDays(days: number): number {
  return Number.isFinite(days) ? Math.max(0, Math.ceil(days)) : days;
}

/** Reads a file that is inside a directory, also after links are followed. */
async function readInside(directory: string, path: string): Promise<string> {
  const missing = (): NotFound => new NotFound(`${path}: there is no saved output at this path`);
  let found: string;
  let inside: string;
  try {
    [found, inside] = await Promise.all([realpath(path), realpath(directory)]);
  } catch {
    throw missing();
  }
  if (!found.startsWith(inside + sep)) {
    throw new StoreError(`${path}: the path is outside the storage\nhint: the storage is ${directory}`);
  }
  return readFile(found, 'utf8');
}

/** Tells whether an object is a storage in the form of the document, and not a store of this package. */
export function isOfDocument(storage: ITruncationStorage | Store): storage is ITruncationStorage {
  const { cleanup, getStorageDir } = storage as Partial<ITruncationStorage>;
  return typeof cleanup === 'function' || typeof getStorageDir === 'function';
}

/** Converts a storage of the document into a store of this package. `contextOf` returns the context of a call. */
export function asStore(storage: ITruncationStorage, contextOf: (call: Call) => TruncationContext): Store {
  return {
    async save(data, call) {
      const path: unknown = await storage.save(data.toString('utf8'), contextOf(call));
      if (typeof path !== 'string' || path === '') throw new TypeError(`save returned ${typeof path}, not a path`);
      // Any text can be a path here, but an id has rules.
      return { id: createHash('sha256').update(path).digest('hex').slice(0, 26), path };
    },
  };
}

/** Asks a storage to clean up. */
export async function cleaned(storage: ITruncationStorage, retentionDays: number, timeout: number): Promise<number> {
  const count = await asked('clean up', () => within(timeout, 'the storage', storage.cleanup(retentionDays)));
  if (typeof count !== 'number') throw new StoreError(`cleanup returned ${typeof count}, not a number`);
  return count;
}

/** Asks a storage for a saved output. */
export async function readFrom(storage: ITruncationStorage, path: string, timeout: number): Promise<string> {
  const content = await asked(`read ${path}`, () => within(timeout, 'the storage', storage.read(path)));
  if (typeof content !== 'string') throw new StoreError(`read returned ${typeof content}, not a text`);
  return content;
}

async function asked(what: string, ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    throw new StoreError(`the storage could not ${what}: ${said(error)}`);
  }
}
