/** Takes outputs that arrive piece by piece. */

import { Writable } from 'node:stream';

import type { NativeSpill } from '../native/index.js';
import { typed } from './errors.js';
import type { Outcome, Output } from './types.js';

/** The receiver of a stream's pieces: the engine, or memory for a store that needs the whole output. */
export interface Sink {
  write(piece: Output): Promise<void>;
  interrupted(): void;
  close(): Promise<Outcome>;
}

/** Takes an output piece by piece: a stream with an `outcome` at its end. */
export class SpillStream extends Writable {
  readonly #sink: Sink;
  #settle!: { resolve(outcome: Outcome): void; reject(error: unknown): void };

  /** The outcome of the output after it has ended. A stream that broke off has the outcome of its part. */
  readonly outcome: Promise<Outcome>;

  constructor(sink: Sink) {
    super({ decodeStrings: false });
    this.#sink = sink;
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // A caller that does not await the outcome must not get an unhandled rejection.
    this.outcome.catch(() => {});
  }

  override _write(chunk: Output, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#sink.write(chunk).then(() => done(), (error: unknown) => done(error as Error));
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#close().then(() => done(), (error: unknown) => done(error as Error));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.writableFinished) return done(error);
    this.#sink.interrupted();
    const end = (): void => done(error);
    this.#close().then(end, end);
  }

  /** Ends the output and returns its outcome. */
  async close(): Promise<Outcome> {
    if (!this.writableEnded) this.end();
    return this.outcome;
  }

  async #close(): Promise<void> {
    await this.#sink.close().then(this.#settle.resolve, (error: unknown) => {
      this.#settle.reject(error);
      throw error;
    });
  }
}

/** The length over which text is passed in pieces, so that memory never has it twice. */
export const LONG = 1 << 20;
const PIECE = 1 << 20;

/** Splits a text between characters. */
export function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + PIECE, text.length);
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}

/** Writes to the engine on another thread. */
export class NativeSink implements Sink {
  constructor(
    readonly spill: NativeSpill,
    readonly done: (end: Awaited<ReturnType<NativeSpill['close']>>) => Outcome,
  ) {}

  async write(piece: Output): Promise<void> {
    try {
      for (const part of typeof piece === 'string' ? pieces(piece) : [piece]) await this.spill.write(part);
    } catch (error) {
      throw typed(error);
    }
  }

  interrupted(): void {
    this.spill.interrupted();
  }

  async close(): Promise<Outcome> {
    try {
      return this.done(await this.spill.close());
    } catch (error) {
      throw typed(error);
    }
  }
}
