/**
 * Calls stores, strategies and predicates that are written in JavaScript. They run here, on their own thread
 * and asynchronously, and the engine gets their answers.
 */

import type { Engine, Spilled } from '../native/index.js';
import { Aside } from './aside.js';
import { encode } from './encode.js';
import { Misuse, NotFound, said, StoreError, typed } from './errors.js';
import type { Sink } from './spill.js';
import type * as t from './types.js';

/** The answers that were fetched in advance. */
export interface Given {
  store?: true;
  choice?: unknown;
  choiceError?: string;
  verdict?: unknown;
  saved?: unknown;
  saveError?: string;
  entries?: unknown;
}

/** The default time that a store or a strategy may take, in milliseconds. */
export const ANSWER_TIMEOUT = 30_000;

/** The number of characters of a text that is enough to see that it is not empty, and to read a flag. */
const FLAG_LENGTH = 100;

export class Own {
  constructor(
    readonly engine: Engine,
    readonly store: t.Store | undefined,
    readonly strategy: t.Strategy | undefined,
    readonly shouldSpill: t.Options['shouldSpill'],
    readonly timeout: number = ANSWER_TIMEOUT,
  ) {
    if (store && typeof store.save !== 'function') throw new TypeError('store: there is no save');
    const isStrategy = typeof strategy === 'function' || typeof strategy?.choose === 'function';
    if (strategy != null && !isStrategy) throw new TypeError('strategy is no function and has no choose');
  }

  /** Shortens an output. Calls the strategy first, then the store if the output must be saved. */
  async process(output: t.Output, call: t.Call | undefined): Promise<Spilled | boolean | null> {
    const bytes = Buffer.from(output as string);
    const given: Given = this.store ? { store: true } : {};
    await this.chooseLater(given, this.#shown(bytes), call);
    const ask = (): Promise<Spilled | boolean | null> => this.engine.process(bytes, asked(call), JSON.stringify(given));
    try {
      const done = await ask();
      if (done !== true) return done;
      await this.#save(given, bytes, call);
      return await ask();
    } catch (error) {
      throw typed(error);
    }
  }

  /** Calls the strategy synchronously. A store cannot be called so. */
  given(output: t.Output, call: t.Call | undefined): string | undefined {
    if (!this.strategy && !this.store) return undefined;
    const given: Given = {};
    this.choose(given, () => this.#shown(Buffer.from(output as string)), call);
    return JSON.stringify(given);
  }

  /** Returns an output as a strategy may see it. */
  #shown(bytes: Buffer): Buffer {
    const masked = this.engine.masked(bytes, false);
    return masked ? Buffer.from(masked.output as Uint8Array) : bytes;
  }

  /** Calls the strategy synchronously. */
  choose(given: Given, output: () => t.Output, call: t.Call | undefined): void {
    if (this.store) throw new Misuse('a store of your own answers in its own time: use the methods with promises');
    if (!this.strategy) return;
    try {
      const choice = this.#choice(Buffer.from(output() as string), call);
      if (choice instanceof Promise) {
        choice.catch(() => {});
        throw new Error('it answers in its own time: use the methods with promises');
      }
      note(given, choice);
    } catch (error) {
      blame(given, error);
    }
  }

  async chooseLater(given: Given, output: Buffer, call: t.Call | undefined): Promise<void> {
    if (!this.strategy) return;
    try {
      note(given, await this.#within('the strategy', this.#choice(output, call)));
    } catch (error) {
      blame(given, error);
    }
  }

  #choice(output: Buffer, call: t.Call | undefined): t.Choice | Promise<t.Choice> {
    const room = JSON.parse(this.engine.limits(asked(call))) as t.Room;
    const { strategy } = this;
    if (typeof strategy === 'function') return strategy(output, room, call);
    return (strategy as Exclude<t.Strategy, Function>).choose(output, room, call);
  }

  /**
   * Asks the predicate about a result that passes the gates before it. Returns its answer, and the call with its settings.
   * A predicate that fails has not said no.
   */
  judge(result: unknown, call: t.Call | undefined): { given: Given; call: t.Call | undefined } {
    const { shouldSpill } = this;
    if (!shouldSpill) return { given: {}, call };
    // The gates before the predicate check flags, and whether the result has text.
    const flags = new Aside(FLAG_LENGTH).pack(result);
    if (!this.engine.asksPredicate(flags, asked(call))) return { given: {}, call };
    try {
      const verdict: unknown = shouldSpill(call?.tool ?? '', result, call) ?? true;
      if (typeof verdict === 'boolean') return { given: { verdict }, call };
      this.#checkOptions(verdict);
      const given = { verdict: JSON.parse(encode(verdict)) as unknown };
      return { given, call: settled(call, verdict as t.Layer) };
    } catch (error) {
      process.emitWarning(`${shouldSpill.name || 'shouldSpill'} failed: ${said(typed(error))}`, 'OverspillWarning');
      return { given: {}, call };
    }
  }

  /** Throws if a predicate returned an invalid value, such as a promise. */
  #checkOptions(verdict: unknown): void {
    if (typeof verdict !== 'object' || verdict === null || Array.isArray(verdict) || 'then' in verdict) {
      const kind = verdict instanceof Object && 'then' in verdict ? 'a promise' : typeof verdict;
      throw new Misuse(`it returned ${kind}, not true, false or options`);
    }
    this.engine.limits(encode(verdict));
  }

  #within<T>(who: string, answer: T | Promise<T>): Promise<T> {
    return within(this.timeout, who, answer);
  }

  /** Shortens a result with `ask`. If the text must be saved first, saves it. */
  async apply(
    packed: string,
    result: unknown,
    call: t.Call | undefined,
    given: Given,
    ask: () => Promise<string | null>,
  ): Promise<string | null> {
    if (!this.store && !this.strategy) return ask();
    const text = Buffer.from(this.engine.text(packed) ?? '');
    if (given.verdict !== false) await this.chooseLater(given, text, call);
    if (!this.store) return ask();
    given.store = true;
    given.entries = await this.#known(result);
    const shortened = await ask();
    if (shortened !== 'true') return shortened;
    await this.#save(given, text, call);
    return ask();
  }

  /** Asks the store about the output that our record in a result names. */
  async #known(result: unknown): Promise<unknown[]> {
    const record = (result as { metadata?: { overspill?: { id?: unknown } } } | null)?.metadata?.overspill;
    if (typeof record?.id !== 'string') return [];
    try {
      const info = await this.#within('the store', this.store?.info?.(record.id));
      return info ? [{ ...info, id: record.id }] : [];
    } catch {
      return [];
    }
  }

  async #save(given: Given, bytes: Buffer, call: t.Call | undefined): Promise<void> {
    try {
      const masked = this.engine.masked(bytes, true);
      const data = masked ? Buffer.from(masked.output as Uint8Array) : bytes;
      const saved: unknown = await this.#within('the store', this.store?.save(data, call ?? {}));
      given.saved = asJson(saved);
    } catch (error) {
      delete given.saved;
      given.saveError = said(error);
    }
  }

  /** Collects the pieces of a stream for a store or a strategy that needs the whole output. */
  sink(process: (all: Buffer) => Promise<t.Outcome>): Sink {
    const all: Buffer[] = [];
    return {
      write: async (piece) => void all.push(Buffer.from(piece as string)),
      interrupted: () => {},
      close: () => process(Buffer.concat(all)),
    };
  }

  /** Answers a question about saved outputs. */
  async ask(question: string, id: string, pattern: string, options: object): Promise<unknown> {
    if (typeof id !== 'string' || typeof pattern !== 'string') throw new TypeError('an id and a pattern are text');
    let given: Given | undefined;
    let bytes: Uint8Array | undefined;
    if (this.store) {
      given = { store: true, entries: [] };
      try {
        const isAboutAll = question === 'list' || question === 'sweep' || question === 'cleanup';
        if (isAboutAll) given.entries = await this.#within('the store', verb(this.store, 'list')());
        else bytes = await this.#read(id, given);
      } catch (error) {
        throw error instanceof NotFound || error instanceof StoreError ? error : new StoreError(said(error));
      }
    }
    try {
      const told = given && JSON.stringify(given);
      const answer: unknown = JSON.parse(
        await this.engine.ask(question, id, pattern, JSON.stringify(options), told, bytes),
      );
      if (this.store && (question === 'sweep' || question === 'cleanup')) await this.#remove(answer as t.Swept & { expired?: string[] });
      return answer;
    } catch (error) {
      throw typed(error);
    }
  }

  async #read(id: string, given: Given): Promise<Uint8Array> {
    const store = this.store as t.Store;
    const info = await this.#within('the store', verb(store, 'info')(id));
    if (!info) throw new NotFound(`there is no output ${id}`);
    given.entries = [{ ...info, id }];
    return this.#within('the store', verb(store, 'read')(id, 0, info.bytes));
  }

  async #remove(swept: t.Swept & { expired?: string[] }): Promise<void> {
    for (const id of swept.expired ?? []) {
      try {
        await this.#within('the store', verb(this.store as t.Store, 'delete')(id));
      } catch {
        swept.removed -= 1;
        swept.failed += 1;
      }
    }
    delete swept.expired;
  }
}

/** Waits for an answer up to this number of milliseconds. 0 waits forever. */
export async function within<T>(timeout: number, who: string, answer: T | Promise<T>): Promise<T> {
  if (!(answer instanceof Object && 'then' in answer) || timeout === 0) return answer;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `${who} has not answered within ${timeout} ms (answerTimeout)`;
    timer = setTimeout(() => reject(new Error(message)), timeout);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function asked(call: t.Call | undefined): string | undefined {
  return call == null ? undefined : encode(call);
}

/** The fields of a call that are not settings. */
const ABOUT = new Set(['tool', 'callId', 'session', 'command', 'directory', 'declared', 'delegate', 'permission', 'exitCode']);

/** Returns a call with other settings. */
function settled(call: t.Call | undefined, settings: t.Layer): t.Call {
  const about: Record<string, unknown> = { ...call };
  for (const key of Object.keys(about)) if (!ABOUT.has(key)) delete about[key];
  return { ...settings, ...about };
}

function verb<K extends 'read' | 'info' | 'list' | 'delete'>(store: t.Store, name: K): NonNullable<t.Store[K]> {
  const found = store[name];
  if (typeof found !== 'function') throw new StoreError(`this store does not support ${name}`);
  return found.bind(store) as NonNullable<t.Store[K]>;
}

function note(given: Given, choice: unknown): void {
  given.choice = asJson(choice);
}

/** Returns the JSON form of an answer, or undefined if it has none. */
function asJson(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer) ?? 'null');
}

function blame(given: Given, error: unknown): void {
  given.choiceError = said(error);
  process.emitWarning(`the strategy has thrown ${said(error)}`, 'OverspillWarning');
}
