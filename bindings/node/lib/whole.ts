/** An output that fits. */

import type { Engine, LeftOut, Size, Span } from '../native/index.js';
import type { Output } from './types.js';

/** An output that fits: it is shown as it is, and nothing was saved. */
export class Whole {
  readonly spilled = false as const;
  readonly id = null;
  readonly path = null;
  readonly limit = null;
  readonly leftOut: LeftOut | null = null;
  readonly error = null;
  readonly notice = null;
  readonly #engine: Engine;

  constructor(
    /** As it was given. */
    readonly output: Output,
    engine: Engine,
  ) {
    this.#engine = engine;
  }

  get text(): string {
    return typeof this.output === 'string' ? this.output : new TextDecoder().decode(this.output);
  }

  get preview(): string {
    return this.text;
  }

  get total(): Size {
    return this.#engine.size(this.output);
  }

  get shown(): Size {
    return this.total;
  }

  get gaps(): Span[] {
    return [];
  }

  get pieces(): Span[] {
    const { bytes, lines } = this.total;
    return bytes === 0 ? [] : [{ bytes: [0, bytes], lines: [1, lines] }];
  }

  /** Bytes that are no UTF-8 were replaced to make text of them. */
  get lossy(): boolean {
    return typeof this.output !== 'string' && !Buffer.from(this.text).equals(this.output);
  }

  get complete(): boolean {
    return !this.lossy;
  }
}
