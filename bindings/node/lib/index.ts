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
// biome-ignore lint: a tool of any kind
export type AnyTool = ((...args: any[]) => unknown) | { execute?: ((...args: any[]) => any) | undefined };

/**
 * Shortens outputs by the rules of a profile, and saves outputs that are too large.
 *
 * Create one at the start of the program. Methods that use files return a promise and work on another
 * thread. The methods that end in `Sync` work at once.
 */
export class Overspill {
  readonly #engine: Engine;
  readonly #own: Own;
  readonly #onEvent: t.Options['onEvent'];
  readonly #masks: boolean;
  /** The directory in which outputs are saved. Null if they are saved elsewhere or not at all. */
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

  /** Shortens a complete output. Do not change the bytes before the promise is settled. */
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

  /** Shortens a complete output at once. */
  processSync(output: t.Output, call?: t.Call): t.Outcome {
    checked(output);
    try {
      if (typeof output === 'string' && output.length > LONG && !this.#own.strategy && !this.#own.store) {
        const spill = this.#engine.spill(json(call));
        for (const piece of pieces(output)) spill.writeSync(piece);
        return this.#told(spill.closeSync(), output);
      }
      const given = this.#own.given(output, call);
      // For a small output, passing the arguments costs most of the time.
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
   * Shortens any value that a tool returns: text, bytes, a list of content parts, or an object with the layout
   * of the profile. Short values and values of other forms are returned unchanged.
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

  /** Shortens any value that a tool returns, at once. */
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

  /** Shortens several outputs under one budget: small ones stay whole, large ones share the rest. */
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

  /** Opens an output that arrives piece by piece: a `Writable` with an `outcome`. */
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
   * Wraps a tool, a function or an object with `execute`, so that `apply` shortens its results.
   * A tool that returns a promise still does so. Errors of the tool pass unchanged.
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

  /** Reads a part of a saved output, up to the limits. */
  async read(id: string, options: t.ReadOptions = {}): Promise<t.Page> {
    return (await this.#own.ask('read', id, '', options)) as t.Page;
  }

  /** Searches a saved output with ripgrep's engine. */
  async grep(pattern: string, id: string, options: t.GrepOptions = {}): Promise<t.Found> {
    return (await this.#own.ask('grep', id, pattern, options)) as t.Found;
  }

  /** Lists the saved outputs, the last used first. */
  async list(): Promise<t.Entry[]> {
    return (await this.#own.ask('list', '', '', {})) as t.Entry[];
  }

  /** Removes expired outputs. */
  async sweep(): Promise<t.Swept> {
    return (await this.#own.ask('sweep', '', '', {})) as t.Swept;
  }

  /**
   * Removes outputs that are too old by the time in their names, as the document of opencode describes it. Returns
   * their number.
   */
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

  /** Returns an envelope as JSON text, which is also the saved form. */
  #envelope(result: unknown): string | undefined {
    if (typeof result !== 'object' || result === null || Array.isArray(result) || !this.#engine.inEnvelope) return undefined;
    if (result instanceof Uint8Array) return undefined;
    try {
      return JSON.stringify(result);
    } catch {
      // The value contains itself, or a number that JSON does not have.
      return undefined;
    }
  }

  /** Returns a short output as it may be shown. */
  #whole(output: t.Output): Whole {
    const masked = this.#masks ? this.#engine.masked(output, false) : null;
    return masked?.count ? new Whole(masked.output, this.#engine, masked.count) : new Whole(output, this.#engine);
  }

  /** Converts the outcome of an output, and passes events on to the observer. */
  #told(done: Spilled | boolean | null, output: t.Output): t.Outcome {
    this.#tell();
    if (done === null || typeof done === 'boolean') return this.#whole(output);
    if (typeof output === 'string' && !output.isWellFormed()) {
      // Half a surrogate pair has no UTF-8, so the saved copy has a replacement in its place.
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
        // An unhandled rejection would end the process.
        if (heard instanceof Promise) heard.catch(warn);
      } catch (error) {
        warn(error);
      }
    }
  }
}

/** Returns an envelope that was returned as text. It is the same object if it was not changed. */
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

/** Splits a call into the names that most calls have, and the rest, so that only the rest is converted into JSON. */
function names(call: t.Call | undefined): {
  tool?: string | undefined;
  callId?: string | undefined;
  session?: string | undefined;
  rest?: string | undefined;
} {
  if (call == null) return {};
  if (typeof call !== 'object') throw new TypeError('a call must be an object');
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

/** Calls the native part and converts its errors. */
function at<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw typed(error);
  }
}
