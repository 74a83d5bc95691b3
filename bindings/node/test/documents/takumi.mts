/** Compiles and runs the examples of takumi: its types, its plugin and its settings. */

import { example, module as moduleOf } from './programs.mjs';

const module = (name: string, ...parts: string[]): void => moduleOf('documents', name, ...parts);

export function takumi(): string[] {
  module('takumi/tool.mts', TYPES, example('takumi/tool.ts', ['metadata?: { ... };', 'metadata?: { [key: string]: unknown };']));
  module('takumi/config.mts', example('takumi/config.ts'));
  module(
    'takumi/plugin.mts',
    PLUGIN,
    example('takumi/plugin.ts', ['    // ...\n', '    return { ...toolResult, truncated: false };\n']),
  );
  module('takumi/use.mts', USE.replace('SETTINGS', () => JSON.stringify(example('takumi/settings.sh'))));
  return ['takumi/use'];
}

const TYPES = `
export interface TextPart { type: 'text'; text: string }
export interface ImagePart { type: 'image'; data: string; mimeType: string }
export type ReturnDisplay = string | { type: 'diff_viewer'; filePath: string };`;

/** takumi's type of a plugin, limited to this hook. */
const PLUGIN = `
import type { Config } from './config.mjs';
import type { ToolResult } from './tool.mjs';
export interface Plugin {
  name: string;
  enforce?: 'pre' | 'post';
  toolResult?: (this: { config: Config }, toolResult: ToolResult, opts: { toolUse: { name: string; callId: string }; approved: boolean; sessionId: string }) => Promise<ToolResult>;
}`;

/** Compares our plugin with theirs: it has the same gates. */
const USE = `
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { truncationPlugin } from 'overspill/takumi';
import type { Config } from './config.mjs';
import { truncationPlugin as theirs, type Plugin } from './plugin.mjs';
import type { ToolResult } from './tool.mjs';

const ours: Plugin = truncationPlugin;
assert.deepEqual([ours.name, ours.enforce], [theirs.name, theirs.enforce]);
const run = async (plugin: Plugin, config: Config, result: ToolResult) =>
  plugin.toolResult!.call({ config }, result, { toolUse: { name: 'bash', callId: 'c1' }, approved: true, sessionId: 's1' });
const long = 'line\\n'.repeat(3000);
const settings = JSON.parse(SETTINGS.split('\\n').find((line: string) => line.startsWith('{')) ?? '');
const passes: Array<[Config, ToolResult]> = [
  [settings, { llmContent: long }],
  [{}, { llmContent: long, truncated: false }],
  [{}, { llmContent: long, truncated: true }],
  [{}, { llmContent: long, isError: true }],
];
for (const [config, result] of passes) {
  assert.equal(await run(ours, config, result), result);
  assert.equal(await run(theirs, config, result), result);
}
for (const llmContent of ['short', 'x\\n'.repeat(1999), 'x'.repeat(51_200)]) {
  assert.deepEqual(await run(ours, {}, { llmContent }), await run(theirs, {}, { llmContent }));
}
const cut = await run(ours, { truncation: true }, { llmContent: long });
assert(cut.truncated && cut.outputPath?.startsWith(process.env.HOME + '/.takumi/tool-output/tool_s1_'));
assert.equal(readFileSync(cut.outputPath ?? '', 'utf8'), long);
const image = { type: 'image' as const, data: 'aa', mimeType: 'image/png' };
const parts = await run(ours, {}, { llmContent: [{ type: 'text', text: long }, image] });
assert.deepEqual(parts.llmContent[1], image);
`;
