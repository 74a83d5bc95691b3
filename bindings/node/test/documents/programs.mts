/** How an example of a document becomes a module: its text, and the few places that change. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const EXAMPLES = new URL('../../../../tests/documents/', import.meta.url);
/** The modules are made here, so that `overspill` and `zod` are found. */
export const MADE = fileURLToPath(new URL('./made/', import.meta.url));

/** A text in an example, and what stands there instead: an import, or what the document leaves out. */
type Edit = readonly [from: string, to: string];

/** The examples that were used. */
export const uses = new Set<string>();

/** Returns an example, with edits. Each text is in it exactly once. */
export function example(name: string, ...edits: Edit[]): string {
  uses.add(name);
  let text = readFileSync(new URL(name, EXAMPLES), 'utf8');
  for (const [from, to] of edits) {
    if (text.split(from).length !== 2) throw new Error(`${name}: there is not one ${JSON.stringify(from)}`);
    text = text.replace(from, () => to);
  }
  return text;
}

/** Writes a module of these parts. */
export function module(name: string, ...parts: string[]): void {
  mkdirSync(dirname(MADE + name), { recursive: true });
  writeFileSync(MADE + name, parts.join('\n'));
}

/** Writes the options of the compiler: `strict`, and nothing beyond. */
export function options(): void {
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    lib: ['esnext'],
    module: 'node16',
    types: ['node'],
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'run',
  };
  mkdirSync(MADE, { recursive: true });
  writeFileSync(`${MADE}tsconfig.json`, JSON.stringify({ compilerOptions, include: ['**/*.mts'], exclude: ['run'] }));
}
