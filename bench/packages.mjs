/** Compares the Node package with opencode's way of shortening an output in plain JavaScript. See bench/packages. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Overspill } from '../bindings/node/dist/index.js';

const [what, megabytes, scratch, rust] = process.argv.slice(2);
const [maxLines, maxBytes] = [2000, 50 * 1024];
let number = 0;

/** Shortens an output as opencode's document describes, from the head. */
async function plain(text) {
  const lines = text.split('\n');
  const total = Buffer.byteLength(text, 'utf-8');
  if (lines.length <= maxLines && total <= maxBytes) return { content: text, truncated: false };
  const out = [];
  let [bytes, hitBytes] = [0, false];
  for (let index = 0; index < lines.length && index < maxLines; index += 1) {
    const size = Buffer.byteLength(lines[index], 'utf-8') + (index > 0 ? 1 : 0);
    if (bytes + size > maxBytes) {
      hitBytes = true;
      break;
    }
    out.push(lines[index]);
    bytes += size;
  }
  const removed = hitBytes ? total - bytes : lines.length - out.length;
  const path = join(scratch, 'plain', `tool_${(number += 1)}`);
  await writeFile(path, text);
  const hint = `The tool call succeeded but the output was truncated. Full output saved to: ${path}`;
  return { content: `${out.join('\n')}\n\n...${removed} ${hitBytes ? 'bytes' : 'lines'} truncated...\n\n${hint}`, truncated: true };
}

function log(size) {
  const line = '2026-01-01T00:00:00 INFO worker 17 has done the thing that it was asked to do\n';
  return Buffer.alloc(size, line).toString('latin1');
}

async function best(rounds, times, act) {
  let least = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const started = process.hrtime.bigint();
    for (let time = 0; time < times; time += 1) await act();
    least = Math.min(least, Number(process.hrtime.bigint() - started) / times);
  }
  return least;
}

function bestSync(rounds, times, act) {
  let least = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const started = process.hrtime.bigint();
    for (let time = 0; time < times; time += 1) act();
    least = Math.min(least, Number(process.hrtime.bigint() - started) / times);
  }
  return least;
}

const output = log(Number(megabytes) * 1_000_000);
const ours = new Overspill({ profile: 'opencode', store: join(scratch, 'js'), durability: 'none' });
for (const place of ['plain', 'js']) mkdirSync(join(scratch, place), { recursive: true, mode: 0o700 });
const act = { plain: () => plain(output), ours: () => ours.process(output) };
if (what in act) {
  const before = process.resourceUsage().maxRSS;
  await act[what]();
  console.log(process.resourceUsage().maxRSS - before);
} else {
  const [small, fits] = ['x'.repeat(100), log(49 * 1024)];
  const own = new Overspill({ store: join(scratch, 'own') });
  bestSync(3, 100_000, () => own.processSync(small));
  const call = bestSync(9, 100_000, () => own.processSync(small));
  console.log(`Node: small fit ${call.toFixed(0)} ns, ${(call - Number(rust)).toFixed(0)} ns over Rust`);
  const theirs = await best(9, 5000, () => plain(fits));
  const mine = await best(9, 5000, () => ours.process(fits));
  const sync = bestSync(9, 5000, () => ours.processSync(fits));
  console.log(
    `Node: fits at 49 KB: opencode ${(theirs / 1e3).toFixed(1)} us, ours ${(mine / 1e3).toFixed(1)} us, ` +
      `${(theirs / mine).toFixed(1)}x as fast; at once ${(sync / 1e3).toFixed(1)} us, ${(theirs / sync).toFixed(1)}x`,
  );
  const clear = () => {
    for (const place of ['plain', 'js']) {
      for (const file of readdirSync(join(scratch, place))) rmSync(join(scratch, place, file), { recursive: true });
    }
  };
  const cutTheirs = await best(5, 1, act.plain);
  clear();
  const cutMine = await best(5, 1, act.ours);
  clear();
  console.log(
    `Node: ${megabytes} MB cut + save: opencode ${(cutTheirs / 1e6).toFixed(0)} ms, ours ${(cutMine / 1e6).toFixed(0)} ms, ` +
      `${(cutTheirs / cutMine).toFixed(2)}x as fast`,
  );
  for (const name of ['plain', 'ours']) {
    const words = [fileURLToPath(import.meta.url), name, megabytes, scratch, rust];
    const more = Number(execFileSync(process.execPath, words, { encoding: 'utf8' }));
    console.log(`Node: memory at ${megabytes} MB, ${name}: ${(1 + (more * 1024) / output.length).toFixed(2)}x of the input`);
  }
}
