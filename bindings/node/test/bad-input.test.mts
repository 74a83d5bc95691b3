/** Tests bad input: it causes a typed error, or a shortened outcome with the reason, and never a crash. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { Misuse, NotFound, Overspill, OverspillError, type OverspillEvent, StoreError } from 'overspill';

import { directory, lines, make, numbered } from './start.mjs';

test('value that is not an output is a type error', async () => {
  for (const output of [undefined, null, 5, 1.5, {}, ['text'], () => 'x', Symbol.iterator] as never[]) {
    await assert.rejects(make().process(output), TypeError);
    assert.throws(() => make().processSync(output), TypeError);
    await assert.rejects(make().batch([output]), TypeError);
  }
});

test('bad options are misuse and named', async () => {
  const bad: Array<[object, RegExp]> = [
    [{ maxLines: -1 }, /^maxLines: -1 is not a whole number/],
    [{ maxLines: 1.5 }, /maxLines/],
    [{ maxBytes: 'many' }, /maxBytes/],
    [{ maxLine: 5 }, /^maxLine: unknown option\nhint: did you mean `maxLines`\?/],
    [{ keep: 'middle' }, /keep: "middle" is not one of head, tail, ends/],
    [{ profile: 'none' }, /profile/],
    [{ tools: { bash: { maxLines: 'x' } } }, /tools\.bash\.maxLines/],
    [{ store: 5 }, /store/],
  ];
  for (const [options, message] of bad) {
    assert.throws(
      () => new Overspill(options),
      (error: unknown) => error instanceof Misuse && error instanceof OverspillError && message.test(error.message),
    );
  }
  for (const options of [{ onEvent: 5 }, { strategy: 5 }, { shouldSpill: 'x' }, { store: {} }] as never[]) {
    assert.throws(() => new Overspill(options), TypeError);
  }
  for (const call of [{ maxLines: -1 }, { maxLine: 1 }, { exitCode: 'x' }, { preset: 'y' }, { tool: 5 }] as never[]) {
    assert.throws(() => make().processSync('x', call), Misuse);
    await assert.rejects(make().process('x', call), Misuse);
    assert.throws(() => make().spill(call), Misuse);
  }
});

test('invalid questions are misuse or not found', async () => {
  const overspill = make({ maxLines: 2 });
  const { id } = await overspill.process(numbered(9));
  for (const question of [{ lines: 5 }, { lines: [1, 2], tail: 1 }, { json: '$..[' }, { x: 1 }] as never[]) {
    await assert.rejects(overspill.read(id ?? '', question), Misuse);
  }
  for (const bad of ['', '.hidden']) await assert.rejects(overspill.read(bad), Misuse);
  // A path must lead to an output of the store.
  const isRefused = (error: unknown): boolean => error instanceof NotFound || error instanceof Misuse;
  for (const path of ['../etc/passwd', '/etc/passwd', 'a/b']) await assert.rejects(overspill.read(path), isRefused);
  await assert.rejects(overspill.read(undefined as never), TypeError);
  await assert.rejects(overspill.read('01KA'), NotFound);
  await assert.rejects(overspill.grep('a(b', id ?? ''), /unclosed group/);
});

test('lone surrogates are replaced and the outcome is lossy', async () => {
  const overspill = make({ maxLines: 3 });
  assert.equal(overspill.processSync('\ud800').text, '\ud800');
  for (const outcome of [await overspill.process('\ud800x\n'.repeat(9)), overspill.processSync('\ud800x\n'.repeat(9))]) {
    assert(outcome.spilled && outcome.lossy && !outcome.complete && outcome.text.isWellFormed());
  }
  const result = (await overspill.apply({ output: '\ud800x\n'.repeat(9) })) as { output: string };
  assert(lines(result.output) <= 3);
});

test('bytes that are not text are accepted', async () => {
  const noise = randomBytes(200_000);
  const outcome = await make().process(noise);
  assert(readFileSync(outcome.path ?? '').equals(noise));
  assert(Buffer.byteLength(outcome.text) <= 51_200 && !outcome.text.includes('\0'));
});

test('very long string is in memory only once', async () => {
  const output = Buffer.alloc(500_000_000, `${'x'.repeat(99)}\n`).toString('latin1');
  const overspill = make({ keep: 'ends' });
  const before = process.resourceUsage().maxRSS;
  const outcome = await overspill.process(output);
  const after = process.resourceUsage().maxRSS;
  assert(outcome.spilled && outcome.text.length <= 51_200 && outcome.total.bytes === 500_000_000);
  assert.equal(outcome.complete, false);
  assert(after - before < 200_000, 'in KiB; the string itself has 500 MB');
});

function warnings(): string[] {
  const seen: string[] = [];
  process.on('warning', (warning) => seen.push(warning.message));
  return seen;
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('strategy that throws or answers nonsense is replaced by the settings', async () => {
  const seen = warnings();
  const heard: OverspillEvent[] = [];
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const bad: Array<[unknown, RegExp]> = [
    [() => { throw new Error('no idea'); }, /no idea/],
    [async () => { throw new Error('no idea'); }, /no idea/],
    [() => 5, /not a valid choice/],
    [() => [[5, 2 ** 40]], /invalid pieces/],
    [() => [[5, 1]], /invalid pieces/],
    [() => circular, /circular/i],
    [() => 10n, /BigInt/],
  ];
  for (const [strategy, reason] of bad) {
    const overspill = make({ maxLines: 5, strategy: strategy as never, onEvent: (event) => heard.push(event) });
    const outcome = await overspill.process(numbered(100));
    assert(outcome.spilled && lines(outcome.text) <= 5);
    assert.equal(heard.at(-1)?.type, 'failed');
    assert.match(heard.at(-1)?.error ?? '', reason);
    assert.equal((await overspill.process('short')).text, 'short');
    assert(lines(overspill.processSync(numbered(100)).text) <= 5);
  }
  await tick();
  assert(seen.some((message) => message.includes('no idea')));
});

test('store that throws or answers nonsense is a failed save', async () => {
  const broken = { save: () => { throw new Error('the shelf is full'); } };
  const outcome = await new Overspill({ store: broken, maxLines: 5 }).process(numbered(100));
  assert(outcome.spilled && outcome.path === null && outcome.text.includes('could not be saved'));
  assert.match(outcome.error ?? '', /the shelf is full/);
  for (const answer of [undefined, null, 5, '', {}, { id: '../x' }, [], true, () => 1, 10n]) {
    const nonsense = { save: async () => answer as never };
    const result = await new Overspill({ store: nonsense, maxLines: 5 }).process(numbered(100));
    assert(result.spilled && result.error && result.path === null);
  }
  await assert.rejects(new Overspill({ store: broken }).list(), StoreError);
  assert.throws(() => new Overspill({ store: broken }).applySync('x'), Misuse);
});

test('callback that throws has no effect', async () => {
  const seen = warnings();
  const broken = (): never => {
    throw new Error('ouch');
  };
  const overspill = make({ maxLines: 5, onEvent: broken, shouldSpill: broken });
  assert.equal((await overspill.process('short')).text, 'short');
  const result = (await overspill.apply({ output: numbered(100) }, { tool: 't' })) as { output: string };
  assert(lines(result.output) <= 5);
  await tick();
  assert.equal(seen.filter((message) => message.includes('ouch')).length, 3);
});

test('use after close is misuse', async () => {
  const spill = make().spill();
  spill.on('error', () => {});
  spill.end('x');
  await spill.outcome;
  await assert.rejects(new Promise((_, reject) => spill.write('late', (error) => reject(error))), /after end/);
  assert.equal((await spill.close()).text, 'x');
  const destroyed = make().spill();
  destroyed.destroy();
  assert.equal((await destroyed.outcome).text, '');
});

test('engine works in many workers', async () => {
  const place = directory();
  const source = `
    import { Overspill } from ${JSON.stringify(import.meta.resolve('overspill'))};
    import { parentPort } from 'node:worker_threads';
    const overspill = new Overspill({ store: ${JSON.stringify(place)}, maxLines: 5, durability: 'none', onEvent() {} });
    const all = await Promise.all(Array.from({ length: 20 }, () => overspill.process('line\\n'.repeat(100))));
    parentPort.postMessage(all.map((one) => one.id));`;
  const run = (): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
      worker.on('message', resolve).on('error', reject);
    });
  const ids = (await Promise.all(Array.from({ length: 4 }, run))).flat();
  assert.equal(new Set(ids).size, 80);
  assert.equal((await new Overspill({ store: place }).list()).length, 80);
});

test('worker that ends in the middle of a call does no harm', async () => {
  const source = `
    import { Overspill } from ${JSON.stringify(import.meta.resolve('overspill'))};
    const overspill = new Overspill({ store: ${JSON.stringify(directory())}, durability: 'none' });
    for (;;) await Promise.all(Array.from({ length: 8 }, () => overspill.process('line\\n'.repeat(1_000_000))));`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await worker.terminate();
  assert((await make({ maxLines: 5 }).process(numbered(100))).spilled);
});

test('store that cannot be written is a field of the outcome', async () => {
  const taken = `${directory()}/taken`;
  writeFileSync(taken, 'a file');
  const outcome = await new Overspill({ store: taken, maxLines: 5 }).process(numbered(100));
  assert(outcome.spilled && outcome.path === null && outcome.error?.includes(taken));
});

test('result that contains itself is shortened', async () => {
  const result: Record<string, unknown> = { output: numbered(3000) };
  result['a'] = result['b'] = result;
  const answer = (await make().apply(result)) as Record<string, unknown>;
  assert(lines(answer['output']) <= 2000 && answer['a'] === result);
  const envelope: Record<string, unknown> = { status: 'success', data: numbered(3000) };
  envelope['context'] = envelope;
  const shortened = (await make({ profile: 'unified' }).apply(envelope)) as { data: { truncated: boolean } };
  assert(shortened.data.truncated);
});

test('numbers and deep values are shown and saved unchanged', async () => {
  const rows = Array.from({ length: 2000 }, (_, n) => ({ n, x: 0.5, in: { a: { b: { c: { d: [n] } } } } }));
  const overspill = make();
  const answer: unknown = await overspill.apply<unknown>({ content: [], structuredContent: { rows } });
  const text = (answer as { content: Array<{ text: string }> }).content[0]?.text ?? '';
  assert(text.includes(JSON.stringify(rows[0])) && !text.includes('\\u0000'));
  const [entry] = await overspill.list();
  assert(!(await overspill.read(entry?.id ?? '')).text.includes('\\u0000'));
});

test('long envelope stays an envelope', async () => {
  const response = JSON.stringify({ status: 'success', data: 'x'.repeat(2_000_000) });
  const overspill = make({ profile: 'unified' });
  for (const answer of [await overspill.apply(response), overspill.applySync(response)]) {
    assert.equal((JSON.parse(answer) as { status: string }).status, 'partial');
  }
});
