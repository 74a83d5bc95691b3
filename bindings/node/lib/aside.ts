/**
 * Converts results into JSON, and back. A value that JSON does not have is set aside and returned as the
 * same object at its place.
 */

/** The key of an object that stands for a value set aside. An object that already has this key is set aside itself. */
const ASIDE = '\0overspill';
/** The depth to which values are converted into JSON. Deeper values are set aside. */
const DEEPEST = 64;
/** The number of arrays and objects of a result that are converted into JSON at most. */
const MOST = 1_000_000;

type Fields = Record<string, unknown>;

export class Aside {
  readonly #longest: number;
  readonly #kept: unknown[] = [];
  #seen = 0;
  /** The arrays and objects around the current value. An array or object that contains itself is set aside. */
  readonly #around = new Set<object>();

  /** Only the first `longest` characters of each text are packed. */
  constructor(longest = Infinity) {
    this.#longest = longest;
  }

  /** Converts a result into JSON. */
  pack(result: unknown): string {
    return JSON.stringify(this.#at(result, 0));
  }

  #at(value: unknown, depth: number): unknown {
    if (typeof value === 'string') {
      const text = value.length > this.#longest ? value.slice(0, this.#longest) : value;
      return text.isWellFormed() ? text : text.toWellFormed();
    }
    if (value === null || typeof value === 'boolean') return value;
    // JSON has no -0 and no infinite number. Any other number may be shown or saved as a part of a text.
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

  /** Converts an array or a plain object into JSON. */
  #inside(value: object, depth: number): object | undefined {
    // JSON has no arrays with holes.
    if (Array.isArray(value)) return Array.from(value, (item) => this.#at(item, depth + 1));
    if (!isPlain(value) || ASIDE in value) return undefined;
    // A field with the value undefined counts as missing, as in JSON.
    const set = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(set.map(([key, item]) => [key, this.#at(item, depth + 1)]));
  }

  /** Converts JSON into a result. */
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

/** Tells whether a value is a plain object, and not an array or an instance of a class. */
export function isPlain(value: object): value is Fields {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
