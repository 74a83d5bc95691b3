/** An output as it is being written. */

import { Writable } from 'node:stream';

import type { NativeSpill } from '../native/index.js';
import { typed } from './errors.js';
import type { Outcome, Output } from './types.js';

/** Where a stream's pieces go: to the engine, or into memory for a store that wants all at once. */
export interface Sink {
  write(piece: Output): Promise<void>;
  interrupted(): void;
  close(): Promise<Outcome>;
}

/** Takes an output as it is being written: a stream whose end has an `outcome`. */
export class SpillStream extends Writable {
  readonly #sink: Sink;
  #settle!: { resolve(outcome: Outcome): void; reject(error: unknown): void };

  /** What became of the output, once it has ended; also if it broke off, as far as it came. */
  readonly outcome: Promise<Outcome>;

  constructor(sink: Sink) {
    super({ decodeStrings: false });
    this.#sink = sink;
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Whoever does not wait for it is not to be told.
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

  /** Ends the output and says what became of it. */
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

/** Text longer than this goes in pieces, so that it is never there twice. */
export const LONG = 1 << 20;
const PIECE = 1 << 20;

/** Takes a text apart, not within a character. */
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
