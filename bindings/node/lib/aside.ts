/**
 * Results as JSON, and back. What JSON has no word for is put aside and comes back as the same
 * object, where it was.
 */

/** The key of an object that stands for something put aside; what has it is put aside itself. */
const ASIDE = '\0overspill';
/** Nothing that matters in a result is nested deeper than this. */
const DEEPEST = 5;

type Fields = Record<string, unknown>;

export class Aside {
  readonly #kept: unknown[] = [];

  /** Turns a result into JSON. */
  pack(result: unknown): string {
    return JSON.stringify(this.#at(result, 0));
  }

  #at(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'object' && depth < DEEPEST) {
      // An array's holes are nothing that JSON has a word for.
      if (Array.isArray(value)) return Array.from(value, (item) => this.#at(item, depth + 1));
      if (isPlain(value) && !(ASIDE in value)) {
        // A field that is set to undefined counts as not there, as in JSON.
        const set = Object.entries(value).filter(([, item]) => item !== undefined);
        const pairs = set.map(([key, item]) => [key, this.#at(item, depth + 1)]);
        return Object.fromEntries(pairs);
      }
    }
    return { [ASIDE]: this.#kept.push(value) - 1 };
  }

  /** Turns JSON into a result. */
  unpack(json: string): unknown {
    return this.#back(JSON.parse(json));
  }

  #back(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#back(item));
    if (typeof value !== 'object' || value === null) return value;
    const index = (value as Fields)[ASIDE];
    if (typeof index === 'number') return this.#kept[index];
    for (const [key, item] of Object.entries(value)) (value as Fields)[key] = this.#back(item);
    return value;
  }
}

function isPlain(value: object): value is Fields {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
