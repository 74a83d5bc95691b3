/** Compiles every example of the documents under `strict` with our adapters, and runs it. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { before, test } from 'node:test';

import { agentV2 } from './documents/agent-v2.mjs';
import { opencode } from './documents/opencode.mjs';
import { compiled, ran, uses } from './documents/programs.mjs';
import { takumi } from './documents/takumi.mjs';

const programs = [...agentV2(), ...opencode(), ...takumi()];

before(() => compiled('documents'));

for (const name of programs) {
  test(`the example ${name} runs`, () => ran('documents', name));
}

test('every example of a TypeScript document is used', () => {
  const examples = new URL('../../../tests/documents/', import.meta.url);
  for (const document of ['agent-v2', 'opencode', 'takumi']) {
    const files = readdirSync(new URL(document, examples), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((file) => /\.\w+$/.test(file))) assert(uses.has(`${document}/${file}`), file);
  }
});
