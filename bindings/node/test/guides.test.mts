/** Compiles the examples of the guides in `docs/replace` under `strict`, and runs them. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';

import { compiled, module, ran } from './documents/programs.mjs';

/** Returns the examples below `## After`. */
function examples(guide: string): string {
  const text = readFileSync(new URL(`../../../docs/replace/${guide}.md`, import.meta.url), 'utf8');
  const after = text.slice(text.indexOf('\n## After'));
  const found = [...after.matchAll(/```(?:ts|js)\n([^]*?)```/g)].map((match) => match[1] ?? '');
  assert(found.length > 0);
  return found.join('\n');
}

const START = `
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
const lines = (count: number): string => Array.from({ length: count }, (_, at) => 'line ' + (at + 1)).join('\\n');
const said: string[] = [];
const console = { log: (line: string) => void said.push(line), error: (line: string) => void said.push(line) };`;

const SURROUNDINGS: Record<string, [string, string]> = {
  'agent-v2': [
    `import type { TruncationMiddleware } from 'overspill/agent-v2';
     const toolRegistry = { middleware: undefined as TruncationMiddleware | undefined,
       setTruncationMiddleware(middleware: TruncationMiddleware) { this.middleware = middleware; } };
     const content = lines(600);`,
    `assert(said[0] === '[Truncation] truncated: bash' && said[1].startsWith('100 lines are only in ') && said[2] === content);
     const cut = await toolRegistry.middleware!('web_fetch', { output: lines(3000) }, { toolName: 'web_fetch' });
     assert.equal(cut.output, lines(3000));
     const first = await own.output(lines(3000), { toolName: 'make' });
     assert(first.truncated && first.outputPath === 'map/make-0' && first.removedLines === 2999);
     assert.deepEqual([kept.size, await own.read('map/make-0')], [1, lines(3000)]);`,
  ],
  opencode: [
    `const text = lines(200); const agent = { permission: [] }; const readLogs = async (_service: string) => lines(600);`,
    `assert(said[0].startsWith('The full output is in ' + Truncate.DIR) && result.content.includes('Use the Task tool'));
     assert.equal(Object.keys(permission.external_directory)[1], Truncate.DIR + '/*');
     const { output, metadata } = await tool.execute({ service: 'web' }, {});
     assert(metadata.truncated && output.startsWith('...100 lines truncated...'));`,
  ],
  takumi: [
    `import type { TruncationPlugin } from 'overspill/takumi';
     interface Plugin { name: string; enforce?: 'pre' | 'post'; toolResult?: TruncationPlugin['toolResult'] }
     const notificationPlugin: Plugin = { name: 'notification' };`,
    `const cut = await plugin.toolResult({ llmContent: lines(600) }, { toolUse: { name: 'bash' }, sessionId: 's1' });
     assert(cut.truncated && cut.outputPath?.includes('/tool-output/tool_s1_') && existsSync(cut.outputPath));
     const home = await plugins[1].toolResult!({ llmContent: lines(3000) });
     assert(home.outputPath?.startsWith(process.env.HOME + '/.takumi/'));`,
  ],
  unified: [
    `const response: object = { status: 'success', data: lines(3000), stats: { n: 1 } }; const projectRoot = process.cwd() + '/project';`,
    `const { data } = answer as unknown as { data: { truncation: { full_output_path: string } } };
     assert(existsSync(projectRoot + '/' + data.truncation.full_output_path));`,
  ],
};

for (const [guide, [start, end]] of Object.entries(SURROUNDINGS)) {
  module('guides', `${guide}.mts`, START, start, examples(guide), end);
}

before(() => compiled('guides'));

for (const guide of Object.keys(SURROUNDINGS)) {
  test(`the guide for ${guide} runs`, () => ran('guides', guide));
}
