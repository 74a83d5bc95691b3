/** An output that fits. */

import type { Engine, LeftOut, Size, Span } from '../native/index.js';
import type { Output } from './types.js';

/** An output that fits: it is shown as it is, but for secrets that are masked, and nothing was saved. */
export class Whole {
  /** As it was given, but for secrets that are masked. */
  readonly output: Output;
  readonly #engine: Engine;
  readonly #masked: number;

  constructor(output: Output, engine: Engine, masked = 0) {
    this.output = output;
    this.#engine = engine;
    this.#masked = masked;
  }

  // These are asked for rather than set: most outputs fit, and nobody looks at what they have not.
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

  /** Bytes that are no UTF-8 were replaced to make text of them. */
  get lossy(): boolean {
    return typeof this.output !== 'string' && !Buffer.from(this.text).equals(this.output);
  }

  get complete(): boolean {
    return !this.lossy;
  }
}
