/** Tests the functions that a program calls. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';

import { NotFound, Overspill, type OverspillEvent, type Store, Whole } from 'overspill';

import { directory, lines, make, numbered } from './start.mjs';

test('short output is returned as the same object', async () => {
  const overspill = make();
  for (const output of ['short', '', Buffer.from('short'), new Uint8Array([104, 105]), numbered(2000)]) {
    for (const outcome of [await overspill.process(output), overspill.processSync(output)]) {
      assert(outcome instanceof Whole && !outcome.spilled && outcome.output === output);
      assert.deepEqual([outcome.path, outcome.id, outcome.limit, outcome.error], [null, null, null, null]);
    }
  }
  assert.deepEqual(overspill.processSync('zwölf\n').total, { bytes: 7, lines: 1, chars: 6 });
  assert.equal(overspill.processSync(Buffer.from([0xe9])).text, '\ufffd');
});

test('long output is shortened and saved whole', async () => {
  const output = numbered(100_000);
  const overspill = make({ maxLines: 10 });
  const call = { tool: 'make', callId: 'c1', session: 's1' };
  for (const outcome of [await overspill.process(output, call), overspill.processSync(output, call)]) {
    assert(outcome.spilled && outcome.limit === 'bytes' && outcome.complete && outcome.path && outcome.id);
    assert(lines(outcome.text) <= 10 && outcome.text.endsWith('line 100000\n'));
    assert.equal(readFileSync(outcome.path, 'utf8'), output);
    assert.equal(statSync(outcome.path).mode & 0o777, 0o600);
    assert.deepEqual(outcome.total, { bytes: output.length, lines: 100_000, chars: output.length });
    assert.equal(outcome.gaps?.length, 1);
    assert(outcome.notice && outcome.preview);
  }
  assert.equal(overspill.processSync(numbered(100)).limit, 'lines');
});

test('text of any length agrees with its bytes', async () => {
  const overspill = make({ keep: 'ends', store: 'memory' });
  const output = 'grüße 🚀 \u0000 of a line\n'.repeat(150_000);
  const [text, bytes, sync] = [
    await overspill.process(output),
    await overspill.process(Buffer.from(output)),
    overspill.processSync(output),
  ];
  assert(text.spilled && bytes.spilled && sync.spilled);
  for (const other of [bytes, sync]) {
    assert.equal(text.preview, other.preview);
    assert.deepEqual([text.total, text.shown, text.gaps], [other.total, other.shown, other.gaps]);
  }
  const [mine, theirs] = [await overspill.read(text.id ?? '', { tail: 3 }), await overspill.read(bytes.id ?? '', { tail: 3 })];
  assert.equal(mine.text, theirs.text);
});

test('limits come from the call, the tool and the engine', () => {
  const overspill = make({ maxLines: 100, tools: { bash: { maxLines: 50, keep: 'tail' }, read: false } });
  const output = numbered(1000);
  const shown = (call: object): number => lines(overspill.processSync(output, call).text);
  assert(shown({}) <= 100 && shown({ tool: 'bash' }) <= 50 && shown({ tool: 'bash', maxLines: 5 }) <= 5);
  assert.equal(shown({ tool: 'read' }), 1000);
  assert.equal(shown({ maxLines: 'none' }), 1000);
  assert(shown({ preset: 'error', maxLines: 7 }) <= 7);
});

test('saved outputs are read, searched, listed and swept', async () => {
  const overspill = make({ maxLines: 10 });
  const { id } = await overspill.process(numbered(5000), { tool: 'make' });
  assert(id);
  const page = await overspill.read(id, { lines: [3, 4] });
  assert.equal(page.text, 'line 3\nline 4\n');
  assert.equal((await overspill.read(id, page.next ?? {})).text, 'line 5\nline 6\n');
  assert.equal((await overspill.read(id, { tail: 1 })).text, 'line 5000\n');
  const found = await overspill.grep('LINE 42$', id, { ignoreCase: true, context: 1 });
  assert.equal(found.text, '41-line 41\n42:line 42\n43-line 43\n');
  const [entry] = await overspill.list();
  assert.deepEqual([entry?.id, entry?.tool, entry?.lines], [id, 'make', 5000]);
  assert.deepEqual(await overspill.sweep(), { removed: 0, bytes: 0, kept: 1, failed: 0 });
});

test('answers have a sentence and the options of the next page', async () => {
  const overspill = make({ maxLines: 10 });
  const broken = await overspill.process(`[12abc,\n${'1,\n'.repeat(3000)}`);
  const value = await overspill.read(broken.id ?? '', { json: '$[0]' });
  assert.equal(value.text, '12\n');
  assert.equal(value.what, `the only value; left out text that is ${value.notJson}`);
  const { id } = await overspill.process(`[${Array.from({ length: 3000 }, (_, n) => n).join(',\n')}]`);
  assert(id);
  const found = await overspill.grep('[0-9]', id, { maxCount: 2500 });
  assert.equal(found.what, `more from line ${found.nextLine}`);
  const rest = await overspill.grep('[0-9]', id, found.next ?? {});
  assert.deepEqual([found.lines.length + rest.lines.length, rest.what], [2500, '']);
});

test('spill is a stream', async () => {
  const overspill = make({ maxLines: 10 });
  const spill = overspill.spill({ tool: 'make' });
  await pipeline(Readable.from([Buffer.from('bytes\n'), 'text\n', numbered(5000)]), spill);
  const outcome = await spill.outcome;
  assert(outcome.spilled && outcome.path);
  assert(readFileSync(outcome.path, 'utf8').startsWith('bytes\ntext\nline 1\n'));
  const short = overspill.spill();
  short.write('fits');
  assert.equal((await short.close()).text, 'fits');
});

test('stream that breaks off is still saved', async () => {
  const spill = make({ maxLines: 3 }).spill();
  const failed = once(spill, 'error');
  await new Promise((written) => spill.write(numbered(100), written));
  spill.destroy(new Error('broken'));
  assert.match(String(await failed), /broken/);
  const outcome = await spill.outcome;
  assert.equal(readFileSync(outcome.path ?? '', 'utf8'), numbered(100));
});

test('tools are wrapped', async () => {
  const overspill = make({ maxLines: 5 });
  const loud = overspill.wrapTool(function loud(count: number): string {
    return numbered(count);
  });
  const later = overspill.wrapTool(async (count: number) => numbered(count), { tool: 'later', maxLines: 3 });
  const object = overspill.wrapTool({ name: 'x', execute: (count: number) => numbered(count) }, { tool: 'object' });
  assert.equal(loud(3), numbered(3));
  assert(lines(loud(1000)) <= 5 && loud.name === 'loud');
  assert(lines(await later(1000)) <= 3 && lines(object.execute(1000)) <= 5 && object.name === 'x');
  assert.deepEqual((await overspill.list()).map((entry) => entry.tool).sort(), ['later', 'loud', 'object']);
  const broken = overspill.wrapTool(() => {
    throw new RangeError('mine');
  });
  assert.throws(broken, RangeError);
});

test('results keep values that are not text', async () => {
  const overspill = make({ maxLines: 5 });
  const [image, date] = [new Map(), new Date()];
  const result = { output: numbered(1000), metadata: { date, big: 10n ** 30n, nothing: undefined }, image };
  for (const shortened of [await overspill.apply(result), overspill.applySync(result)] as Array<typeof result>) {
    assert(lines(shortened.output) <= 5 && shortened.image === image && shortened.metadata.date === date);
    assert.equal(shortened.metadata.big, 10n ** 30n);
    assert.equal((shortened.metadata as { truncated?: boolean }).truncated, true);
    assert.equal(await overspill.apply(shortened), shortened);
  }
  assert.equal(lines(result.output), 1000);
  const parts = [{ type: 'text', text: numbered(1000) }, { type: 'image', data: image }];
  const [text, picture] = (await overspill.apply(parts)) as Array<{ text?: string; data?: unknown }>;
  assert(lines(text?.text) <= 5 && picture?.data === image);
  for (const same of [null, undefined, 5, 'short', ['short'], { output: 1 }, Symbol.iterator]) {
    assert.equal(await overspill.apply(same), same);
  }
});

test('batch shares one budget', async () => {
  const [small, first, second] = await make().batch(['small\n', numbered(4000), [numbered(4000), { tool: 'make' }]], {
    maxLines: 100,
  });
  assert.equal(small?.text, 'small\n');
  assert(lines(first?.text) + lines(second?.text) <= 99);
});

test('event tells the result of each call', async () => {
  const heard: OverspillEvent[] = [];
  const overspill = make({ maxLines: 5, onEvent: (event) => heard.push(event) });
  await overspill.process('short', { tool: 'a' });
  const { path } = await overspill.process(numbered(100), { tool: 'b', callId: 'c', session: 's' });
  overspill.processSync('short');
  assert.deepEqual(heard.map((event) => event.type), ['skipped', 'spilled', 'skipped']);
  assert.deepEqual([heard[1]?.path, heard[1]?.tool, heard[1]?.callId], [path, 'b', 'c']);
});

test('strategy of your own chooses the shown parts', async () => {
  const strategy = (output: Buffer, room: { maxLines: number | null }) => {
    assert.equal(room.maxLines, 5);
    const all = output.toString().split('\n');
    const wanted = all.filter((line) => line.includes('error'));
    return wanted.length ? { text: wanted.join('\n'), leftOutLines: 100 } : null;
  };
  const overspill = make({ maxLines: 5, strategy });
  const output = `${numbered(50)}error: disk full\n${numbered(50)}`;
  for (const outcome of [await overspill.process(output), overspill.processSync(output)]) {
    assert(outcome.text.includes('error: disk full'));
    assert.deepEqual(outcome.leftOut, { unit: 'lines', count: 100 });
  }
  assert((await overspill.process(numbered(100))).text.includes('line 1\n'));
  const result = (await overspill.apply({ output })) as { output: string };
  assert(result.output.includes('error: disk full'));
  const later = make({ strategy: { choose: async (all) => [[0, 6], [all.length - 6, all.length]] as Array<[number, number]> } });
  assert((await later.process(numbered(9))).text.includes('line 1'));
  assert.equal(make({ maxLines: 1, strategy: () => true }).processSync('a\nb\n').spilled, false);
});

class Shelf implements Store {
  readonly kept = new Map<string, Buffer>();
  async save(data: Buffer, call: { tool?: string | undefined }): Promise<{ id: string; path: string }> {
    const id = `${call.tool}-${this.kept.size}`;
    this.kept.set(id, Buffer.from(data));
    return { id, path: `shelf://${id}` };
  }
  async read(id: string, from: number, to: number): Promise<Buffer> {
    return this.kept.get(id)?.subarray(from, to) ?? Buffer.alloc(0);
  }
  async info(id: string): Promise<{ bytes: number; used: number } | null> {
    const data = this.kept.get(id);
    return data ? { bytes: data.length, used: 0 } : null;
  }
  async list(): Promise<Array<{ id: string; bytes: number; used: number }>> {
    return [...this.kept].map(([id, data]) => ({ id, bytes: data.length, used: 0 }));
  }
  async delete(id: string): Promise<void> {
    this.kept.delete(id);
  }
}

test('store of your own saves and reads outputs', async () => {
  const shelf = new Shelf();
  const heard: string[] = [];
  const overspill = new Overspill({ store: shelf, maxLines: 5, onEvent: (event) => heard.push(event.type) });
  assert.equal((await overspill.process('short')).spilled, false);
  const outcome = await overspill.process(numbered(100), { tool: 'make' });
  assert.deepEqual([outcome.id, outcome.path], ['make-0', 'shelf://make-0']);
  assert.equal(shelf.kept.get('make-0')?.toString(), numbered(100));
  assert.deepEqual(heard, ['skipped', 'spilled']);
  assert.equal((await overspill.read('make-0', { lines: [2, 2] })).text, 'line 2\n');
  assert.equal((await overspill.grep('line 42', 'make-0')).matches, 1);
  const applied = (await overspill.apply({ output: numbered(100) }, { tool: 'other' })) as { output: string };
  assert(applied.output.includes('shelf://other-1'));
  assert.equal(await overspill.apply(applied), applied);
  const spill = overspill.spill({ tool: 'stream' });
  spill.end(numbered(100));
  assert.equal((await spill.outcome).path, 'shelf://stream-2');
  assert.deepEqual((await overspill.list()).map((entry) => entry.id).sort(), ['make-0', 'other-1', 'stream-2']);
  await assert.rejects(overspill.read('nothing'), NotFound);
  assert.equal((await overspill.sweep()).removed, 3);
  assert.equal(shelf.kept.size, 0);
});

test('many calls at once with a store that needs the thread pool', async () => {
  const { writeFile } = await import('node:fs/promises');
  const place = directory();
  let saved = 0;
  const store: Store = {
    async save(data) {
      const path = `${place}/${(saved += 1)}.txt`;
      await writeFile(path, data);
      return path;
    },
  };
  const overspill = new Overspill({ store, maxLines: 5 });
  const all = await Promise.all(Array.from({ length: 40 }, () => overspill.process(numbered(1000))));
  assert.equal(new Set(all.map((one) => one.path)).size, 40);
});

test('predicate decides for each result', async () => {
  const says = { no: false, yes: true, less: { maxLines: 3 } };
  const overspill = make({ maxLines: 10, shouldSpill: (tool) => says[tool as keyof typeof says] });
  const shown = async (tool: string): Promise<number> =>
    lines(((await overspill.apply({ output: numbered(100) }, { tool })) as { output: string }).output);
  assert.equal(await shown('no'), 100);
  assert((await shown('yes')) <= 10 && (await shown('less')) <= 3);
});

test('stores can be a directory, memory or none', async () => {
  const memory = new Overspill({ store: 'memory', maxLines: 3 });
  const { id } = await memory.process(numbered(9));
  assert.equal((await memory.read(id ?? '', { tail: 1 })).text, 'line 9\n');
  const nowhere = await new Overspill({ store: false, maxLines: 4 }).process(numbered(900));
  assert.deepEqual([nowhere.spilled, nowhere.error, nowhere.path], [true, 'no store was chosen', null]);
});

const SECRET = `${'ghp'}_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2)}`;
const STARS = `ghp_${'*'.repeat(40)}`;

test('secrets are masked in every shown text', async () => {
  const overspill = make({ redact: 'all', redactPattern: 'corp-[0-9]+' });
  const cases = [
    [SECRET, STARS],
    [`${'x '.repeat(600)}é ${SECRET}`, `${'x '.repeat(600)}é ${STARS}`],
    ['corp-12', '*******'],
  ] as const;
  for (const [output, shown] of cases) {
    for (const outcome of [await overspill.process(output, { tool: 't' }), overspill.processSync(output)]) {
      assert(outcome instanceof Whole);
      assert.deepEqual([outcome.output, outcome.masked], [shown, 1]);
    }
    const bytes = overspill.processSync(Buffer.from(output));
    assert.deepEqual([bytes.text, bytes.masked], [shown, 1]);
  }
  assert.equal(overspill.processSync('plain').masked, 0);
  const output = `${numbered(3000)}${SECRET}\n${numbered(3000)}`;
  for (const large of [await overspill.process(output), overspill.processSync(output)]) {
    assert(large.spilled && large.masked === 1 && large.text.includes('1 secret masked') && large.path);
    assert(!large.text.includes(SECRET) && !readFileSync(large.path, 'utf8').includes(SECRET));
  }
  for (const result of [SECRET, Buffer.from(SECRET)]) {
    assert.equal(await overspill.apply(result), STARS);
    assert.equal(overspill.applySync(result), STARS);
  }
  const parts = [{ type: 'text', text: SECRET }];
  assert.deepEqual(await overspill.apply(parts), [{ type: 'text', text: STARS }]);
  const spill = overspill.spill();
  spill.write(`a ${SECRET.slice(0, 20)}`);
  spill.end(SECRET.slice(20));
  const streamed = await spill.outcome;
  assert.deepEqual([streamed.text, streamed.masked], [`a ${STARS}`, 1]);
  const batch = await overspill.batch([SECRET, 'plain']);
  assert.deepEqual(batch.map((one) => [one.text, one.masked]), [[STARS, 1], ['plain', 0]]);
  const long = overspill.processSync(`${'ü'.repeat(1_500_000)} ${SECRET}`);
  assert(long.spilled && long.masked === 1 && !long.text.includes(SECRET));
});

test('no option can claim that an output is masked already', async () => {
  const overspill = make({ redact: 'all' });
  const message = /masked: unknown option/;
  for (const masked of [0, 7, null]) {
    const call = { masked } as never;
    for (const output of [SECRET, `${SECRET}\n${numbered(6000)}`, `${'x'.repeat(1_500_000)} ${SECRET}`, Buffer.from(SECRET)]) {
      assert.throws(() => overspill.processSync(output, call), message);
      await assert.rejects(overspill.process(output, call), message);
      assert.throws(() => overspill.applySync(output, call), message);
      await assert.rejects(overspill.apply(output, call), message);
      await assert.rejects(overspill.batch([[output, call]]), message);
    }
    assert.throws(() => overspill.spill(call), message);
  }
});

test('strategy in JavaScript gets no secret when it is called synchronously', () => {
  const seen: string[] = [];
  const strategy = (output: Uint8Array): null => {
    seen.push(Buffer.from(output).toString());
    return null;
  };
  const overspill = make({ redact: 'all', strategy });
  const outcome = overspill.processSync(`${SECRET}\n${numbered(6000)}`);
  assert(outcome.spilled && outcome.masked === 1 && !outcome.text.includes(SECRET));
  assert(overspill.processSync(SECRET).text === STARS);
  assert(seen.length === 2 && seen.every((bytes) => bytes.startsWith(STARS)));
});

test('store and strategy in JavaScript get no secret', async () => {
  const saved: string[] = [];
  const seen: string[] = [];
  const store: Store = {
    save: async (bytes) => {
      saved.push(Buffer.from(bytes).toString());
      return `mem/${saved.length}`;
    },
  } as Store;
  const strategy = (output: Uint8Array): null => {
    seen.push(Buffer.from(output).toString());
    return null;
  };
  const output = `${SECRET}\n${numbered(6000)}`;
  for (const redact of ['store', 'all'] as const) {
    const overspill = new Overspill({ store, strategy, redact });
    const outcome = await overspill.process(output);
    await overspill.apply({ output });
    assert(outcome.spilled && outcome.masked === 1 && outcome.text.includes(SECRET) === (redact === 'store'));
  }
  assert.equal(saved.length, 4);
  assert(saved.every((bytes) => bytes.startsWith(STARS)));
  assert(seen.slice(-2).every((bytes) => bytes.startsWith(STARS)));
});
