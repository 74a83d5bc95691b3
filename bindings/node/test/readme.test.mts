/** Runs the examples of the README. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { directory } from './start.mjs';

test('every example runs', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const examples = [...readme.matchAll(/```js\n([^]*?)```/g)].map((found) => found[1] ?? '');
  assert(examples.length >= 3 && (examples[0] ?? '').trim().split('\n').length <= 5);
  process.env['OVERSPILL_DIR'] = directory();
  const before = `const console = { log() {} }; const output = 'some line\\n'.repeat(100_000); const run = async () => output;`;
  const source = [before, ...examples, 'export { outcome };'].join('\n');
  const file = `${directory()}/readme.mjs`;
  writeFileSync(file, source.replaceAll("'overspill'", JSON.stringify(import.meta.resolve('overspill'))));
  const { outcome } = (await import(pathToFileURL(file).href)) as { outcome: { spilled: boolean } };
  assert(outcome.spilled);
});
