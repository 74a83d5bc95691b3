/** Shortens long command output for AI agents. The full output is saved and searchable. */

import { Engine, type Spilled } from '../native/index.js';
import { Aside } from './aside.js';
import { handed } from './bytes.js';
import { encode } from './encode.js';
import { Misuse, said, typed } from './errors.js';
import { LONG, NativeSink, pieces, type Sink, SpillStream } from './spill.js';
import { Own } from './own.js';
import type * as t from './types.js';
import { Whole } from './whole.js';

export type { LeftOut, Size, Span, Spilled } from '../native/index.js';
export { Misuse, NotFound, OverspillError, StoreError } from './errors.js';
export { SpillStream } from './spill.js';
export type * from './types.js';
export { Whole } from './whole.js';

/** A function, or an object with `execute`, as most frameworks have tools. */
// biome-ignore lint: any tool there is
export type AnyTool = ((...args: any[]) => unknown) | { execute?: ((...args: any[]) => any) | undefined };

/**
 * Bounds outputs as a profile says, and saves what is too large.
 *
 * Make one where the program is put together. What touches files returns a promise and does it on
 * another thread; the methods that end in `Sync` do it at once.
 */
export class Overspill {
  readonly #engine: Engine;
  readonly #own: Own;
  readonly #onEvent: t.Options['onEvent'];
  readonly #masks: boolean;
  /** The directory that outputs are saved in; null if they are saved elsewhere or nowhere. */
  readonly directory: string | null;

  constructor(options: t.Options = {}) {
    if (typeof options !== 'object' || options === null) throw new TypeError('options are an object');
    const { store, strategy, onEvent, shouldSpill, answerTimeout, ...plain } = options;
    for (const [name, callback] of Object.entries({ onEvent, shouldSpill })) {
      if (callback != null && typeof callback !== 'function') throw new TypeError(`${name} is no function`);
    }
    if (answerTimeout !== undefined && !(Number.isInteger(answerTimeout) && answerTimeout >= 0)) {
      throw new Misuse(`answerTimeout: ${answerTimeout} is not a whole number of milliseconds, 0 or more`);
    }
    const isObject = typeof store === 'object' && store !== null;
    const setup = isObject ? { ...plain, store: 'memory' } : { ...plain, store };
    this.#engine = at(() => new Engine(encode(setup), onEvent != null));
    this.#own = new Own(this.#engine, isObject ? store : undefined, strategy, shouldSpill, answerTimeout);
    this.#onEvent = onEvent;
    this.#masks = this.#engine.masked('', false) !== null;
    this.directory = isObject ? null : (this.#engine.directory ?? null);
    for (const warning of this.#engine.warnings) process.emitWarning(warning, 'OverspillWarning');
  }

  /** Throws if a call has invalid options. */
  check(call: t.Call): void {
    at(() => this.#engine.limits(json(call)));
  }

  /** Bounds an output that is all there. Bytes are not to be changed before the promise is kept. */
  async process(output: t.Output, call?: t.Call): Promise<t.Outcome> {
    checked(output);
    const { tool, callId, session, rest } = names(call);
    if (this.#own.strategy || this.#own.store) return this.#told(await this.#own.process(output, call), output);
    if (typeof output === 'string' && output.length > LONG) return this.#long(output, call);
    try {
      if (this.#engine.fits(handed(output), tool, callId, session, rest)) return this.#told(null, output);
      return this.#told(await this.#engine.process(output, json(call)), output);
    } catch (error) {
      throw typed(error);
    }
  }

  /** Bounds an output that is all there, at once. */
  processSync(output: t.Output, call?: t.Call): t.Outcome {
    checked(output);
    try {
      if (typeof output === 'string' && output.length > LONG && !this.#own.strategy && !this.#own.store) {
        const spill = this.#engine.spill(json(call));
        for (const piece of pieces(output)) spill.writeSync(piece);
        return this.#told(spill.closeSync(), output);
      }
      const given = this.#own.given(output, call);
      // What a small output costs is mostly what is handed over.
      if (call == null && given === undefined) {
        const bytes = handed(output);
        const isText = typeof bytes === 'string';
        return this.#told(isText ? this.#engine.processSync(bytes) : this.#engine.processBytes(bytes), output);
      }
      const { tool, callId, session, rest } = names(call);
      return this.#told(this.#engine.processSync(handed(output), tool, callId, session, rest, given), output);
    } catch (error) {
      throw typed(error);
    }
  }

  /**
   * Bounds whatever a tool returns: text, bytes, a list of content parts, or an object of the
   * profile's shape. What fits, and what is none of these, comes back as it is.
   */
  async apply<T>(result: T, call?: t.Call): Promise<T | string>;
  async apply(result: unknown, call?: t.Call): Promise<unknown> {
    const envelope = this.#envelope(result);
    if (envelope !== undefined) return opened(result, envelope, await this.apply(envelope, call));
    if (result instanceof Uint8Array || (isLong(result) && !this.#engine.inEnvelope)) {
      const outcome = await this.process(result, call);
      return outcome.spilled || outcome.masked ? outcome.text : result;
    }
    const aside = new Aside();
    const packed = aside.pack(result);
    try {
      const { given, call: settled } = this.#own.judge(result, call);
      const ask = (): Promise<string | null> => this.#engine.apply(packed, json(settled), JSON.stringify(given));
      const shortened = await this.#own.apply(packed, result, settled, given, ask);
      this.#tell();
      return shortened === null ? result : aside.unpack(shortened);
    } catch (error) {
      throw typed(error);
    }
  }

  /** Bounds whatever a tool returns, at once. */
  applySync<T>(result: T, call?: t.Call): T | string;
  applySync(result: unknown, call?: t.Call): unknown {
    const envelope = this.#envelope(result);
    if (envelope !== undefined) return opened(result, envelope, this.applySync(envelope, call));
    if (result instanceof Uint8Array || (isLong(result) && !this.#engine.inEnvelope)) {
      const outcome = this.processSync(result, call);
      return outcome.spilled || outcome.masked ? outcome.text : result;
    }
    return at(() => {
      const aside = new Aside();
      const packed = aside.pack(result);
      const { given, call: settled } = this.#own.judge(result, call);
      if (given.verdict !== false) this.#own.choose(given, () => this.#engine.text(packed) ?? '', settled);
      const shortened = this.#engine.applySync(packed, json(settled), JSON.stringify(given));
      this.#tell();
      return shortened === null ? result : aside.unpack(shortened);
    });
  }

  /** Bounds several outputs under one budget: small ones stay whole, large ones give way. */
  async batch(
    outputs: Array<t.Output | [t.Output, t.Call]>,
    budget: Pick<t.Layer, 'maxLines' | 'maxBytes' | 'maxChars' | 'maxTokens'> = {},
  ): Promise<t.Outcome[]> {
    if (this.#own.store) throw new Misuse('batch: a store of your own is not asked here');
    const isPair = (one: (typeof outputs)[number]): one is [t.Output, t.Call] => Array.isArray(one) && one.length === 2;
    const pairs = outputs.map((one): [t.Output, t.Call] => (isPair(one) ? one : [one, {}]));
    for (const [output] of pairs) checked(output);
    try {
      const calls = encode(pairs.map(([, call]) => call));
      const done = await this.#engine.batch(pairs.map(([output]) => output), calls, encode(budget));
      return done.map((one, index) => this.#told(one, pairs[index]?.[0] ?? ''));
    } catch (error) {
      throw typed(error);
    }
  }

  /** Takes an output as it is being written: a `Writable` with an `outcome`. */
  spill(call?: t.Call): SpillStream {
    return new SpillStream(at(() => this.#sink(call)));
  }

  #sink(call: t.Call | undefined): Sink {
    if (this.#own.strategy || this.#own.store) return this.#own.sink((all) => this.process(all, call));
    const spill = this.#engine.spill(json(call));
    return new NativeSink(spill, (end) => {
      if (!(end instanceof Uint8Array)) return this.#told(end, '');
      this.#tell();
      // These bytes are masked already.
      return new Whole(Buffer.from(end.buffer), this.#engine, spill.masked);
    });
  }

  /**
   * Makes a tool return what `apply` makes of its result: a function, or an object with `execute`.
   * A tool that answers with a promise goes on doing so; what it throws is not touched.
   */
  wrapTool<T extends AnyTool>(tool: T, call: t.Call = {}): T {
    if (typeof tool === 'function') {
      const about = { tool: tool.name, ...call };
      const bound = (result: unknown): unknown => {
        if (result instanceof Promise) return result.then((value) => this.apply(value, about));
        return this.#own.store ? this.apply(result, about) : this.applySync(result, about);
      };
      const wrapped = function (this: unknown, ...args: unknown[]): unknown {
        return bound(Reflect.apply(tool, this, args));
      };
      return Object.defineProperty(wrapped, 'name', { value: tool.name }) as T;
    }
    if (typeof tool?.execute !== 'function') return tool;
    return { ...tool, execute: this.wrapTool(tool.execute, call) };
  }

  /** Reads a part of a saved output, as much as there is room for. */
  async read(id: string, options: t.ReadOptions = {}): Promise<t.Page> {
    return (await this.#own.ask('read', id, '', options)) as t.Page;
  }

  /** Searches in a saved output, with ripgrep's engine. */
  async grep(pattern: string, id: string, options: t.GrepOptions = {}): Promise<t.Found> {
    return (await this.#own.ask('grep', id, pattern, options)) as t.Found;
  }

  /** Lists what is saved, the last used first. */
  async list(): Promise<t.Entry[]> {
    return (await this.#own.ask('list', '', '', {})) as t.Entry[];
  }

  /** Removes what has expired. */
  async sweep(): Promise<t.Swept> {
    return (await this.#own.ask('sweep', '', '', {})) as t.Swept;
  }

  /** Removes what is too old by the time in its name, as the document of opencode says, and returns how many. */
  async cleanupByName(): Promise<number> {
    return ((await this.#own.ask('cleanup', '', '', {})) as t.Swept).removed;
  }

  async #long(output: string, call: t.Call | undefined): Promise<t.Outcome> {
    const sink = new NativeSink(at(() => this.#engine.spill(json(call))), (end) =>
      this.#told(end instanceof Uint8Array ? null : end, output),
    );
    await sink.write(output);
    return sink.close();
  }

  /** Returns an envelope as the JSON text that is saved of it. */
  #envelope(result: unknown): string | undefined {
    if (typeof result !== 'object' || result === null || Array.isArray(result) || !this.#engine.inEnvelope) return undefined;
    if (result instanceof Uint8Array) return undefined;
    try {
      return JSON.stringify(result);
    } catch {
      // It contains itself, or a number that JSON does not know.
      return undefined;
    }
  }

  /** Returns an output that fits, as it may be shown. */
  #whole(output: t.Output): Whole {
    const masked = this.#masks ? this.#engine.masked(output, false) : null;
    return masked?.count ? new Whole(masked.output, this.#engine, masked.count) : new Whole(output, this.#engine);
  }

  /** Says what became of an output, and tells whoever listens. */
  #told(done: Spilled | boolean | null, output: t.Output): t.Outcome {
    this.#tell();
    if (done === null || typeof done === 'boolean') return this.#whole(output);
    if (typeof output === 'string' && !output.isWellFormed()) {
      // Half a surrogate pair has no UTF-8: the saved copy has a replacement in its place.
      return { ...done, lossy: true, complete: false };
    }
    return done;
  }

  #tell(): void {
    if (!this.#onEvent) return;
    for (const event of JSON.parse(this.#engine.heard()) as t.OverspillEvent[]) {
      const warn = (error: unknown): void => process.emitWarning(`onEvent has thrown ${said(error)}`, 'OverspillWarning');
      try {
        const heard: unknown = this.#onEvent(event);
        // A rejection that nobody handles ends the process.
        if (heard instanceof Promise) heard.catch(warn);
      } catch (error) {
        warn(error);
      }
    }
  }
}

/** Returns an envelope that came back as text: the same object if nothing has changed. */
function opened(result: unknown, text: string, shortened: string): unknown {
  return shortened === text ? result : JSON.parse(shortened);
}

function checked(output: unknown): asserts output is t.Output {
  if (typeof output === 'string' || output instanceof Uint8Array) return;
  const kind = output === null ? 'null' : typeof output;
  throw new TypeError(`an output is text or bytes, not ${kind}`);
}

function isLong(result: unknown): result is string {
  return typeof result === 'string' && result.length > LONG;
}

/** Takes out of a call what most calls have, so that nothing else is made into JSON for it. */
function names(call: t.Call | undefined): {
  tool?: string | undefined;
  callId?: string | undefined;
  session?: string | undefined;
  rest?: string | undefined;
} {
  if (call == null) return {};
  if (typeof call !== 'object') throw new TypeError('what a call says of itself is an object');
  for (const key in call) {
    if (key === 'tool' || key === 'callId' || key === 'session') {
      const name: unknown = call[key];
      if (name === undefined || typeof name === 'string') continue;
    }
    return { rest: json(call) };
  }
  return { tool: call.tool, callId: call.callId, session: call.session };
}

function json(call: t.Call | undefined): string | undefined {
  return call == null ? undefined : encode(call);
}

/** Does something that the native part may refuse. */
function at<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw typed(error);
  }
}
