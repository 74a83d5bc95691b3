/** A short output. */

import type { Engine, LeftOut, Size, Span } from '../native/index.js';
import type { Output } from './types.js';

/** A short output. It is shown unchanged except for masked secrets, and not saved. */
export class Whole {
  /** The output as it was given, except for masked secrets. */
  readonly output: Output;
  readonly #engine: Engine;
  readonly #masked: number;

  constructor(output: Output, engine: Engine, masked = 0) {
    this.output = output;
    this.#engine = engine;
    this.#masked = masked;
  }

  // These are getters, not fields: most outputs are short, and programs seldom read the empty values.
  get spilled(): false {
    return false;
  }

  get id(): null {
    return null;
  }

  get path(): null {
    return null;
  }

  get limit(): null {
    return null;
  }

  get leftOut(): LeftOut | null {
    return null;
  }

  get pending(): null {
    return null;
  }

  get masked(): number {
    return this.#masked;
  }

  get error(): null {
    return null;
  }

  get notice(): null {
    return null;
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

  /** Bytes that are not UTF-8 were replaced to make text of them. */
  get lossy(): boolean {
    return typeof this.output !== 'string' && !Buffer.from(this.text).equals(this.output);
  }

  get complete(): boolean {
    return !this.lossy;
  }
}
