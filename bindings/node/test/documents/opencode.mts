/** Compares the examples of opencode: its own implementation as a reference, and every use of it with our adapter. */

import { example, module as moduleOf } from './programs.mjs';

const module = (name: string, ...parts: string[]): void => moduleOf('documents', name, ...parts);

const OURS = `import { PRESETS, Tool, Truncate } from 'overspill/opencode';
import assert from 'node:assert/strict';
import { z } from 'zod';
const lines = (count: number): string => Array.from({ length: count }, (_, at) => 'line ' + (at + 1)).join('\\n');`;

export function opencode(): string[] {
  const used = (name: string, ...parts: string[]): string => {
    module(`opencode/${name}.mts`, ...parts);
    return `opencode/${name}`;
  };
  reference();
  return [
    used(
      'types',
      OURS,
      example('opencode/result.ts'),
      example('opencode/options.ts'),
      `namespace again {`,
      example('opencode/options-8.ts'),
      `export const asked: Options = {}; }
       const options: Truncate.Options = again.asked satisfies Options;
       const result: Result = await Truncate.output(lines(3000), options);
       const same: Truncate.Result = result;
       assert(same.truncated && result.truncated);`,
    ),
    used(
      'narrowing',
      OURS,
      `const said: string[] = [];
       const console = { log: (line: string) => said.push(line) };
       const text = lines(3000);`,
      example('opencode/narrowing.ts'),
      `assert.match(said[0], /^完整输出保存在: .*tool-output.tool_/);`,
    ),
    used(
      'constants',
      `import * as ours from 'overspill/opencode';
       import assert from 'node:assert/strict';
       import path from 'node:path';
       const Global = { Path: { data: path.join(process.env.HOME ?? '', '.local/share/opencode') } };`,
      example('opencode/constants.ts'),
      `assert.deepEqual(
         [ours.Truncate.MAX_LINES, ours.Truncate.MAX_BYTES, ours.Truncate.DIR, ours.Truncate.GLOB, ours.Truncate.RETENTION_MS],
         [Truncate.MAX_LINES, Truncate.MAX_BYTES, Truncate.DIR, Truncate.GLOB, 604800000]);
       const permission = { external_directory: { '*': 'ask', [ours.Truncate.GLOB]: 'allow' } };
       assert(Object.keys(permission.external_directory).length === 2);`,
    ),
    used(
      'lazy',
      OURS,
      `let cleaned = 0;
       const cleanup = async () => void (cleaned += 1);
       const lazy = <T,>(act: () => T): (() => T) => { let made: T | undefined; return () => (made ??= act()); };`,
      example('opencode/lazy.ts', ['output(...)', 'output(text: string)']),
      `await output('a'); await output('b');
       assert.equal(cleaned, 1);`,
    ),
    used(
      'define',
      OURS,
      `type Metadata = Record<string, any>;
       interface Info { id: string; init(ctx?: { agent?: any }): Promise<{ parameters: z.ZodType; execute(args: any, ctx: any): Promise<{ title: string; output: string; metadata: Metadata }> }> }`,
      example('opencode/define.ts'),
      `const parameters = z.object({ n: z.number() });
       for (const metadata of [{}, { n: 1 }, { truncated: false }, { truncated: true }, { truncated: undefined }]) {
         for (const permission of [undefined, [], [{ permission: 'task', pattern: '*', action: 'deny' as const }]]) {
           for (const n of [1, 3000]) {
             const made = () => ({ description: 'd', parameters, execute: async ({ n }: { n: number }) => ({ title: 't', output: lines(n), metadata: metadata as Metadata }) });
             const run = async (info: { init(ctx?: any): Promise<{ execute(args: any, ctx: any): Promise<any> }> }) => {
               const result = await (await info.init({ agent: { permission } })).execute({ n }, {});
               const path = result.metadata.outputPath;
               return JSON.parse(JSON.stringify(result).replaceAll(path ?? '{none}', 'PATH'));
             };
             assert.deepEqual(await run(Tool.define('t', made())), await run(define('t', made() as never)));
             assert.deepEqual(await run(Tool.define('t', async () => made())), await run(define('t', async () => made() as never)));
           }
         }
       }
       const strict = await Tool.define('t', { parameters, execute: async () => ({ title: '', output: '', metadata: {} }) }).init();
       await assert.rejects(strict.execute({ n: 'x' } as never, {}), /expected number/);`,
    ),
    used(
      'handled',
      OURS,
      `const generateLargeOutput = () => lines(3000);`,
      example('opencode/handled.ts'),
      `const { output, metadata } = await (await CustomTool.init()).execute({}, { extra: { agent: { permission: [] } } });
       assert(output.startsWith('...2000 lines truncated...') && output.includes('Use the Task tool'));
       assert(metadata.truncated && metadata.customPath?.includes('tool_') && !('outputPath' in metadata));`,
    ),
    used(
      'limits',
      OURS,
      `const [text, errorStack] = [lines(3000), lines(200)];
       {`,
      example('opencode/limits.ts', ['// 保留尾部', 'assert(result.truncated && result.content.includes("...2500 lines"));\n}\n{\n// 保留尾部']),
      `assert(result.truncated && result.content.startsWith('...100 lines truncated')); }`,
    ),
    used('basic', `const console = { log(_line: string) {} };`, example('opencode/basic.ts', ['"./truncation"', '"overspill/opencode"'])),
    used(
      'grep-tool',
      OURS,
      `const searchFiles = async (pattern: string, path: string) => lines(3000).split('\\n').map((line) => path + pattern + line);
       const formatMatches = (matches: string[]) => matches.join('\\n');`,
      example('opencode/grep-tool.ts'),
      `const { title, output, metadata } = await (await GrepTool.init()).execute({ pattern: 'a', path: 'b' }, {});
       assert.equal(title, '搜索结果: a');
       const found: Record<string, any> = metadata;
       assert(found.truncated && found.outputPath && metadata.matchCount === 3000 && output.includes('...1000 lines truncated'));`,
    ),
    used(
      'log-tool',
      OURS,
      `const readLogs = async (_service: string) => lines(3000);`,
      example('opencode/log-tool.ts'),
      `const tool = await LogTool.init();
       assert.match((await tool.execute({ service: 'web' }, {})).output, /^\\.\\.\\.2500 lines/);
       const { output, metadata } = await tool.execute({ service: 'web', lines: 10 }, {});
       assert(output.endsWith('\\nline 3000') && output.startsWith('...2990 lines') && metadata.logPath);`,
    ),
    used('presets', `import * as ours from 'overspill/opencode'; import assert from 'node:assert/strict';`, example('opencode/presets.ts'), `assert.deepEqual(ours.PRESETS, PRESETS);
       assert.equal((await ours.Truncate.output('x\\n'.repeat(101), ours.PRESETS.error)).truncated, true);`),
    used(
      'error',
      OURS,
      `const said: string[] = [];
       const logger = { info: (line: string) => said.push(line) };
       async function handled(text: string) {`,
      example('opencode/error.ts'),
      `return result; }
       const answer = await handled(lines(3000));
       assert('metadata' in answer && said[0].endsWith(answer.metadata.fullOutputPath));`,
    ),
    used('twin', OURS, TWIN),
  ];
}

/** Writes the document's own implementation, assembled from its parts. */
function reference(): void {
  const message = example(
    'opencode/message.ts',
    ['// 头部截断格式\nconst message', 'const headMessage'],
    ['// 尾部截断格式\nconst message', 'const tailMessage'],
  );
  const output = example(
    'opencode/output.ts',
    ['  // ...详见下方\n', `${VARIABLES}\n${example('opencode/head.ts')}${example('opencode/tail.ts')}`],
    ['  // 5. 保存完整输出到文件\n  // ...\n', `${example('opencode/save.ts')}\n${COUNTS}\n`],
    ['  // 6. 生成智能提示\n  // ...\n', `${example('opencode/hint.ts')}\n${message}\nconst message = direction === 'head' ? headMessage : tailMessage;\n`],
  );
  const parts = ['opencode/result.ts', 'opencode/options.ts', 'opencode/has-task-tool.ts', 'opencode/cleanup.ts'];
  module('opencode/reference.mts', SURROUNDINGS, ...parts.map((name) => example(name)), output);
}

const VARIABLES = 'let i = 0, bytes = 0, hitBytes = false;\nconst out: string[] = [];';
const COUNTS = `const removed = hitBytes ? totalBytes - bytes : lines.length - out.length;
const unit = hitBytes ? 'bytes' : 'lines';
const preview = out.join('\\n');`;

const SURROUNDINGS = `
import fs from 'node:fs/promises';
import path from 'node:path';
export const DIR = process.cwd() + '/reference';
const MAX_LINES = 2000, MAX_BYTES = 50 * 1024;
export namespace Agent { export interface Info { permission?: Array<{ permission: string; pattern: string; action: string }> } }
const PermissionNext = { evaluate: (permission: string, pattern: string, rules: NonNullable<Agent.Info['permission']>) =>
  rules.findLast((rule) => [permission, '*'].includes(rule.permission) && rule.pattern === pattern) ?? { action: 'ask' } };
let made = 0;
const Identifier = {
  ascending: (kind: string) => Identifier.create(kind, false, Date.now()),
  create: (kind: string, _descending: boolean, time: number) => kind + '_' + time + '_' + (made += 1),
  timestamp: (id: string) => Number(id.split('_')[1]),
};
const Bun = {
  file: (name: string) => name,
  write: async (name: string, text: string) => { await fs.mkdir(DIR, { recursive: true }); await fs.writeFile(name, text); },
  Glob: class {
    constructor(readonly pattern: string) {}
    async *scan({ cwd }: { cwd: string; onlyFiles: boolean }) { yield* await fs.readdir(cwd); }
  },
};
Array.fromAsync ??= async (all: any) => { const items: any[] = []; for await (const item of all) items.push(item); return items; };
`;

/**
 * Compares our `Truncate` with the document's own. Its hint for sub-agents breaks one line that opencode's source
 * does not.
 */
const TWIN = `
import { readFileSync, readdirSync, utimesSync, writeFileSync, mkdirSync } from 'node:fs';
import * as reference from './reference.mjs';
const contents = ['', 'a', lines(9), lines(10), lines(11), lines(12) + '\\n', 'x'.repeat(99), 'x'.repeat(101), lines(7) + '\\n' + 'ü'.repeat(80),
  'ü'.repeat(80) + '\\n' + lines(20), '\\n'.repeat(30), 'a\\r\\n'.repeat(20), '🚀\\n'.repeat(40), lines(2000), lines(2001), lines(20000)];
const small = { maxLines: 10, maxBytes: 100 };
const options: Truncate.Options[] = [{}, small, { ...small, direction: 'tail' }, { ...small, maxLines: 3 }, { maxBytes: 20 }, { maxLines: 0 }, { maxBytes: 0 }, PRESETS.log, PRESETS.error];
const rule = (action: 'allow' | 'ask' | 'deny') => ({ permission: [{ permission: 'task', pattern: '*', action }] });
const agents = [undefined, {}, { permission: [] }, rule('allow'), rule('deny')];
const named = (result: reference.Result): unknown => result.truncated
  ? { ...result, content: result.content.replace(result.outputPath, 'PATH').replace('offset/limit). \\nDo NOT', 'offset/limit). Do NOT'), outputPath: 'PATH' }
  : result;
for (const content of contents) for (const asked of options) for (const agent of agents) {
  const ours = await Truncate.output(content, asked, agent);
  assert.deepEqual(named(ours), named(await reference.output(content, asked, agent)), JSON.stringify([content.slice(0, 200), asked, agent]));
  if (ours.truncated) assert.equal(readFileSync(ours.outputPath, 'utf8'), content);
}
// Both remove outputs that are older than seven days by their name, and no others. The last use does not count.
const saved = readdirSync(Truncate.DIR).filter((name) => name.startsWith('tool_'));
const old = new Date(Date.now() - 9 * 24 * 60 * 60 * 1000);
writeFileSync(Truncate.DIR + '/tool_' + old.toISOString().slice(0, 10).replaceAll('-', '') + '_abc123', '');
utimesSync(Truncate.DIR + '/' + saved[0], old, old);
mkdirSync(reference.DIR, { recursive: true });
writeFileSync(reference.DIR + '/tool_' + old.getTime() + '_x', '');
const before = readdirSync(reference.DIR).length;
await reference.cleanup();
assert.equal(before - readdirSync(reference.DIR).length, await Truncate.cleanup());
assert.deepEqual(readdirSync(Truncate.DIR).filter((name) => name.startsWith('tool_')), saved);
`;
