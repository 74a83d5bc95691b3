/**
 * Results as JSON, and back. What JSON has no word for is put aside and comes back as the same
 * object, where it was.
 */

/** The key of an object that stands for something put aside; what has it is put aside itself. */
const ASIDE = '\0overspill';
/** The deepest level that is turned into JSON. Deeper values are put aside. */
const DEEPEST = 64;
/** The most arrays and objects of a result that are turned into JSON. */
const MOST = 1_000_000;

type Fields = Record<string, unknown>;

export class Aside {
  readonly #longest: number;
  readonly #kept: unknown[] = [];
  #seen = 0;
  /** The arrays and objects around the value that is being turned. One that contains itself is put aside. */
  readonly #around = new Set<object>();

  /** Of each text, only the first characters are packed, as many as `longest` says. */
  constructor(longest = Infinity) {
    this.#longest = longest;
  }

  /** Turns a result into JSON. */
  pack(result: unknown): string {
    return JSON.stringify(this.#at(result, 0));
  }

  #at(value: unknown, depth: number): unknown {
    if (typeof value === 'string') {
      const text = value.length > this.#longest ? value.slice(0, this.#longest) : value;
      return text.isWellFormed() ? text : text.toWellFormed();
    }
    if (value === null || typeof value === 'boolean') return value;
    // JSON has no -0, and no number without an end. Any other may be shown or saved as a part of a text.
    if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) return value;
    this.#seen += 1;
    if (typeof value === 'object' && depth < DEEPEST && this.#seen < MOST && !this.#around.has(value)) {
      this.#around.add(value);
      const inside = this.#inside(value, depth);
      this.#around.delete(value);
      if (inside !== undefined) return inside;
    }
    return { [ASIDE]: this.#kept.push(value) - 1 };
  }

  /** Turns an array or a plain object into JSON. */
  #inside(value: object, depth: number): object | undefined {
    // An array's holes are nothing that JSON has a word for.
    if (Array.isArray(value)) return Array.from(value, (item) => this.#at(item, depth + 1));
    if (!isPlain(value) || ASIDE in value) return undefined;
    // A field that is set to undefined counts as not there, as in JSON.
    const set = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(set.map(([key, item]) => [key, this.#at(item, depth + 1)]));
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

/** Tells a plain object from an array and from an instance of a class. */
export function isPlain(value: object): value is Fields {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
