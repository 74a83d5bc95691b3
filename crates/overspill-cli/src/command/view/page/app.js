// The list of outputs, the search, the statistics, the addresses and the keys.
'use strict';

const calls = document.getElementById('calls');
const detail = document.getElementById('detail');
const pattern = document.getElementById('pattern');
const state = { limit: 50, filters: {}, text: '', outputs: [], view: null, id: null, visit: 0, turn: 0 };

/* The list */

const rows = el('div', { id: 'rows' });
/// The values of filters that the page has seen. The filters match whole names, so each field offers these.
const known = { host: new Set(), tool: new Set(), directory: new Set() };
const offers = Object.fromEntries(Object.keys(known).map((key) => [key, el('datalist', { id: `known-${key}` })]));

function offer(output) {
  const { host, call } = { call: {}, ...output.record };
  for (const [key, value] of [['host', host], ['tool', call.tool], ['directory', call.directory]]) {
    if (!value || known[key].has(value)) continue;
    known[key].add(value);
    offers[key].append(el('option', { value }));
  }
}

function filterBar() {
  const change = (key) => (event) => {
    const { type, checked, value } = event.target;
    state.filters[key] = type === 'checkbox' ? checked : value.trim();
    refresh();
  };
  const field = (key, title) => [el('input', { type: 'text', id: `filter-${key}`, list: `known-${key}`, placeholder: title, 'aria-label': title, onchange: change(key) }), offers[key]];
  return el('div', { class: 'filters', role: 'group', 'aria-label': 'Filters' },
    el('label', {}, el('input', { type: 'checkbox', id: 'filter-failed', onchange: change('failed') }), 'failed'),
    field('host', 'host'), field('tool', 'tool'), field('directory', 'directory'),
    el('select', { id: 'filter-larger', 'aria-label': 'Size', onchange: change('larger') }, [['', 'any size'], ['100KiB', '> 100 KiB'], ['1MiB', '> 1 MiB'], ['100MiB', '> 100 MiB']].map(([value, title]) => el('option', { value }, title))));
}

function row(output) {
  const record = output.record || {};
  const call = record.call || {};
  const { count } = partsOf(output);
  const exit = record.running ? 'runs' : record.cut_short ? 'cut short' : record.signal ? `signal ${record.signal}` : output.exit ? `exit ${output.exit}` : null;
  return el('a', { class: 'call', href: `#/${encodeURIComponent(output.id)}`, 'data-id': output.id, 'aria-current': String(output.id === state.id) },
    el('span', { class: 'command' }, line((call.command || call.tool || output.id).slice(0, 300))),
    bar(output),
    el('span', { class: 'about' }, el('span', {}, time(output.created)), record.host ? el('span', {}, line(record.host)) : null,
      exit ? el('span', { class: 'bad' }, exit) : null, count ? el('span', { class: 'bad' }, `${plural(count, 'failure')} cut`) : null, output.pinned ? el('span', {}, 'pinned') : null,
      el('span', {}, isUnfinished(output) ? `${size(output.bytes)}${record.running ? ' so far' : ''}` : `${size(record.bytes || output.bytes)} → ${record.on_terminal ? 'terminal' : size(record.sent)}`)));
}

function drawList() {
  // Agents that work at the same time save their outputs in turns. The session with the newest output comes first.
  const sessions = new Map();
  for (const output of state.outputs) {
    offer(output);
    const call = (output.record || {}).call || {};
    const session = `${call.session ? `session ${call.session}` : 'no session'} · ${new Date(output.created).toDateString()}`;
    if (!sessions.has(session)) sessions.set(session, []);
    sessions.get(session).push(row(output));
  }
  const nodes = [...sessions].flatMap(([session, calls]) => [el('div', { class: 'session' }, line(session)), ...calls]);
  if (!nodes.length) nodes.push(el('p', { class: 'pad faint' }, Object.values(state.filters).some(Boolean) ? 'No saved output matches.' : 'No saved outputs yet. overspill saves an output when it is too long to show.'));
  if (state.outputs.length >= state.limit) nodes.push(el('button', { class: 'more', type: 'button', onclick: () => { state.limit *= 2; refresh(); } }, 'Show more'));
  const focused = rows.contains(document.activeElement) && document.activeElement.dataset.id;
  rows.replaceChildren(...nodes);
  const again = focused && rows.querySelector(`[data-id="${CSS.escape(focused)}"]`);
  if (again) again.focus({ preventScroll: true });
}

async function refresh() {
  const began = performance.now();
  // A late answer for earlier filters changes nothing.
  const turn = (state.turn += 1);
  try {
    const outputs = await ask('list', { limit: state.limit, ...state.filters });
    if (turn === state.turn && ask.text !== state.text) {
      state.text = ask.text;
      state.outputs = outputs;
      drawList();
      if (!performance.getEntriesByName('first-list').length) performance.mark('first-list');
    }
  } catch (error) {
    if (turn === state.turn) {
      state.text = '';
      rows.replaceChildren(trouble(error));
    }
  }
  return performance.now() - began;
}

/// Updates the list while the page is visible.
async function live() {
  let pause = 2000;
  if (!document.hidden) {
    pause = Math.max(pause, 20 * await refresh());
    const view = state.view;
    if (view && (view.output.record || {}).running) {
      try {
        const [output] = await ask('output', { id: view.id });
        if (state.view === view && !(output.record || {}).running) show(output.id, view.tab, view.tab === 'all' ? view.whole.place() : 0);
        else if (state.view === view) view.grown(output);
      } catch { /* The next round tries again. */ }
    }
  }
  setTimeout(live, Math.min(pause, 60000));
}

/* The right side */

/// Highlights the row of the open output, or no row.
function highlight(id) {
  state.id = id;
  rows.querySelectorAll('.call').forEach((node) => node.setAttribute('aria-current', String(node.dataset.id === id)));
}

/// Begins to show something else. Returns a function that tells whether the user has gone elsewhere since, so that a late
/// answer replaces nothing.
function visit(id) {
  const own = (state.visit += 1);
  highlight(id);
  return () => own !== state.visit;
}

async function show(id, tab, at) {
  const isGone = visit(id);
  const reads = reading((node) => { if (!isGone()) detail.replaceChildren(node); });
  try {
    const [output] = await ask('output', { id });
    clearTimeout(reads);
    if (isGone()) return;
    highlight(output.id);
    state.view = new OutputView(output, refresh);
    detail.replaceChildren(...state.view.node);
    await state.view.open(tab || 'seen', at);
  } catch (error) {
    if (isGone()) return;
    state.view = null;
    detail.replaceChildren(el('p', { class: 'pad' }, el('a', { class: 'back', href: '#/' }, '← back')), trouble(error));
  } finally {
    clearTimeout(reads);
  }
}

/// Draws sums as bars: shown, read later, and saved.
function plot(list, name) {
  const most = Math.max(1, ...list.map((it) => Math.max(it.baseline_bytes, it.shown_bytes + it.retrieved_bytes)));
  const node = el('div', { class: 'plot' });
  for (const it of list) {
    const bars = el('span', { class: 'bar' });
    const rest = Math.max(0, it.saved_bytes);
    for (const [kind, bytes] of [['shown', it.shown_bytes], ['read', it.retrieved_bytes], ['cut', rest]]) {
      const piece = el('i', { class: kind, title: `${kind}: ${size(bytes)}` });
      piece.style.width = `${(bytes / most) * 100}%`;
      bars.append(piece);
    }
    node.append(el('span', { class: 'mono' }, line(it[name])), bars, el('span', { class: 'right' }, `${size(it.saved_bytes)} saved, ${plural(it.outputs, 'output')}`));
  }
  return node;
}

async function showStats(days) {
  const isGone = visit(null);
  state.view = null;
  detail.replaceChildren(el('p', { class: 'pad faint' }, 'Counting …'));
  try {
    const [stats] = await ask('stats', { days });
    if (isGone()) return;
    const sum = (title, bytes) => el('div', {}, el('span', { class: 'faint' }, title), el('b', {}, size(bytes)), el('span', { class: 'faint' }, tokens(bytes)));
    const choose = el('select', { 'aria-label': 'Days', onchange: (event) => showStats(event.target.value) }, [1, 7, 30, 90].map((n) => el('option', { value: String(n), selected: n === Number(days) }, plural(n, 'day'))));
    const cut = stats.unseen_failure_lines;
    const whole = stats.against_whole_output || { outputs: 0 };
    const groups = [['by_day', 'day', 'By day (UTC)'], ['by_host', 'host', 'By host'], ['by_command', 'command', 'By command'], ['by_tool', 'tool', 'By tool']];
    detail.replaceChildren(el('div', { class: 'pad' },
      el('h2', {}, el('a', { class: 'back', href: '#/' }, '← '), `${plural(stats.outputs, 'long output')} in the last `, choose),
      el('div', { class: 'sums' }, sum('produced', stats.produced_bytes), sum('without overspill', stats.baseline_bytes), sum('shown', stats.shown_bytes), sum('read later', stats.retrieved_bytes), sum('saved', stats.saved_bytes),
        el('div', {}, el('span', { class: 'faint' }, 'failure lines cut, never read'), el('b', { class: cut ? 'bad' : '' }, number(cut)))),
      whole.outputs ? el('p', { class: 'faint' }, `“Without overspill” counts the bytes that the hosts alone would have shown. The host of ${plural(whole.outputs, 'output')} is unknown, so the whole output counts: ${size(whole.saved_bytes)} of the saved bytes.`) : null,
      el('p', { class: 'tools' }, el('span', { class: 'key shown' }, 'shown'), el('span', { class: 'key read' }, 'read later'), el('span', { class: 'key' }, 'saved')),
      groups.filter(([key]) => Array.isArray(stats[key]) && stats[key].length).map(([key, name, title]) => [el('h2', {}, title), plot(key === 'by_day' ? stats[key] : stats[key].slice(0, 15), name)]),
      el('p', { class: 'faint' }, 'These numbers do not count short outputs. `overspill stats` prints the same numbers; docs/stats.md explains them.')));
  } catch (error) {
    if (!isGone()) detail.replaceChildren(trouble(error));
  }
}

/* Addresses */

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

async function route() {
  const [, first, second, third] = location.hash.split('/').map(decoded);
  if (first !== 'search') pattern.value = '';
  document.body.classList.toggle('one', Boolean(first));
  if (!first) {
    visit(null);
    state.view = null;
    detail.replaceChildren(el('p', { class: 'pad faint' }, 'Choose an output.'));
    drawList();
  } else if (first === 'stats') await showStats(30);
  else if (first === 'search') await showSearch(second || '');
  else if (state.view && state.id === first) await state.view.open(second || 'seen', 0, Number(third) || undefined);
  else {
    await show(first, third ? 'seen' : second);
    if (third && state.view && state.view.id === state.id) await state.view.open('all', 0, Number(third));
  }
}

/* Keys */

const KEYS = [['j / k', 'next or previous output'], ['Enter', 'open the output'], ['1 … 5', 'Seen, All, Why, Compare, What if'], ['n / N', 'next or previous sign of failure (All)'], ['Home / End', 'start or end of the output (All)'], ['y', 'copy the read command'], ['/', 'search'], ['s', 'statistics'], ['Esc', 'back to the list'], ['?', 'these keys']];
const keys = document.getElementById('keys');
keys.append(el('h2', {}, 'Keys'), el('table', {}, KEYS.map(([key, what]) => el('tr', {}, el('td', {}, el('kbd', {}, key)), el('td', {}, what)))), el('p', {}, el('button', { type: 'button', onclick: () => keys.close() }, 'Close')));

function move(step) {
  const all = [...rows.querySelectorAll('.call')];
  const focused = all.indexOf(document.activeElement);
  const from = focused >= 0 ? focused : all.findIndex((node) => node.dataset.id === state.id);
  const next = all[Math.min(Math.max(from + step, 0), all.length - 1)];
  if (next) { next.focus(); next.scrollIntoView({ block: 'nearest' }); }
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const { view } = state;
  const actions = {
    j: () => move(1), k: () => move(-1), '/': () => pattern.focus(), s: () => { location.hash = '#/stats'; }, '?': () => keys.showModal(),
    y: view && (() => view.copy()),
    ...(view && view.tab === 'all' && view.whole && { n: () => view.step(1), N: () => view.step(-1), Home: () => view.whole.go(0), End: () => view.whole.go(Infinity) }),
    Escape: () => { if (!keys.open) location.hash = '#/'; },
  };
  const tab = view && TABS[Number(event.key) - 1];
  const action = tab ? () => view.open(tab[0]) : actions[event.key];
  if (!action || (keys.open && event.key !== 'Escape')) return;
  if (event.key !== 'Escape') event.preventDefault();
  action();
});
document.getElementById('help').addEventListener('click', () => keys.showModal());
document.getElementById('search').addEventListener('submit', (event) => {
  event.preventDefault();
  // The keys of the page work again.
  pattern.blur();
  if (pattern.value) location.hash = `#/search/${encodeURIComponent(pattern.value)}`;
});

if (FILED) {
  document.body.classList.add('alone', 'one');
  show(FILED.output[0].id, 'seen');
} else {
  calls.append(filterBar(), rows);
  window.addEventListener('hashchange', route);
  refresh().then(route).then(() => setTimeout(live, 2000));
}
