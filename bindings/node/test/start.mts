/** Helpers that the tests share. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

import { Overspill, type Options } from 'overspill';

const directories: string[] = [];

/** Makes a directory, which is removed after the tests. */
export function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'overspill-test-'));
  directories.push(made);
  return made;
}

after(() => directories.forEach((made) => rmSync(made, { recursive: true, force: true })));

export function make(options: Options = {}): Overspill {
  return new Overspill({ store: directory(), durability: 'none', ...options });
}

export function numbered(lines: number): string {
  return Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join('');
}

/** Returns the number of lines of a text. */
export function lines(text: unknown): number {
  return String(text).replace(/\n$/, '').split('\n').length;
}

/** Collects the warnings of the process while it runs `act`. */
export async function warnings(act: () => unknown): Promise<string[]> {
  const seen: string[] = [];
  const hear = (warning: Error): void => void seen.push(warning.message);
  process.on('warning', hear);
  await act();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', hear);
  return seen;
}
