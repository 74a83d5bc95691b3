/** Every example of the documents compiles under `strict` with our adapters, and runs. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

import { agentV2 } from './documents/agent-v2.mjs';
import { opencode } from './documents/opencode.mjs';
import { MADE, options, uses } from './documents/programs.mjs';
import { takumi } from './documents/takumi.mjs';
import { directory } from './start.mjs';

const run = promisify(execFile);
const TSC = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url));

rmSync(MADE, { recursive: true, force: true });
options();
const programs = [...agentV2(), ...opencode(), ...takumi()];

before(async () => {
  await run(TSC, ['-p', MADE]).catch((error: { stdout: string }) => assert.fail(error.stdout));
});

for (const name of programs) {
  test(`example of ${name} runs`, async () => {
    const home = directory();
    const env = { PATH: process.env['PATH'], HOME: home, NODE_NO_WARNINGS: '1' };
    await run('node', [`${MADE}run/${name}.mjs`], { cwd: home, env }).catch((error: { stderr: string }) => assert.fail(error.stderr));
  });
}

test('every example of a TypeScript document is used', () => {
  const examples = new URL('../../../tests/documents/', import.meta.url);
  for (const document of ['agent-v2', 'opencode', 'takumi']) {
    const files = readdirSync(new URL(document, examples), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((file) => /\.\w+$/.test(file))) assert(uses.has(`${document}/${file}`), file);
  }
});
