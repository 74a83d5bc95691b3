/** Tests predicates, strategies, storages, permissions and classes of a user, as the documents describe them. */

import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { Misuse, Overspill, StoreError, type Store } from 'overspill';
import {
  BaseTruncationStrategy,
  createTruncationMiddleware,
  type ITruncationStorage,
  type TruncationConfig,
  type TruncationContext,
  TruncationService,
} from 'overspill/agent-v2';
import { createTool, createTruncate, type Tool, type ToolContext } from 'overspill/opencode';
import { createTruncationPlugin } from 'overspill/takumi';

import { directory, numbered, warnings } from './start.mjs';

/** A result of a registry, as in the source of agent-v2. */
interface RegistryResult<T = unknown> {
  success: boolean;
  metadata?: T;
  output?: string;
}

class Recorded extends BaseTruncationStrategy {
  readonly name = 'recorded';
  readonly seen: TruncationConfig[] = [];
  override needsTruncation(content: string, config: TruncationConfig): boolean {
    this.seen.push(config);
    return super.needsTruncation(content, config);
  }
  truncate(content: string, config: TruncationConfig) {
    return { content: this.truncateTail(content, config.maxLines).join('\n'), removedLines: 1 };
  }
}

function storageIn(saved: TruncationContext[]): ITruncationStorage {
  return {
    async save(_content, context) {
      saved.push(context);
      return `kept/${saved.length}`;
    },
    read: async () => '',
    cleanup: async () => 0,
    getStorageDir: () => 'kept',
  };
}

test('options of a predicate reach the strategy and the storage', async () => {
  const [strategy, saved] = [new Recorded(), [] as TruncationContext[]];
  const service = new TruncationService({ strategy, storage: storageIn(saved) });
  const decision = { maxLines: 5, direction: 'tail', skip: false } as const;
  const middleware = createTruncationMiddleware({ service, shouldTruncate: () => decision });
  const result: RegistryResult = { success: true, output: numbered(9) };
  // The table of tools switches `read` off, and `skip: false` switches it on.
  const cut = await middleware('read', result, { toolName: 'read', messageId: 'm', options: { maxBytes: 9 } });
  assert.deepEqual(cut.metadata, { truncated: true, truncationPath: 'kept/1', truncationRemovedLines: 1 });
  const [{ maxLines, maxBytes, direction, enabled }] = strategy.seen as [TruncationConfig];
  assert.deepEqual([maxLines, maxBytes, direction, enabled], [5, 51_200, 'tail', true]);
  assert.deepEqual(saved, [{ toolName: 'read', messageId: 'm', options: decision }]);
});

test('predicate is asked only about results that pass the gates before it', async () => {
  const asked: string[] = [];
  const service = new TruncationService({ global: { storageDir: directory() } });
  const shouldTruncate = (tool: string): boolean => asked.push(tool) === 0;
  const middleware = createTruncationMiddleware({ service, skipTools: ['skipped'], shouldTruncate });
  const output = numbered(9);
  for (const [tool, result] of [
    ['empty', { output: '' }],
    ['none', {}],
    ['handled', { output, metadata: { truncated: false } }],
    ['skipped', { output }],
    ['asked', { output }],
  ] as const) {
    assert.equal(await middleware(tool, result, { toolName: tool }), result);
  }
  assert.deepEqual(asked, ['asked']);
});

test('strategy is not asked about a result that the predicate passes', async () => {
  const strategy = new Recorded();
  const service = new TruncationService({ strategy, global: { storageDir: directory() } });
  const result = { output: numbered(9000) };
  assert.equal(await createTruncationMiddleware({ service, shouldTruncate: () => false })('t', result, { toolName: 't' }), result);
  assert.deepEqual(strategy.seen, []);
});

test('Infinity is no limit, and NaN is refused', async () => {
  const limits = { maxLines: Infinity, maxBytes: Infinity };
  const output = numbered(9000);
  assert.equal((await new Overspill({ store: 'memory', ...limits }).process(output)).spilled, false);
  assert.equal((await new Overspill({ store: 'memory' }).process(output, limits)).spilled, false);
  const [one] = await new Overspill({ store: 'memory', ...limits }).batch([output], limits);
  assert.equal(one?.spilled, false);
  const service = new TruncationService({ global: { ...limits, storageDir: directory() } });
  assert.equal((await service.output(output, { toolName: 't' })).truncated, false);
  assert.equal((await createTruncate({ store: directory() }).output(output, limits)).truncated, false);
  assert.throws(() => new Overspill({ maxLines: NaN }), /^Misuse: maxLines: "NaN" is not a whole number/);
  await assert.rejects(new Overspill({ store: 'memory' }).process(output, { maxLines: NaN }), Misuse);
});

test('storage that never answers or answers nonsense ends in an error', async () => {
  const never = (): Promise<never> => new Promise(() => {});
  const good = storageIn([]);
  const slow = new TruncationService({ storage: { ...good, read: never, cleanup: never }, answerTimeout: 50 });
  await assert.rejects(slow.cleanup(), /^StoreError: the storage could not clean up: .*within 50 ms/);
  await assert.rejects(slow.read('kept/1'), /^StoreError: the storage could not read kept\/1: .*within 50 ms/);
  const wrong = new TruncationService({ storage: { ...good, read: (async () => 5) as never } });
  await assert.rejects(wrong.read('kept/1'), /^StoreError: read returned number/);
});

test('results and tools that are instances of classes work in all three', async () => {
  const middleware = createTruncationMiddleware({ service: new TruncationService({ global: { storageDir: directory() } }) });
  const result = new (class Result { output = numbered(9000); metadata = { own: 1 }; })();
  const { metadata } = await middleware('t', result, { toolName: 't' });
  assert.deepEqual([metadata['truncated'], metadata['own']], [true, 1]);
  const skipped = new (class Result { output = numbered(9000); metadata = { truncated: true }; })();
  assert.equal(await middleware('t', skipped, { toolName: 't' }), skipped);

  class Answer { title = 'title'; output = numbered(9000); metadata: Record<string, unknown> = {}; }
  class Command {
    description = 'd';
    async execute(): Promise<Answer> { return new Answer(); }
    help(): string { return this.description; }
  }
  const info: Tool.Info = createTool({ store: directory() }).define('t', () => new Command());
  const tool = (await info.init()) as Awaited<ReturnType<typeof info.init>> & Command;
  const answer = await (tool.execute as (args: unknown, ctx: ToolContext) => Promise<Answer>)({}, {});
  assert.deepEqual([tool.help(), answer.title, answer.metadata['truncated']], ['d', 'title', true]);

  const plugin = createTruncationPlugin({ directory: directory() });
  assert.equal((await plugin.toolResult(new (class { llmContent = numbered(9000); })())).truncated, true);
});

test('invalid permissions of an agent cost the hint, not the result', async () => {
  const store = directory();
  for (const permission of [{ task: 'allow' }, [{ permission: 'task' }], 5] as never[]) {
    const seen = await warnings(async () => {
      const result = await createTruncate({ store }).output(numbered(9000), {}, { permission });
      assert(result.truncated && !result.content.includes('Task tool'));
      const execute = async () => ({ title: '', output: numbered(9000), metadata: {} as Record<string, unknown> });
      const tool = await createTool({ store }).define('t', { execute }).init({ agent: { permission } });
      assert.equal((await tool.execute({}, {})).metadata['truncated'], true);
    });
    assert.deepEqual(seen.map((message) => message.split(':')[0]), Array(2).fill('the permissions of the agent do not apply'));
  }
});

test('opencode cleans up by the time in the name', async () => {
  const store = directory();
  const id = (days: number): string => {
    const bits = (BigInt(Date.now() - days * 86_400_000) * 0x1000n + 1n) & 0xffffffffffffn;
    return `tool_${bits.toString(16).padStart(12, '0')}AbCdEfGhIjKlMn`;
  };
  const [gone, kept] = [['tool_20250221_def456', id(10)], [id(3), 'other', 'tool_zzzz']];
  for (const name of [...gone, ...kept]) writeFileSync(`${store}/${name}`, 'x');
  assert.equal(await createTruncate({ store }).cleanup(), 2);
  assert.deepEqual(readdirSync(store).filter((name) => !name.startsWith('.')).sort(), kept.sort());
});

test('store of your own is cleaned up by name too', async () => {
  const deleted: string[] = [];
  const store: Store = {
    save: async () => 'tool_1',
    list: async () => ['tool_20250221_def456', 'tool_20990221_def456'].map((id) => ({ id, bytes: 1 })),
    delete: async (id) => void deleted.push(id),
  };
  const truncate = createTruncate({ overspill: new Overspill({ profile: 'opencode', store }) });
  assert.equal(await truncate.cleanup(), 1);
  assert.deepEqual(deleted, ['tool_20250221_def456']);
  await assert.rejects(createTruncate({ overspill: new Overspill({ profile: 'opencode', store: { save: store.save } }) }).cleanup(), StoreError);
});

test('takumi: invalid options are an error of the constructor, and a hook without options works', async () => {
  assert.throws(() => createTruncationPlugin({ maxLines: -1 }), Misuse);
  const place = directory();
  const plugin = createTruncationPlugin({ directory: place });
  assert.equal((await plugin.toolResult({ llmContent: numbered(9000) }, null as never)).truncated, true);
  const home = process.env['HOME'];
  process.env['HOME'] = place;
  try {
    const host = { paths: { globalConfigDir: '' } };
    const cut = await createTruncationPlugin().toolResult.call(host, { llmContent: numbered(9000) } as { llmContent: string; outputPath?: string });
    assert(cut.outputPath?.startsWith(`${place}/.takumi/`));
  } finally {
    process.env['HOME'] = home;
  }
});
