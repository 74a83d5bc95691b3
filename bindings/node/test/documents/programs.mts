/** Turns an example of a document into a module that is compiled under `strict` and run. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { directory } from '../start.mjs';

const EXAMPLES = new URL('../../../../tests/documents/', import.meta.url);
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
const run = promisify(execFile);

/** Returns the directory for the modules of a set: inside the package, so that `overspill` and `zod` are found. */
const made = (set: string): string => fileURLToPath(new URL(`../made/${set}/`, import.meta.url));

/** A text in an example, and its replacement: an import, or a part that the document leaves out. */
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
export function module(set: string, name: string, ...parts: string[]): void {
  const file = made(set) + name;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, parts.join('\n'));
}

/** Compiles the modules of a set under `strict`, without further checks. */
export async function compiled(set: string): Promise<void> {
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
  rmSync(`${made(set)}run`, { recursive: true, force: true });
  writeFileSync(`${made(set)}tsconfig.json`, JSON.stringify({ compilerOptions, include: ['**/*.mts'], exclude: ['run'] }));
  await run(TSC, ['-p', made(set)]).catch((error: { stdout: string }) => assert.fail(error.stdout));
}

/** Runs a module of a set in an empty directory, which is also the home directory. */
export async function ran(set: string, name: string): Promise<void> {
  const home = directory();
  const env = { PATH: process.env['PATH'], HOME: home, NODE_NO_WARNINGS: '1' };
  const done = run('node', [`${made(set)}run/${name}.mjs`], { cwd: home, env });
  await done.catch((error: { stderr: string }) => assert.fail(error.stderr));
}
