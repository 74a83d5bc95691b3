// One output: its facts, and the tabs Seen, All, Why, Compare and What if.
'use strict';

/// A file of `--html` has no store to compare with, and no program that can try other limits.
const TABS = [['seen', 'Seen'], ['all', 'All'], ['why', 'Why'], ...(FILED ? [] : [['diff', 'Compare'], ['if', 'What if']])];

/// Returns the recorded parts of an output: shown, read later, and cut lines with signs of failure.
function partsOf(output) {
  const record = output.record || {};
  const shown = ranges((record.pieces || []).map((piece) => piece.bytes));
  const read = ranges(record.read_later);
  const cut = record.cut_failures || {};
  const unread = (cut.first || []).filter((at) => !within(read, at));
  return { shown, read, failures: unread, count: cut.lines === undefined ? null : Math.max(0, cut.lines - (cut.first || []).length + unread.length) };
}

/// Tells whether nobody knows yet how much of an output the agent gets: the command runs, or overspill was killed.
const isUnfinished = (output) => Boolean((output.record || {}).running || (output.record || {}).cut_short);

/// Draws the shares of an output as a bar: shown, read later, cut.
function bar(output) {
  const record = output.record || {};
  if (isUnfinished(output)) return el('span', { class: 'bar unknown', role: 'img', 'aria-label': 'the shares are not known' });
  const total = Math.max(1, record.bytes || output.bytes);
  const { shown, read } = partsOf(output);
  const pieces = record.shown ? record.shown.bytes : 0;
  // A JSON outline is not a part of the output, so the number of sent bytes counts.
  const seen = record.on_terminal ? total : Math.min(total, pieces || record.sent || 0);
  const unseen = read.filter(([from]) => !within(shown, from));
  const later = Math.min(total - seen, read.length ? covered(unseen) : record.retrieved || 0);
  const node = el('span', { class: 'bar', role: 'img', 'aria-label': `shown ${share(seen, total)}, read later ${share(later, total)}, cut ${share(total - seen - later, total)}` });
  for (const [name, bytes] of [['shown', seen], ['read', later]]) {
    const piece = el('i', { class: name });
    piece.style.width = `${bytes > 0 ? Math.max(1, (bytes / total) * 100) : 0}%`;
    node.append(piece);
  }
  return node;
}
const share = (part, total) => `${((part / total) * 100).toFixed(part / total < 0.01 ? 1 : 0)} %`;

/// Returns the offset in the stored copy of a byte of the original, or undefined if this byte was not saved.
function storedPlace(output, at) {
  if (!output.kept) return at;
  const range = output.kept.find(({ bytes }) => bytes[0] <= at && at < bytes[1]);
  return range && Math.min(range.stored[0] + at - range.bytes[0], range.stored[1]);
}

/// Turns ranges of the original into ranges of the stored copy.
function storedRanges(output, list) {
  if (!output.kept) return list;
  return list.flatMap(([from, to]) => output.kept.filter(({ bytes }) => bytes[0] < to && from < bytes[1])
    .map(({ bytes, stored }) => [stored[0] + Math.max(from - bytes[0], 0), Math.min(stored[0] + to - bytes[0], stored[1])]));
}

class OutputView {
  constructor(output, reload) {
    this.output = output;
    this.reload = reload;
    this.id = output.id;
    this.parts = partsOf(output);
    this.panel = el('div', { class: 'panel', role: 'tabpanel', tabindex: '0' });
    this.tabs = el('div', { class: 'tabs', role: 'tablist' }, TABS.map(([name, title], at) => el('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, title: `Key ${at + 1}`, onclick: () => this.open(name),
    }, title)));
    this.tabs.addEventListener('keydown', (event) => this.moved(event));
    this.node = [this.head(), this.tabs, this.panel];
  }

  moved(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = TABS.findIndex(([name]) => name === this.tab);
    const [name] = TABS[(at + step + TABS.length) % TABS.length];
    this.open(name);
    this.tabs.querySelector(`#tab-${name}`).focus();
  }

  facts() {
    const { output } = this;
    const record = output.record || {};
    const call = record.call || {};
    const bytes = record.bytes || output.bytes;
    const sent = record.sent === undefined ? (record.shown || {}).bytes : record.sent;
    const would = record.baseline === undefined || record.baseline === null ? bytes : record.baseline;
    const saved = would - (sent || 0) - (record.retrieved || 0);
    const exit = record.signal ? `signal ${record.signal}` : output.exit;
    const replayed = output.used_words !== undefined;
    const isOpen = isUnfinished(output);
    const state = record.running ? 'still runs' : record.cut_short ? 'cut short: the process that saved the output was killed' : null;
    const all = [
      ['directory', call.directory],
      ['exit code', exit === null ? null : String(exit), output.exit ? 'bad' : ''],
      ['state', state, 'bad'],
      ['ran for', duration(record.took_ms)],
      ['time', replayed ? null : time(output.created)],
      ['host', record.host],
      ['tool', call.tool],
      ['session', call.session],
      ['size', isOpen ? `${size(output.bytes)}${record.running ? ' so far' : ''}` : `${size(bytes)}${record.lines ? `, ${plural(record.lines, 'line')}` : ''} → ${record.on_terminal ? 'all on a terminal' : `${size(sent)} ${replayed ? 'with overspill' : 'sent to the agent'}`}`],
      ['read later', record.retrieved ? size(record.retrieved) : null],
      ['saved tokens', record.on_terminal || replayed || isOpen ? null : `${tokens(saved)}${record.baseline === undefined || record.baseline === null ? '' : ` (${record.host || 'the host'} alone would show ${size(would)})`}`],
    ];
    return all.filter(([, value]) => value).map(([key, value, kind]) => el('div', {}, el('dt', {}, key), el('dd', { class: kind }, line(value))));
  }

  head() {
    const { output } = this;
    const call = (output.record || {}).call || {};
    this.factList = el('dl', { class: 'facts' }, this.facts());
    this.pin = el('button', { type: 'button', onclick: () => this.togglePin() }, output.pinned ? 'Unpin' : 'Pin');
    const actions = FILED ? [] : [
      el('button', { type: 'button', onclick: () => this.copy(), title: 'Key y' }, 'Copy read command'),
      this.pin,
      el('button', { type: 'button', onclick: () => this.remove() }, 'Delete'),
      el('button', { type: 'button', onclick: (event) => this.verify(event.target) }, 'Verify checksum'),
    ];
    this.banner = el('div', {});
    this.warn();
    return el('div', { class: 'head' },
      el('h1', {}, el('a', { class: 'back', href: '#/', 'aria-label': 'Back to the list' }, '← '), line(call.command || call.tool || output.id)),
      this.factList,
      el('div', { class: 'actions' }, actions), this.banner);
  }

  /// Shows the new size of an output whose command still runs.
  grown(output) {
    this.output = output;
    this.factList.replaceChildren(...this.facts());
    if (!this.whole) return;
    this.whole.total = output.bytes;
    this.whole.scrolled();
  }

  /// Warns about lines with signs of failure that were cut and never read, with a button for each line.
  async warn() {
    const { failures, count } = this.parts;
    if (this.output.used_words !== undefined) this.banner.append(usedWords(this.output, (at) => this.open('all', at)));
    if (!count) return;
    const items = el('ul', {});
    const title = `${plural(count, 'line')} with signs of failure ${count === 1 ? 'was' : 'were'} cut and never read.`;
    this.banner.append(el('div', { class: 'banner', role: 'alert' }, el('strong', {}, title), items));
    for (const at of failures.slice(0, 64)) {
      const text = el('code', { class: 'mono' });
      const place = storedPlace(this.output, at);
      if (place === undefined) {
        items.append(el('li', { class: 'faint' }, `byte ${number(at)}: this part was not saved`));
        continue;
      }
      const button = el('button', { type: 'button', onclick: () => this.open('all', place) }, `byte ${number(at)}`);
      items.append(el('li', {}, button, text));
      if (items.children.length > 12) continue;
      try {
        const [piece] = await ask('piece', { id: this.id, near: place, rows: 1 });
        const row = piece.rows.find((it) => it.at >= place) || piece.rows[0];
        if (row && row.line) button.textContent = `line ${number(row.line)}`;
        if (row) text.append(line(row.text.slice(0, 300)));
      } catch { return; }
    }
  }

  async copy() {
    const command = `overspill read ${this.output.short_id || this.id}`;
    try {
      await navigator.clipboard.writeText(command);
      say(`copied: ${command}`);
    } catch {
      say(command);
    }
  }

  async togglePin() {
    try {
      const [done] = await ask('pin', { id: this.id, off: this.output.pinned ? true : null }, 'POST');
      this.output.pinned = done.pinned;
      this.pin.textContent = done.pinned ? 'Unpin' : 'Pin';
      say(done.pinned ? 'pinned: overspill never deletes this output automatically' : 'no longer pinned');
    } catch (error) { say(error.message); }
  }

  async remove() {
    if (!window.confirm(`Delete the output ${this.output.short_id || this.id}? This cannot be undone.`)) return;
    try {
      const [done] = await ask('rm', { id: this.id }, 'POST');
      say(`deleted ${size(done.bytes)}`);
      location.hash = '#/';
      this.reload();
    } catch (error) { say(`${error.message}${error.hint ? ` (${error.hint})` : ''}`); }
  }

  async verify(button) {
    button.disabled = true;
    try {
      const [info] = await ask('info', { id: this.id });
      say({ whole: 'whole: the checksum matches', partial: 'partial: the saved parts are unchanged', damaged: 'damaged: the checksum does not match' }[info.state] || info.state);
    } catch (error) { say(error.message); }
    button.disabled = false;
  }

  /// Opens a tab. `at` is an offset in the stored copy.
  async open(name, at, lineNumber) {
    this.ready = null;
    this.tab = TABS.some(([known]) => known === name) ? name : 'seen';
    for (const button of this.tabs.children) {
      const chosen = button.id === `tab-${this.tab}`;
      button.setAttribute('aria-selected', String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
    history.replaceState(null, '', `#/${encodeURIComponent(this.id)}/${this.tab}`);
    this.panel.className = `panel ${this.tab}`;
    this.panel.setAttribute('aria-labelledby', `tab-${this.tab}`);
    const turn = (this.turn = (this.turn || 0) + 1);
    const reads = reading((node) => { if (turn === this.turn) this.panel.replaceChildren(node); });
    try {
      const content = await { seen: () => this.seen(), all: () => this.all(), why: () => this.why(), diff: () => this.diff(1), if: () => this.whatIf() }[this.tab]();
      if (turn !== this.turn) return;
      clearTimeout(reads);
      this.panel.replaceChildren(...[content].flat());
      if (this.tab === 'all') await this.whole.go(at || 0, lineNumber);
      if (turn === this.turn) this.ready = this.tab;
    } catch (error) {
      if (turn === this.turn) this.panel.replaceChildren(trouble(error));
    } finally {
      clearTimeout(reads);
    }
  }

  async seen() {
    const [seen] = await ask('seen', { id: this.id });
    let note;
    if (this.output.used_words !== undefined) note = [el('span', { class: 'proof no' }, 'replayed'), ` The agent would have got these ${number(seen.bytes)} bytes from overspill (${tokens(seen.bytes)}).`];
    else if (seen.on_terminal) note = [el('span', { class: 'proof no' }, 'not read by an agent'), ' A person watched this output on a terminal. This is the preview that an agent would have got.'];
    else if (seen.exact) note = [el('span', { class: 'proof' }, 'exact'), ` These are the ${number(seen.bytes)} bytes that the agent got (${tokens(seen.bytes)}). Their checksum matches the record.`];
    else if ((this.output.record || {}).running) note = [el('span', { class: 'proof no' }, 'still runs'), ' The agent gets lines of this output while the command runs. overspill does not record these lines.'];
    else if (seen.besides) note = [el('span', { class: 'proof no' }, 'not all of it'), ` This is the preview at the end. The agent also got about ${plural(seen.besides, 'byte')}: lines while the command ran, or a notice beside the text. overspill sends no part of the preview twice.`];
    else note = [el('span', { class: 'proof no' }, 'not proved'), seen.masked ? ' Secrets are masked in this file, so the text differs from the text that the agent got.' : ' The record has the shown parts, but not the text around them, or the checksum differs. Some words can differ from the text that the agent got.'];
    const text = seen.parts.map((part, nth) => {
      if (part.text !== undefined) return document.createTextNode(part.text);
      const before = seen.parts.slice(0, nth).reverse().find((it) => it.bytes);
      if (FILED || !nth || !before) return el('span', { class: 'words' }, part.words);
      return el('a', { class: 'words', href: `#/${encodeURIComponent(this.id)}/all`, title: 'Show this part of the output', onclick: (event) => { event.preventDefault(); this.open('all', storedPlace(this.output, before.bytes[1]) ?? storedPlace(this.output, before.bytes[1] - 1)); } }, part.words);
    });
    return [el('p', { class: 'note' }, note), el('pre', { class: 'seen' }, text)];
  }

  all() {
    const { output, parts } = this;
    const places = { shown: storedRanges(output, parts.shown), read: storedRanges(output, parts.read) };
    this.whole = new AllView(output, places);
    const failures = el('span', { class: 'key failure' }, 'sign of failure');
    const step = (way) => {
      const list = this.whole.failures;
      const { at: here, isMarked } = this.whole.here();
      const next = way > 0 ? list.find((at) => at > here || (at === here && !isMarked)) : [...list].reverse().find((at) => at < here);
      if (next === undefined) { say('no more signs of failure'); return; }
      this.whole.go(next);
    };
    this.step = step;
    ask('failures', { id: this.id }).then(([found]) => {
      const cut = parts.failures.map((at) => storedPlace(output, at)).filter((at) => at !== undefined);
      const known = [...new Set([...found.places, ...cut])].sort((a, b) => a - b);
      this.whole.setFailures(known);
      const rest = found.read < found.total ? ` (first ${size(found.read)} searched)` : '';
      // In source, listings and prose, words such as "error" are no signs of failure.
      failures.textContent = found.read || !found.total ? `${plural(known.length, 'sign')} of failure${rest}` : 'not searched for failures: not a log';
    }).catch(() => {});
    const goTo = el('input', { type: 'text', inputmode: 'numeric', size: '9', placeholder: 'Line', 'aria-label': 'Go to line' });
    const form = el('form', { onsubmit: (event) => { event.preventDefault(); const n = Number(goTo.value.replace(/[\s,._]/g, '')); if (Number.isSafeInteger(n) && n > 0) this.whole.go(0, n); else say('type the number of a line, such as 120'); } }, goTo);
    return [el('div', { class: 'tools' },
      el('span', { class: 'key shown' }, 'shown'), el('span', { class: 'key read' }, 'read later'), el('span', { class: 'key' }, 'cut'), failures,
      el('button', { type: 'button', onclick: () => step(-1), title: 'Key N' }, '↑ failure'), el('button', { type: 'button', onclick: () => step(1), title: 'Key n' }, '↓ failure'), form),
    this.whole.node];
  }

  async why() {
    const parts = await ask('explain', { id: this.id });
    return [el('p', { class: 'note' }, policyWords(parts[0])), this.partsTable(parts.filter((part) => part.first_line))];
  }

  partsTable(parts) {
    if (!parts.length) return el('p', { class: 'faint' }, 'The preview shows no part of the output unchanged.');
    const go = (part) => el('button', { type: 'button', onclick: () => this.open('all', 0, part.line || part.first_line) }, part.first_line === part.last_line ? number(part.first_line) : `${number(part.first_line)}–${number(part.last_line)}`);
    return el('table', { class: 'parts' }, el('thead', {}, el('tr', {}, ['Lines', 'Shown because', 'Score', 'Line with the best score'].map((title) => el('th', {}, title)))),
      el('tbody', {}, parts.map((part) => el('tr', {}, el('td', {}, go(part)), el('td', {}, reason(part), el('span', { class: 'faint' }, ` (${size(part.bytes)})`)), el('td', { class: 'right' }, part.score === null ? '' : String(part.score)), el('td', { class: 'mono' }, part.text ? line(part.text.slice(0, 400)) : '')))));
  }

  async diff(from) {
    const [{ previous }] = await ask('previous', { id: this.id });
    if (!previous) return el('p', { class: 'faint' }, 'The store has no earlier run of the same command in the same directory.');
    const [diff] = await ask('diff', { id: [previous, this.id], from: from > 1 ? from : null });
    const tests = diff.tests ? el('div', {}, [['new', 'newly failing'], ['still', 'still failing'], ['fixed', 'fixed'], ['not_run', 'failed before and not run']].filter(([key]) => diff.tests[key].length).map(([key, title]) => el('p', { class: 'note' }, el('strong', { class: key === 'fixed' ? '' : 'bad' }, `${diff.tests[key].length} ${title}: `), el('span', { class: 'mono' }, line(diff.tests[key].slice(0, 50).join(', ')))))) : null;
    const head = el('p', { class: 'note' }, diff.same ? 'The outputs are the same. ' : `${plural(diff.added, 'line')} added, ${plural(diff.removed, 'line')} removed since the run of ${time(diff.old.created)} (exit code ${diff.old.exit === null ? '?' : diff.old.exit}). `, el('a', { href: `#/${encodeURIComponent(previous)}` }, 'Open that run'));
    const next = /--from[ =](\d+)/.exec(diff.next || '');
    const more = next ? el('button', { type: 'button', onclick: async (event) => { const rest = await this.diff(Number(next[1])); event.target.replaceWith(...[rest].flat().slice(1).filter(Boolean)); } }, 'Show more') : null;
    return [head, tests, sides(diff.text), more].filter(Boolean);
  }

  whatIf() {
    const limits = ((this.output.record || {}).preview || {}).limits || {};
    const bytes = el('input', { type: 'text', name: 'bytes', placeholder: String(limits.bytes || '50KiB') });
    const lines = el('input', { type: 'text', name: 'lines', placeholder: String(limits.lines || '2000') });
    const keep = el('select', { name: 'keep' }, ['', 'auto', 'signal', 'ends', 'head', 'tail'].map((word) => el('option', { value: word }, word || 'as recorded')));
    const found = el('div', {});
    const run = async (event) => {
      event.preventDefault();
      found.replaceChildren(el('p', { class: 'faint' }, 'Trying …'));
      try {
        const parts = await ask('explain', { id: this.id, now: true, 'max-bytes': bytes.value, 'max-lines': lines.value, keep: keep.value });
        const shown = parts.filter((part) => part.first_line);
        if (!parts.length || parts[0].fits) { found.replaceChildren(el('p', {}, 'The output is within these limits, so the agent would get all of it.')); return; }
        // An outline of JSON has a size and no parts. A preview without both is only a notice.
        const sum = shown.length ? shown.reduce((all, part) => all + part.bytes, 0) : parts[0].bytes || 0;
        const rows = shown.reduce((all, part) => all + part.last_line - part.first_line + 1, 0);
        const how = shown.length ? `in ${plural(rows, 'line')} would be shown, ${plural(shown.length, 'part')}` : 'of shorter JSON would be shown';
        const record = this.output.record || {};
        const now = (record.shown || {}).bytes || record.sent || 0;
        const less = sum <= now ? 'fewer' : 'more';
        found.replaceChildren(
          el('p', { class: 'note' }, sum ? [el('strong', {}, `${size(sum)} ${how} (${tokens(sum)}).`), ` That is ${size(Math.abs(sum - now))} ${less} than the agent got.`] : el('strong', {}, 'Only a notice would be shown.')),
          el('p', { class: 'note' }, policyWords(parts[0])), this.partsTable(shown));
      } catch (error) {
        found.replaceChildren(trouble(error));
      }
    };
    return [el('p', { class: 'note' }, 'Try other limits on this output. This changes nothing.'),
      el('form', { class: 'form', onsubmit: run }, el('label', {}, 'Bytes', bytes), el('label', {}, 'Lines', lines), el('label', {}, 'Keep', keep), el('button', { type: 'submit' }, 'Try')), found];
  }
}

/// Shows how many words of a replayed output the agent used next, with a button for each word that the preview lacks.
function usedWords(output, go) {
  const lost = output.lost_words;
  const used = `The agent used ${plural(output.used_words, 'word')} of this output next.`;
  if (!lost.length) return el('p', { class: 'note' }, `${used} The preview of overspill ${output.used_words ? 'has all of them' : 'lacks no word'}.`);
  const items = lost.slice(0, 64).map(({ word, at }) => el('li', {}, el('button', { type: 'button', onclick: () => go(at) }, 'show'), el('code', { class: 'mono' }, line(word))));
  return el('div', { class: 'banner', role: 'alert' }, el('strong', {}, `${used} The preview of overspill lacks ${number(lost.length)} of them:`), el('ul', {}, items));
}

/// Explains in a sentence how overspill made a preview.
function policyWords(part) {
  if (!part || !part.limits) return 'The output is within the limits, so the agent got all of it.';
  const limits = Object.entries(part.limits).map(([unit, most]) => `${number(most)} ${unit}`).join(' and ');
  const kinds = { ends: 'The preview has the first and the last lines.', json: 'The output is JSON: the preview is a shorter JSON text that names the missing parts.', pieces: 'A strategy chose the parts.', text: 'A strategy made the text.', binary: 'The output is not text, so the preview is only a notice.' };
  const kind = kinds[part.kind] || `overspill recognised “${part.kind.replace('-', ' ')}”, and the preview has its most important lines.`;
  return `The limits were ${limits || 'none'}; keep was “${part.keep}”. ${kind}`;
}

/// Explains why the preview has a part.
function reason(part) {
  const words = part.why || 'chosen by a strategy';
  const plain = {
    'first lines': 'First lines: they tell what the output is about.',
    'last lines': 'Last lines: they tell how the command ended.',
    'error word': 'A word of failure, in a line that did not pass.',
    'place in a file': 'It names a place in a file.',
    'telling words': 'Important lines often have these words.',
    heading: 'A heading of the lines below.',
    'differs from the rest': 'It differs from the lines around it.',
    'start of a part': 'A part of the output begins here.',
  };
  return plain[words] || words;
}

/// Shows a unified difference side by side.
function sides(text) {
  const body = el('tbody', {});
  let [old, fresh] = [0, 0];
  let gone = [];
  let added = [];
  const flush = () => {
    for (let at = 0; at < Math.max(gone.length, added.length); at += 1) {
      const [left, right] = [gone[at], added[at]];
      body.append(el('tr', {},
        el('td', { class: 'n' }, left ? String(left[0]) : ''), el('td', { class: left ? 'gone' : 'none' }, left ? line(left[1]) : ''),
        el('td', { class: 'n' }, right ? String(right[0]) : ''), el('td', { class: right ? 'new' : 'none' }, right ? line(right[1]) : '')));
    }
    gone = [];
    added = [];
  };
  for (const row of text.split('\n')) {
    const hunk = /^@@ -(\d+)[^+]*\+(\d+)/.exec(row);
    if (hunk) {
      flush();
      [old, fresh] = [Number(hunk[1]), Number(hunk[2])];
      body.append(el('tr', {}, el('td', { class: 'hunk', colspan: '4' }, row)));
    } else if (row.startsWith('-')) {
      gone.push([old, row.slice(1)]);
      old += 1;
    } else if (row.startsWith('+')) {
      added.push([fresh, row.slice(1)]);
      fresh += 1;
    } else if (row) {
      flush();
      body.append(el('tr', {}, el('td', { class: 'n' }, String(old)), el('td', {}, line(row.slice(1))), el('td', { class: 'n' }, String(fresh)), el('td', {}, line(row.slice(1)))));
      old += 1;
      fresh += 1;
    }
  }
  flush();
  return el('table', { class: 'sides', 'aria-label': 'Earlier run and this run' }, el('colgroup', {}, el('col', { class: 'n' }), el('col', {}), el('col', { class: 'n' }), el('col', {})), body);
}
