/** Tests the adapters in place of the code that they replace, with extensions that work and extensions that fail. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { Misuse, NotFound, Overspill, StoreError } from 'overspill';
import {
  BaseTruncationStrategy,
  createTruncationMiddleware,
  DEFAULT_TRUNCATION_CONFIG,
  type ITruncationStorage,
  TOOL_TRUNCATION_CONFIGS,
  type TruncationConfig,
  type TruncationContext,
  type TruncationEvent,
  TruncationService,
  TruncationStorage,
} from 'overspill/agent-v2';
import { createTool, createTruncate, PRESETS } from 'overspill/opencode';
import { createTruncationPlugin, type HookOptions, type ToolResult } from 'overspill/takumi';

import { directory, numbered, warnings } from './start.mjs';

const long = { success: true, output: numbered(100), metadata: { own: 1 } };

test('skip object of shouldTruncate passes the result', async () => {
  const service = new TruncationService({ global: { maxLines: 10, storageDir: directory() } });
  const run = (decision: unknown) =>
    createTruncationMiddleware({ service, shouldTruncate: () => decision as boolean })('t', long, { toolName: 't' });
  assert.deepEqual(await run({ skip: true }), { ...long, metadata: { own: 1, truncated: false } });
  assert.equal((await run({ skip: false, maxLines: 2 })).metadata['truncationRemovedLines'], 99);
  assert.equal(await run(false), long);
});

test('predicate that fails does not lose the result', async () => {
  const service = new TruncationService({ global: { maxLines: 10, storageDir: directory() } });
  const decide = [
    () => { throw new Error('ouch'); },
    () => 'yes',
    () => 5,
    () => [],
    () => ({ maxLine: 3 }),
    () => ({ maxLines: -1 }),
    () => ({ maxLines: 10n }),
    async () => false,
  ];
  for (const shouldTruncate of decide) {
    const seen = await warnings(async () => {
      const middleware = createTruncationMiddleware({ service, shouldTruncate: shouldTruncate as never });
      const cut = await middleware('t', long, { toolName: 't' });
      assert.equal(cut.metadata['truncated'], true);
    });
    assert.equal(seen.filter((message) => message.startsWith('shouldTruncate failed: ')).length, 1, String(shouldTruncate));
  }
});

test('setToolConfig replaces the entry, and updateConfig adds to the settings', async () => {
  const service = new TruncationService({ global: { storageDir: directory() }, tools: { bash: { direction: 'tail', maxLines: 10 } } });
  const shown = async (toolName: string) => (await service.output(numbered(20), { toolName })).content.split('\n')[0];
  assert.equal(await shown('bash'), '...11 lines truncated...');
  service.setToolConfig('bash', { maxLines: 5 });
  assert.equal(await shown('bash'), 'line 1');
  service.updateConfig({ maxLines: 2 });
  service.updateConfig({ direction: 'tail' });
  assert.equal(await shown('other'), '...19 lines truncated...');
  assert.throws(() => service.updateConfig({ maxLines: -1 }), Misuse);
  const { maxLines, direction, maxBytes } = service.getConfig();
  assert.deepEqual([maxLines, direction, maxBytes], [2, 'tail', 51_200]);
  assert.equal(await shown('other'), '...19 lines truncated...', 'settings that are refused change nothing');
});

test('storageDir and retentionDays apply, also when they change', async () => {
  const [first, second] = [directory(), directory()];
  const service = new TruncationService({ global: { storageDir: first, maxLines: 2 }, tools: { bash: { retentionDays: 1, maxLines: 1 } } });
  const saved = async () => {
    const result = await service.output(numbered(9), { toolName: 'bash' });
    assert(result.truncated);
    return result.outputPath;
  };
  const path = await saved();
  assert(path.startsWith(first) && (await service.read(path)) === numbered(9));
  service.updateConfig({ storageDir: second, retentionDays: 0 });
  assert((await saved()).startsWith(second));
  assert.equal(await service.cleanup(), 1);
  assert(existsSync(path));
});

test('storage of the document gets text and its context, and is asked to read and to clean up', async () => {
  const kept = new Map<string, [string, TruncationContext]>();
  const days: number[] = [];
  const storage: ITruncationStorage = {
    async save(content, context) {
      kept.set('s3://bucket/a b:c', [content, context]);
      return 's3://bucket/a b:c';
    },
    read: async (path) => kept.get(path)?.[0] ?? '',
    async cleanup(retentionDays) {
      days.push(retentionDays);
      return 3;
    },
    getStorageDir: () => 's3://bucket',
  };
  const service = new TruncationService({ storage, global: { maxLines: 2, retentionDays: 4 } });
  const context = { toolName: 'bash', sessionId: 's', messageId: 'm', options: { maxLines: 3 } };
  const result = await service.output(numbered(9), context);
  assert(result.truncated && result.outputPath === 's3://bucket/a b:c' && result.content.includes('s3://bucket/a b:c'));
  assert.deepEqual([...kept.values()], [[numbered(9), context]]);
  assert.equal(await service.read(result.outputPath), numbered(9));
  assert.deepEqual([await service.cleanup(), days], [3, [4]]);
  const middleware = createTruncationMiddleware({ service });
  const cut = await middleware('make', long, { toolName: 'make', messageId: 'n' });
  assert.equal(cut.metadata['truncationPath'], 's3://bucket/a b:c');
  assert.deepEqual([...kept.values()], [[long.output, { toolName: 'make', messageId: 'n' }]]);
});

test('storage that fails returns the original output and an error event', async () => {
  const bad: Array<[unknown, RegExp]> = [
    [async () => { throw new Error('the bucket is gone'); }, /the bucket is gone/],
    [() => { throw new Error('at once'); }, /at once/],
    [async () => undefined, /save returned undefined, not a path/],
    [async () => '', /not a path/],
    [async () => ({ path: 'x' }), /save returned object/],
    [async () => 'x'.repeat(100_000), /the store answered/],
    [() => new Promise(() => {}), /the store has not answered within 50 ms/],
  ];
  for (const [save, reason] of bad) {
    const heard: TruncationEvent[] = [];
    const storage = { save, read: async () => '', cleanup: async () => 'many', getStorageDir: () => '' } as unknown as ITruncationStorage;
    const service = new TruncationService({ storage, answerTimeout: 50, global: { maxLines: 2 }, onEvent: (event) => heard.push(event) });
    const before = Date.now();
    assert.deepEqual(await service.output(numbered(9), { toolName: 't' }), { content: numbered(9), truncated: false });
    assert.equal(heard[0]?.type, 'error');
    assert.match(heard[0]?.error ?? '', reason);
    assert((heard[0]?.timestamp ?? 0) >= before);
    // Over the ceiling no output passes.
    const huge = await service.output(numbered(60_000), { toolName: 't' });
    assert(huge.truncated && huge.outputPath === '' && huge.content.length < 100_000);
    await assert.rejects(service.cleanup(), StoreError);
  }
});

class Own extends BaseTruncationStrategy {
  readonly name = 'own';
  readonly seen: TruncationConfig[] = [];
  truncate(content: string, config: TruncationConfig) {
    this.seen.push(config);
    return { content: this.truncateHead(content, 1).join(), removedLines: this.countLines(content) - 1 };
  }
}

test('strategy of the document gets all settings', async () => {
  const strategy = new Own();
  const storageDir = directory();
  const service = new TruncationService({ strategy, global: { storageDir, retentionDays: 3 }, tools: { a: { maxLines: 4 }, off: { enabled: false } } });
  const result = await service.output(numbered(9), { toolName: 'a', options: { direction: 'tail' } });
  assert(result.truncated && result.removedLines === 9 && result.content.endsWith('\n\nline 1'));
  assert.deepEqual(strategy.seen, [{ ...DEFAULT_TRUNCATION_CONFIG, maxLines: 4, direction: 'tail', storageDir, retentionDays: 3 }]);
  assert.equal((await service.output(numbered(9), { toolName: 'b' })).truncated, false);
  assert.equal((await service.output(numbered(3000), { toolName: 'off' })).truncated, false);
  assert.equal(strategy.seen.length, 1, 'nobody asks about a tool that is switched off');
});

test('strategy that fails returns a shortened result and an error event', async () => {
  const bad: Array<[object, RegExp]> = [
    [{ needsTruncation: () => { throw new Error('no idea'); } }, /no idea/],
    [{ truncate: () => { throw new Error('no idea'); } }, /no idea/],
    [{ needsTruncation: () => 'yes' }, /needsTruncation returned string/],
    [{ truncate: () => undefined }, /truncate returned no object/],
    [{ truncate: () => ({ content: 5 }) }, /truncate returned no object/],
    [{ truncate: () => new Promise(() => {}) }, /has not answered within 50 ms/],
  ];
  for (const [part, reason] of bad) {
    const strategy = { name: 'bad', needsTruncation: () => true, truncate: () => ({ content: '' }), ...part } as never;
    const heard: TruncationEvent[] = [];
    const service = new TruncationService({ strategy, answerTimeout: 50, global: { storageDir: directory() }, onEvent: (event) => heard.push(event) });
    const seen = await warnings(async () => {
      const { content } = await service.output(numbered(3000), { toolName: 't' });
      assert(content.startsWith('line 1\n'));
      const huge = await service.output(numbered(60_000), { toolName: 't' });
      assert(huge.truncated && huge.content.length < 100_000 && (await service.read(huge.outputPath)) === numbered(60_000));
    });
    assert.equal(heard[0]?.type, 'error');
    assert.match(heard[0]?.error ?? '', reason);
    assert(seen.some((message) => reason.test(message)));
  }
});

test('strategy that shows too much is cut at the ceiling', async () => {
  const strategy = { name: 'all', needsTruncation: () => true, truncate: (content: string) => ({ content, removedLines: 1 }) };
  const service = new TruncationService({ strategy, global: { storageDir: directory() } });
  const result = await service.output(numbered(60_000), { toolName: 't' });
  assert(result.truncated && result.content.length < 100_000);
});

test('listener that throws or rejects has no effect', async () => {
  const listeners = [() => { throw new Error('ouch'); }, async () => { throw new Error('ouch'); }];
  for (const onEvent of listeners) {
    const service = new TruncationService({ onEvent, global: { maxLines: 2, storageDir: directory() } });
    const seen = await warnings(async () => assert((await service.output(numbered(9), { toolName: 't' })).truncated));
    assert.deepEqual(seen, ['onEvent has thrown Error: ouch']);
  }
});

test('invalid options of a call are dropped with a warning', async () => {
  const service = new TruncationService({ global: { maxLines: 2, storageDir: directory() } });
  for (const options of [{ maxLines: 'x' }, { direction: 'middle' }, { unknown: 1 }]) {
    const seen = await warnings(async () => {
      assert((await service.output(numbered(9), { toolName: 't', options: options as never })).truncated);
    });
    assert.match(seen[0] ?? '', /^the options of t do not apply: /);
  }
  assert((await service.output(numbered(9), { toolName: 5, sessionId: {} } as never)).truncated);
});

test('TruncationStorage saves, reads inside its directory only, and cleans up', async () => {
  const place = directory();
  const storage = new TruncationStorage(place);
  const path = await storage.save('some text', { toolName: 'a/b c' });
  assert.match(path.slice(place.length), /^\/a_b_c_\d{13}_\w+\.txt$/);
  assert.deepEqual([await storage.read(path), storage.getStorageDir()], ['some text', place]);
  const outside = `${directory()}/secret.txt`;
  writeFileSync(outside, 'secret');
  symlinkSync(outside, `${place}/link.txt`);
  for (const way of [outside, `${place}/link.txt`, `${place}/../${outside.split('/').at(-2)}/secret.txt`]) {
    await assert.rejects(storage.read(way), /the path is outside the storage/);
  }
  await assert.rejects(storage.read(`${place}/none.txt`), NotFound);
  assert.equal(await storage.cleanup(7), 0);
  assert.equal(await storage.cleanup(0.5), 0, 'a part of a day counts as a day');
  assert.equal(await storage.cleanup(-0.5), 1);
  const taken = `${directory()}/taken`;
  writeFileSync(taken, 'a file');
  await assert.rejects(new TruncationStorage(taken).save('text', { toolName: 't' }), StoreError);
});

test('constants are the settings of the profile', async () => {
  const engine = new Overspill({ profile: 'agent-v2', store: 'memory' });
  for (const tool of ['other', ...Object.keys(TOOL_TRUNCATION_CONFIGS)]) {
    const { maxLines, maxBytes, direction, enabled } = { ...DEFAULT_TRUNCATION_CONFIG, ...TOOL_TRUNCATION_CONFIGS[tool] };
    const lines = (count: number): string => Array(count).fill('x').join('\n');
    assert.equal((await engine.process(lines(maxLines), { tool })).spilled, false);
    assert.equal((await engine.process('x'.repeat(maxBytes), { tool })).spilled, false);
    const over = await engine.process(`first\n${lines(maxLines)}`, { tool });
    assert.equal(over.spilled, enabled);
    assert.equal((await engine.process('x'.repeat(maxBytes + 1), { tool })).spilled, enabled);
    if (enabled) assert.equal(over.text.startsWith('first'), direction === 'head');
  }
  const opencode = new Overspill({ profile: 'opencode', store: 'memory' });
  for (const [preset, { maxLines = 0, maxBytes = 0, direction = 'head' }] of Object.entries(PRESETS)) {
    const call = { preset: preset as 'code' };
    assert.equal((await opencode.process('x'.repeat(maxBytes + 1), call)).spilled, true);
    const over = await opencode.process(`first${'\nx'.repeat(maxLines)}`, call);
    assert(over.spilled && over.text.startsWith('first') === (direction === 'head'));
  }
});

test('opencode: a failed save has an empty path, and tools are defined for a store of their own', async () => {
  const taken = `${directory()}/taken`;
  writeFileSync(taken, 'a file');
  const failed = await createTruncate({ store: taken }).output(numbered(3000));
  assert(failed.truncated && failed.outputPath === '' && failed.content.length < 60_000);
  const store = directory();
  const truncate = createTruncate({ store, retentionDays: 0 });
  assert.deepEqual([truncate.DIR, truncate.GLOB, truncate.RETENTION_MS], [store, `${store}/*`, 0]);
  const tool = await createTool({ store }).define('t', { execute: async () => ({ title: '', output: numbered(3000), metadata: {} }) }).init();
  for (let turn = 0; turn < 2; turn += 1) {
    const { metadata } = (await tool.execute({}, {})) as { metadata: Record<string, string> };
    assert(metadata['outputPath']?.startsWith(store));
  }
  writeFileSync(`${store}/tool_20250221_def456`, '');
  assert.equal(await truncate.cleanup(), 1);
});

test('takumi: the directory can be set, and a failed save is logged', async () => {
  const place = directory();
  const result: ToolResult = { llmContent: numbered(3000) };
  const hook = (plugin: ReturnType<typeof createTruncationPlugin>, options?: HookOptions) => plugin.toolResult(result, options);
  const cut = await hook(createTruncationPlugin({ directory: place, maxLines: 9 }), { toolUse: { name: 'bash' }, sessionId: 's' });
  assert(cut.outputPath?.startsWith(`${place}/tool_s_`) && readFileSync(cut.outputPath, 'utf8') === numbered(3000));
  const global = { paths: { globalConfigDir: place } };
  const inHost = await createTruncationPlugin().toolResult.call(global, result);
  assert(inHost.outputPath?.startsWith(`${place}/tool-output/tool_`));
  const taken = `${directory()}/taken`;
  writeFileSync(taken, 'a file');
  const logged: string[] = [];
  const failed = await hook(createTruncationPlugin({ directory: taken, log: (message) => logged.push(message) }), { name: 'grep' });
  assert(failed.truncated && failed.outputPath === undefined && String(failed.llmContent).includes('(Failed to save full output to file)'));
  assert.match(logged[0] ?? '', /^the full output of grep could not be saved: .*taken/);
  const seen = await warnings(() => hook(createTruncationPlugin({ directory: taken }), { toolUse: { name: 5 }, sessionId: 7 } as never));
  assert.match(seen[0] ?? '', /^the full output of a tool could not be saved: /);
  const thrown = await warnings(() => hook(createTruncationPlugin({ directory: taken, log: () => { throw new Error('ouch'); } })));
  assert.deepEqual(thrown, ['onEvent has thrown Error: ouch']);
});

test('unified: the five variables apply, and an invalid one is a warning', async () => {
  const before = { ...process.env };
  const set = { MAX_LINES: '5', MAX_BYTES: '900', TRUNCATE_DIRECTION: 'tail', RETENTION_DAYS: '2' };
  try {
    for (const [name, value] of Object.entries(set)) process.env[`TOOL_OUTPUT_${name}`] = value;
    const response: object = { status: 'success', text: numbered(50) };
    const answer = (await new Overspill({ profile: 'unified', store: directory() }).apply(response)) as {
      data: { truncation: Record<string, unknown> };
    };
    const { direction, max_lines, max_bytes } = answer.data.truncation;
    assert.deepEqual([direction, max_lines, max_bytes], ['tail', 5, 900]);
    process.env['TOOL_OUTPUT_MAX_LINES'] = 'many';
    process.env['TOOL_OUTPUT_DIR'] = 'outputs';
    const seen = await warnings(() => {
      assert(new Overspill({ profile: 'unified' }).directory?.endsWith('/outputs'));
    });
    assert.deepEqual(seen, ['TOOL_OUTPUT_MAX_LINES: "many" is not a whole number, 0 or more']);
  } finally {
    process.env = before;
  }
});

test('saved output is read by the path of its record', async () => {
  for (const profile of ['overspill', 'klaude', 'unified', 'takumi', 'agent-v2', 'opencode'] as const) {
    const overspill = new Overspill({ profile, store: directory() });
    const { path, id } = await overspill.process(numbered(60_000), { tool: 't', callId: 'c', session: 's' });
    for (const name of [path, id]) {
      assert.equal((await overspill.read(name ?? '', { lines: [7, 7] })).text, 'line 7\n');
    }
  }
});

test('ceiling can be switched off', async () => {
  const storage = { save: async () => { throw new Error('full'); } };
  for (const ceiling of [true, false]) {
    const service = new TruncationService({ ceiling, storage, global: { maxLines: 10 } });
    const options = [{}, { skip: true }];
    for (const one of options) assert.equal((await service.output(numbered(90_000), { toolName: 't', options: one })).truncated, ceiling);
  }
});
