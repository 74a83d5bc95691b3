/**
 * Runs our adapters in the sources that they replace, with the tests of those projects.
 *
 * No package registry has the sources. `OVERSPILL_REAL_PARTS` names a directory with checkouts of them, where
 * `npm install vitest@3 pathe dotenv zod bun` was run:
 * - `coding-agent`, a revision with `src/agent-v2/truncation`;
 * - `neovate-code`, one with `src/plugins/truncation.ts`;
 * - `opencode`, one with `packages/opencode/src/tool/truncation.ts`, such as 0eb898abcf, which the document describes. Newer ones
 *   have a service in place of the namespace `Truncate`.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

import { directory } from './start.mjs';

const run = promisify(execFile);
const PARTS = process.env['OVERSPILL_REAL_PARTS'];
const copies: string[] = [];
after(() => copies.forEach((copy) => rmSync(copy, { recursive: true })));

/** Copies a checkout to a place beside it, so that its tests find their packages. */
function checkout(t: TestContext, name: string): string | undefined {
  if (PARTS === undefined) t.skip('no package registry has the project, and OVERSPILL_REAL_PARTS names no directory of checkouts');
  else if (!existsSync(`${PARTS}/${name}`)) t.skip(`there is no ${PARTS}/${name}`);
  else {
    const copy = mkdtempSync(`${PARTS}/replaced-`);
    copies.push(copy);
    cpSync(`${PARTS}/${name}`, copy, { recursive: true });
    return copy;
  }
  return undefined;
}

/** Replaces modules by ours. */
function replace(adapter: string, ...modules: string[]): void {
  const ours = fileURLToPath(import.meta.resolve(`overspill/${adapter}`));
  for (const module of modules) {
    assert(readFileSync(module, 'utf8').length > 0);
    writeFileSync(module, `export * from ${JSON.stringify(ours)};\n`);
  }
}

async function vitest(copy: string, ...words: string[]): Promise<string> {
  const env = { ...process.env, HOME: directory(), NO_COLOR: '1' };
  const command = [`${PARTS}/node_modules/vitest/vitest.mjs`, 'run', '--root', copy, ...words];
  const done = await run('node', command, { cwd: copy, env }).catch((error: { stdout: string }) => assert.fail(error.stdout));
  return done.stdout;
}

test('opencode passes its own tests with our Truncate', async (t) => {
  const copy = checkout(t, 'opencode/packages/opencode');
  if (copy === undefined) return;
  replace('opencode', `${copy}/src/tool/truncation.ts`);
  // The test program loads the whole product first.
  rmSync(`${copy}/bunfig.toml`, { force: true });
  const env = { ...process.env, HOME: directory(), XDG_DATA_HOME: directory(), NO_COLOR: '1' };
  const command = `${PARTS}/node_modules/.bin/bun`;
  const done = await run(command, ['test', 'test/tool/truncation.test.ts'], { cwd: copy, env }).catch((error: { stderr: string }) => assert.fail(error.stderr));
  assert.match(done.stderr, /\n 13 pass\n 0 fail\n/);
});

test('agent-v2 passes its own tests with our service', async (t) => {
  const copy = checkout(t, 'coding-agent');
  if (copy === undefined) return;
  const folder = `${copy}/src/agent-v2/truncation`;
  const modules = ['constants', 'index', 'middleware', 'service', 'storage', 'types', 'strategies/index'];
  replace('agent-v2', ...modules.map((module) => `${folder}/${module}.ts`));
  for (const module of ['base', 'default']) rmSync(`${folder}/strategies/${module}.ts`);
  assert.match(await vitest(copy, 'src/agent-v2/truncation'), /Tests +\d+ passed/);
});

test('neovate passes its own tests with our plugin', async (t) => {
  const copy = checkout(t, 'neovate-code');
  if (copy === undefined) return;
  replace('takumi', `${copy}/src/plugins/truncation.ts`);
  // That project does not change lists. The document wants their text parts shortened.
  const but = ['-t', '^(?!.*non-string content)'];
  assert.match(await vitest(copy, 'src/plugins/truncation.test.ts', ...but), /Tests +6 passed \| 1 skipped/);
});
