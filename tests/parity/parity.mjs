/** The table of cases through the Node package. */

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { Overspill, OverspillError } from '../../bindings/node/dist/index.js';

const [cases, store] = process.argv.slice(2);
for (const [at, one] of JSON.parse(readFileSync(cases, 'utf8')).entries()) {
  let answer;
  try {
    answer = await run(one, join(store, String(at).padStart(4, '0')));
  } catch (error) {
    if (!(error instanceof OverspillError)) throw error;
    answer = { error: `${error.name}: ${error.message}` };
  }
  print(`${JSON.stringify(answer)}\n`);
}

async function run(one, place) {
  if (one.how === 'directory') return { directory: new Overspill(one.setup).directory };
  Object.assign(process.env, one.variables);
  try {
    return await answerOf(one, place);
  } finally {
    for (const name of Object.keys(one.variables ?? {})) delete process.env[name];
  }
}

async function answerOf(one, place) {
  mkdirSync(dirname(place), { recursive: true });
  if (one.fault) writeFileSync(place, 'taken');
  const overspill = new Overspill({ ...one.setup, store: place, durability: 'none' });
  const call = Object.fromEntries(Object.entries(one.call ?? {}).filter(([, value]) => value !== null));
  const after = () => ({ names: saved(place), saved: hashes(place) });
  if (one.how === 'apply') return { result: await overspill.apply(one.result, call), ...after() };
  if (one.how === 'batch') {
    const outcomes = await overspill.batch(one.inputs, call);
    return { outcomes: outcomes.map(plain), ...after() };
  }
  const output = 'base64' in one ? Buffer.from(one.base64, 'base64') : one.input;
  let outcome;
  if (one.how === 'spill') {
    const spill = overspill.spill(call);
    for (let from = 0; from < output.length; ) {
      let to = from + 1000;
      if ((output.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1;
      spill.write(output.slice(from, to));
      from = to;
    }
    outcome = await spill.close();
  } else {
    outcome = await overspill.process(output, call);
  }
  const answer = { outcome: plain(outcome), ...after() };
  if (one.ask) {
    const [question, ...asked] = one.ask;
    const options = asked.pop();
    answer.asked = snake(await overspill[question](...asked, outcome.id, options));
  }
  return answer;
}

/** Returns an outcome in the words of the others. */
function plain(outcome) {
  const { spilled, text, lossy, id, path, complete, total, shown, pieces, gaps, limit, pending, masked, error } = outcome;
  const sizes = { total, shown, pieces, gaps, left_out: outcome.leftOut, limit };
  const both = { spilled, text, lossy, id, path, complete, ...sizes, pending, masked, error };
  return spilled ? { ...both, preview: outcome.preview, notice: outcome.notice } : both;
}

// JavaScript writes keys as camelCase, the other two as snake_case. Lists have values of outputs.
function snake(answer) {
  if (answer === null || typeof answer !== 'object' || Array.isArray(answer)) return answer;
  const key = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [key(name), snake(value)]));
}

function saved(place) {
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(place).filter((name) => !name.startsWith('.')).sort().map((name) => join(place, name));
}

function hashes(place) {
  return saved(place).map((file) => createHash('sha256').update(readFileSync(file)).digest('hex')).sort();
}

function print(text) {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
