// Elements, numbers, text and requests. Text of outputs becomes text nodes only: no script turns it into HTML.
'use strict';

/// Makes an element. Keys that begin with "on" are event handlers. Children are elements or texts.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'class') node.className = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const number = (n) => (n === null || n === undefined ? '?' : Math.round(n).toLocaleString('en-US'));
const plural = (n, word) => `${number(n)} ${word}${n === 1 ? '' : 's'}`;

function size(bytes) {
  if (bytes === null || bytes === undefined) return '?';
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let at = 0;
  let value = Math.abs(bytes);
  while (value >= 1024 && at < units.length - 1) { value /= 1024; at += 1; }
  const sign = bytes < 0 ? '-' : '';
  return `${sign}${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

/// Estimates one token as four bytes, as `overspill stats` does.
const tokens = (bytes) => {
  const n = Math.trunc(bytes / 4);
  if (Math.abs(n) < 10000) return `≈ ${number(n)} tokens`;
  return Math.abs(n) < 1e6 ? `≈ ${(n / 1e3).toFixed(0)} k tokens` : `≈ ${(n / 1e6).toFixed(1)} M tokens`;
};

function duration(ms) {
  if (ms === null || ms === undefined) return null;
  if (ms < 1000) return `${ms} ms`;
  if (ms < 100000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 6000 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${(seconds / 3600).toFixed(1)} h`;
}

const pad = (n) => String(n).padStart(2, '0');
function time(text) {
  const at = new Date(text);
  const today = new Date().toDateString() === at.toDateString();
  const clock = `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
  return today ? clock : `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${clock}`;
}

/// Turns ranges of the JSON into pairs. They are pairs, or objects with start and end.
const ranges = (list) => (list || []).map((it) => (Array.isArray(it) ? it : [it.start, it.end]));
const within = (list, at) => list.some(([from, to]) => from <= at && at < to);
const covered = (list) => list.reduce((sum, [from, to]) => sum + (to - from), 0);

/// Matches control characters, and characters that are invisible or change the direction of text.
const ODD = /\x1b\[[0-9;:?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

const CONTROLS = 'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(' ');

function visible(char) {
  const code = char.codePointAt(0);
  if (char.startsWith('\x1b[')) return char.replace('\x1b', 'ESC');
  if (code < 0x20) return CONTROLS[code];
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/// Shows a line. Colours become classes; all other escapes become visible text.
function line(text) {
  const node = el('span', { class: 'line' });
  let classes = new Set();
  let at = 0;
  const add = (part) => {
    if (!part) return;
    node.append(classes.size ? el('span', { class: [...classes].join(' ') }, part) : part);
  };
  for (const found of text.matchAll(ODD)) {
    add(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (/^\x1b\[[0-9;:]*m$/.test(found[0])) classes = colours(classes, found[0].slice(2, -1));
    else if (found[0] !== '\r' || at < text.length) node.append(el('span', { class: 'control' }, visible(found[0])));
  }
  add(text.slice(at));
  return node;
}

function colours(before, codes) {
  const after = new Set(before);
  const without = (pattern) => after.forEach((name) => pattern.test(name) && after.delete(name));
  const list = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < list.length; at += 1) {
    const code = list[at];
    if (code === 0) after.clear();
    else if (code === 1) after.add('sgr-bold');
    else if (code === 2) after.add('sgr-dim');
    else if (code === 3) after.add('sgr-italic');
    else if (code === 4) after.add('sgr-underline');
    else if (code === 22) without(/bold|dim/);
    else if (code === 39) without(/^sgr-\d$/);
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) { without(/^sgr-\d$/); after.add(`sgr-${code % 10}`); }
    else if (code === 38 || code === 48) at += list[at + 1] === 5 ? 2 : 4;
  }
  return after;
}

/// Shows a message for 4 seconds.
function say(text) {
  const node = document.getElementById('says');
  node.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { node.textContent = ''; }, 4000);
}

/// The answers that `--html` wrote into this file, or null on a page of the server.
const FILED = (() => {
  const node = document.getElementById('filed');
  return node ? JSON.parse(node.textContent) : null;
})();

/// Shows a sentence if an answer takes longer than 300 ms. The caller clears the returned timer.
const reading = (shown) => setTimeout(() => shown(el('p', { class: 'pad faint', role: 'status' }, 'overspill reads the output …')), 300);

/// The first list. The head of the page names it, so that the browser asks for it before the scripts load.
const FIRST_LIST = FILED ? null : document.getElementById('first-list').getAttribute('href');
let firstList = FILED ? null : fetch(FIRST_LIST);
if (firstList) firstList.catch(() => {});

class Refused extends Error {
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/// Sends a request about saved outputs. Returns the objects of the answer.
async function ask(question, query, method) {
  if (FILED) return filed(question, query || {});
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query || {})) {
    if (value === null || value === undefined || value === false || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) words.append(key, one === true ? '' : one);
  }
  let answer;
  try {
    const address = `api/${question}?${words}`;
    const early = address === FIRST_LIST ? firstList : null;
    if (early) firstList = null;
    answer = await (early || fetch(address, { method: method || 'GET' }));
  } catch {
    throw new Refused('`overspill view` does not run any more', 'run `overspill view` again and open the new address');
  }
  const text = await answer.text();
  // An answer without objects is empty, and an empty answer has no type.
  if (!(answer.ok && !text) && !(answer.headers.get('content-type') || '').includes('ndjson')) throw new Refused(text || answer.statusText);
  const objects = text.split('\n').filter(Boolean).map((one) => JSON.parse(one));
  const failed = objects.find((it) => it.error && it.error.message);
  if (failed) throw new Refused(failed.error.message, failed.error.hint);
  ask.text = text;
  return objects;
}

/// Answers a request from the file of `--html`.
function filed(question, query) {
  if (question !== 'piece') {
    const objects = FILED[question];
    if (!objects || (question === 'explain' && Object.keys(query).length > 1)) throw new Refused('this file does not contain this part');
    return objects;
  }
  const has = ({ from, to, near, line: wanted }, it) => {
    if (from !== undefined) return it.bytes[0] >= from;
    if (to !== undefined) return it.bytes[1] <= to;
    if (near !== undefined) return it.bytes[1] > near;
    return it.rows.some((row) => row.line >= wanted);
  };
  const pieces = query.to === undefined ? FILED.pieces : [...FILED.pieces].reverse();
  const found = pieces.find((it) => has(query, it)) || pieces[pieces.length - 1];
  if (!found) throw new Refused('this output is empty');
  return [found];
}

/// Shows an error with its hint.
const trouble = (error) => el('div', { class: 'pad', role: 'alert' },
  el('p', { class: 'bad' }, error.message), error.hint ? el('p', { class: 'faint' }, error.hint) : null);
