/** Compares the examples of agent-v2: its own implementation as a reference, and every use of it with our adapter. */

import { example, module as moduleOf } from './programs.mjs';

const module = (name: string, ...parts: string[]): void => moduleOf('documents', name, ...parts);

const OURS = `import * as overspill from 'overspill/agent-v2';`;

export function agentV2(): string[] {
  reference();
  module('agent-v2/surroundings.mts', SURROUNDINGS);
  const used = (name: string, ...parts: string[]): string => {
    module(`agent-v2/${name}.mts`, ...parts);
    return `agent-v2/${name}`;
  };
  return [
    used(
      'narrowing',
      `import { TruncationService } from 'overspill/agent-v2';
       import { assert, lines } from './surroundings.mjs';
       const said: string[] = [];
       const console = { log: (line: string) => said.push(line) };
       const truncationService = new TruncationService();
       const [content, context] = [lines(3000), { toolName: 'make' }];`,
      example('agent-v2/narrowing.ts'),
      `assert.match(said[0], /^完整内容保存在: .*make_/);
       assert.equal(said[1], '移除了 1000 行');`,
    ),
    used(
      'setup',
      `import { ToolRegistry, getDefaultTools, type LLMProvider, type ToolRegistryConfig } from './surroundings.mjs';
       import { assert, lines } from './surroundings.mjs';`,
      example('agent-v2/setup.ts', ["'../truncation'", "'overspill/agent-v2'"]),
      `const registry = createDefaultToolRegistry({ workingDirectory: '.', output: lines(1000) });
       const [bash, other, fetched] = await registry.execute(
         ['bash', 'other', 'web_fetch'].map((name) => ({ id: name, name, arguments: '{}' })), { sessionId: 's' });
       assert.match(bash.result.output, /^\\.\\.\\.500 lines truncated/);
       assert.deepEqual([other.result.metadata, fetched.result.metadata], [{ truncated: false }, undefined]);`,
    ),
    used(
      'user',
      `import { Agent, assert, lines, provider } from './surroundings.mjs';`,
      example('agent-v2/user.ts'),
      `assert.equal((await agent.truncation.output(lines(1600), { toolName: 'x' })).truncated, true);
       assert.equal((await agent.truncation.output(lines(1800), { toolName: 'grep' })).truncated, false);`,
    ),
    used(
      'declared',
      `import { BaseTool, assert, lines, z } from './surroundings.mjs';
       import type { TruncationConfig } from 'overspill/agent-v2';`,
      example(
        'agent-v2/declared.ts',
        ['z.object({ ... })', 'z.object({})'],
        ['execute(args, context)', 'execute(args: unknown, context: unknown)'],
        ['// ... 执行逻辑 ...', 'return { success: true, output: lines(1000) };'],
      ),
      `import { TruncationService } from 'overspill/agent-v2';
       const tool = new BashTool();
       const service = new TruncationService();
       service.setToolConfig(tool.name, tool.truncation);
       const cut = await service.output((await tool.execute({}, {})).output, { toolName: tool.name });
       assert(cut.truncated && cut.removedLines === 500 && cut.content.startsWith('...500 lines truncated'));`,
    ),
    used(
      'handled',
      `import { BaseTool, assert, lines, z } from './surroundings.mjs';
       import { TruncationService, createTruncationMiddleware } from 'overspill/agent-v2';
       const generateLargeOutput = async () => lines(9000);
       const customTruncate = (text: string) => text.slice(0, 60_000);`,
      example('agent-v2/handled.ts', ['execute(args, context)', 'execute(args: unknown, context: unknown)']),
      `const result = await new CustomTool().execute({}, {});
       const middleware = createTruncationMiddleware({ service: new TruncationService() });
       assert.equal(await middleware('custom', result, { toolName: 'custom' }), result);`,
    ),
    used(
      'gate',
      `import { assert, lines, type ToolResult } from './surroundings.mjs';
       import { TruncationService, createTruncationMiddleware } from 'overspill/agent-v2';
       function gate(result: ToolResult): ToolResult | undefined {`,
      example('agent-v2/gate.ts'),
      `return undefined; }
       const middleware = createTruncationMiddleware({ service: new TruncationService() });
       for (const metadata of [undefined, {}, { truncated: undefined }, { truncated: false }, { truncated: null }, { truncated: true }]) {
         const result = { success: true, output: lines(3000), metadata };
         assert.equal((await middleware('t', result, { toolName: 't' })) === result, gate(result) === result);
       }`,
    ),
    used(
      'json-aware',
      `import { BaseTruncationStrategy, DefaultTruncationStrategy, TruncationService, type TruncationConfig } from 'overspill/agent-v2';
       import { assert, lines } from './surroundings.mjs';`,
      example('agent-v2/json-aware.ts'),
      `const service = new TruncationService({ strategy: new JsonAwareStrategy(), global: { maxLines: 3 } });
       const list = await service.output('[1, 2, 3, 4, 5]', { toolName: 't' });
       assert(list.truncated && list.removedLines === 2 && list.content.startsWith('[\\n  1,\\n  2,\\n  3\\n]\\n\\n...2 lines truncated...'));
       const text = await service.output(lines(5), { toolName: 't' });
       assert(text.truncated && text.content.startsWith('line 1\\nline 2\\nline 3\\n\\n...2 lines truncated'));
       assert.equal((await service.output('[1]', { toolName: 't' })).truncated, false);`,
    ),
    used(
      'unit',
      `import { TruncationService } from 'overspill/agent-v2';
       import { describe, done, expect, it, lines } from './surroundings.mjs';
       const [longContent, contentWith100Lines, contentWith50Lines] = [lines(3000), lines(100), lines(50)];`,
      example('agent-v2/service.test.ts'),
      `await done(3);`,
    ),
    used(
      'integration',
      `import { TruncationService, createTruncationMiddleware } from 'overspill/agent-v2';
       import { ToolRegistry, describe, done, expect, it, lines } from './surroundings.mjs';
       const config = { workingDirectory: '.', output: lines(100) };
       const toolCall = { id: 'c1', name: 'test', arguments: '{}' };`,
      example('agent-v2/integration.test.ts'),
      `await done(1);`,
    ),
    used('twin', OURS, TWIN),
  ];
}

/** Writes the document's own implementation. */
function reference(): void {
  const types = ["'./types'", "'./types.mjs'"] as const;
  const above = ["'../types'", "'../types.mjs'"] as const;
  const from = (name: string, text: string): void => module(`agent-v2/reference/${name}.mts`, text);
  from('types', example('agent-v2/types.ts'));
  from('constants', example('agent-v2/constants.ts', types));
  from('strategies/base', example('agent-v2/strategies/base.ts', above));
  from('strategies/default', example('agent-v2/strategies/default.ts', ["'./base'", "'./base.mjs'"], above));
  from(
    'strategies/index',
    example('agent-v2/strategies/index.ts', ["'./base'", "'./base.mjs'"], ["'./default'", "'./default.mjs'"]),
  );
  from('storage', example('agent-v2/storage.ts', types));
  from(
    'service',
    example(
      'agent-v2/service.ts',
      // The document forgets three imports.
      ['  TruncationEventCallback,\n}', '  TruncationEventCallback, ITruncationStorage, TruncationDirection, TruncationEvent,\n}'],
      types,
      ["'./constants'", "'./constants.mjs'"],
      ["'./storage'", "'./storage.mjs'"],
      ["'./strategies'", "'./strategies/index.mjs'"],
    ),
  );
  const base = ["'../tool/base'", "'../surroundings.mjs'"] as const;
  from('middleware', example('agent-v2/middleware.ts', base, ["'./service'", "'./service.mjs'"], types));
  module(
    'agent-v2/registry.mts',
    `import type { ExecutionContext, ToolCall, ToolExecutionResult, ToolRegistryConfig, ToolResult } from './surroundings.mjs';`,
    example(
      'agent-v2/registry.ts',
      ["'../truncation/middleware'", "'overspill/agent-v2'"],
      ['// ... 现有代码 ...', 'constructor(readonly config: ToolRegistryConfig) {}\n  register(_tools: object[]): void {}'],
      [
        '// ... 现有代码直到获取 result ...',
        'const { name, arguments: paramsStr } = toolCall;\n        let result: ToolResult = { success: true, output: this.config.output };',
      ],
    ),
  );
}

/** The declarations that the document's examples need. */
const SURROUNDINGS = `
import assert from 'node:assert/strict';
import { z } from 'zod';
import { TruncationService, type TruncationConfig } from 'overspill/agent-v2';

export { assert, z };
export { ToolRegistry } from './registry.mjs';
export interface ToolResult { success: boolean; output: string; metadata?: Record<string, any> }
export interface ToolCall { id: string; name: string; arguments: string }
export interface ExecutionContext { sessionId?: string }
export interface ToolExecutionResult { tool_call_id: string; name: string; arguments: string; result: ToolResult }
export interface ToolRegistryConfig { workingDirectory: string; output: string }
export interface LLMProvider {}
export const provider: LLMProvider = {};
export const getDefaultTools = (_directory: string, _provider?: LLMProvider): object[] => [];
export abstract class BaseTool<_T> { abstract execute(args: unknown, context: unknown): Promise<ToolResult> }
export class Agent {
  readonly truncation: TruncationService;
  constructor(config: { provider: LLMProvider; truncation: Partial<TruncationConfig> & { tools?: Record<string, Partial<TruncationConfig>> } }) {
    const { tools, ...global } = config.truncation;
    this.truncation = new TruncationService({ global, tools });
  }
}
export const lines = (count: number): string => Array.from({ length: count }, (_, at) => 'line ' + (at + 1)).join('\\n');

const ran: Promise<void>[] = [];
export const describe = (_name: string, body: () => void): void => body();
export const it = (_name: string, body: () => Promise<void>): void => void ran.push(body());
export const done = async (count: number): Promise<void> => assert.equal((await Promise.all(ran)).length, count);
export const expect = (actual: any) => ({
  toBe: (wanted: unknown) => assert.equal(actual, wanted),
  toContain: (wanted: string) => assert(actual.includes(wanted)),
});
`;

/** Compares our service with the document's own: the results are the same, and the types can be exchanged. */
const TWIN = `
import { mkdtempSync } from 'node:fs';
import { assert, lines } from './surroundings.mjs';
import * as constants from './reference/constants.mjs';
import * as reference from './reference/service.mjs';
import { createTruncationMiddleware, type TruncationMiddleware } from './reference/middleware.mjs';
import { TruncationStorage } from './reference/storage.mjs';
import { BaseTruncationStrategy, DefaultTruncationStrategy } from './reference/strategies/index.mjs';
import type * as types from './reference/types.mjs';

// Their type where ours is expected, and the other way round.
const directory = mkdtempSync(process.cwd() + '/outputs-');
const ours: types.ITruncationStorage = new overspill.TruncationStorage(directory);
const strategy: types.TruncationStrategy = new overspill.DefaultTruncationStrategy();
const event: types.TruncationEventCallback = (_: overspill.TruncationEvent) => {};
const middleware: TruncationMiddleware = overspill.createTruncationMiddleware({ service: new overspill.TruncationService() });
assert.deepEqual(overspill.DEFAULT_TRUNCATION_CONFIG, constants.DEFAULT_TRUNCATION_CONFIG);
const { read_file, ...table } = overspill.TOOL_TRUNCATION_CONFIGS;
assert.deepEqual(table, constants.TOOL_TRUNCATION_CONFIGS);

const contents = ['', 'a', lines(9), lines(10), lines(11), lines(12) + '\\n', 'x'.repeat(99), 'x'.repeat(101), lines(7) + '\\n' + 'ü'.repeat(80),
  'ü'.repeat(80) + '\\n' + lines(20), '\\n'.repeat(30), 'a\\r\\n'.repeat(20), '🚀\\n'.repeat(40)];
const settings: types.TruncationOptions[] = [{}, { direction: 'tail' }, { maxLines: 3 }, { maxBytes: 20 }, { maxLines: 3, direction: 'tail' },
  { maxLines: 0 }, { maxBytes: 0 }, { skip: true }, { skip: false }];
const strategies = [undefined, new DefaultTruncationStrategy(), new overspill.DefaultTruncationStrategy()];
let compared = 0;
for (const given of strategies) {
  const events: Record<string, types.TruncationEvent[]> = { ours: [], theirs: [] };
  const config = (who: string): reference.TruncationServiceConfig => ({
    global: { maxLines: 10, maxBytes: 100, storageDir: directory, retentionDays: 3 },
    tools: { tail: { direction: 'tail' }, off: { enabled: false } },
    strategy: given,
    onEvent: (event) => events[who].push(event),
  });
  const services = { ours: new overspill.TruncationService(config('ours')), theirs: new reference.TruncationService(config('theirs')) };
  const named = (result: types.TruncationResult): unknown => JSON.parse(
    JSON.stringify(result.truncated ? { ...result, content: result.content.replace(result.outputPath, 'PATH'), outputPath: 'PATH' } : result));
  for (const toolName of ['other', 'tail', 'off']) {
    for (const content of contents) {
      for (const options of settings) {
        const context: types.TruncationContext = { toolName, sessionId: 's', options };
        const result: types.TruncationResult = await services.ours.output(content, context);
        assert.deepEqual(named(result), named(await services.theirs.output(content, context)), JSON.stringify([content, context]));
        if (result.truncated) assert.equal(await ours.read(result.outputPath), content);
        compared += 1;
      }
    }
  }
  const short = ({ type, toolName, originalSize, timestamp }: types.TruncationEvent): unknown[] => [type, toolName, originalSize, typeof timestamp];
  assert.deepEqual(events.ours.map(short), events.theirs.map(short));
}
assert.equal(compared, 3 * 3 * 13 * 9);
// Their storage and a strategy of their base class in our service.
const storage = new TruncationStorage(directory + '/theirs');
const service = new overspill.TruncationService({ storage, global: { maxLines: 2, retentionDays: 0 } });
const saved = await service.output(lines(9), { toolName: 't' });
assert(saved.truncated && saved.outputPath.startsWith(storage.getStorageDir()));
assert.equal(await service.read(saved.outputPath), lines(9));
await new Promise((resolve) => setTimeout(resolve, 20));
assert.equal(await service.cleanup(), 1);
// Our service behind their middleware.
const result = { success: true, output: lines(9), metadata: { own: 1 } };
const theirs = createTruncationMiddleware({ service: service as never, shouldTruncate: () => ({ maxLines: 4 }) });
const mine = overspill.createTruncationMiddleware({ service, shouldTruncate: () => ({ maxLines: 4 }) });
const [one, other] = [await theirs('t', result, { toolName: 't' }), await mine('t', result, { toolName: 't' })];
assert.deepEqual(Object.keys(other.metadata), Object.keys(one.metadata ?? {}).filter((key) => key !== 'truncationRemovedBytes'));
`;
