// The tab All: an output of any size. It loads pieces while you scroll, and a map shows the place in the output.
'use strict';

/// The number of pieces in the page at most.
const MOST_PIECES = 8;

class AllView {
  /// `parts` has two lists of ranges: shown and read. All offsets are offsets in the stored copy.
  constructor(output, parts) {
    this.id = output.id;
    this.total = output.bytes;
    this.lines = (output.record || {}).lines;
    this.parts = parts;
    this.failures = [];
    this.failed = new Set();
    this.pieces = [];
    this.rows = el('div', { class: 'rows', tabindex: '0', role: 'region', 'aria-label': 'Whole output' });
    this.map = el('canvas', { class: 'map', tabindex: '0', role: 'slider', 'aria-label': 'Place in the output', 'aria-valuemin': '0', 'aria-valuemax': '100' });
    this.node = el('div', { class: 'whole' }, this.rows, this.map);
    this.rows.addEventListener('scroll', () => this.scrolled());
    this.rows.addEventListener('keydown', (event) => this.pressed(event));
    this.map.addEventListener('keydown', (event) => this.pressed(event));
    const pick = (event) => {
      const box = this.map.getBoundingClientRect();
      this.go(Math.floor(((event.clientY - box.top) / box.height) * this.total));
    };
    this.map.addEventListener('pointerdown', (event) => { this.map.setPointerCapture(event.pointerId); pick(event); });
    this.map.addEventListener('pointermove', (event) => { if (event.buttons) pick(event); });
    new ResizeObserver(() => this.draw()).observe(this.map);
  }

  pressed(event) {
    const page = Math.max(1, Math.floor(this.total / 100));
    const moves = { Home: 0, End: Infinity, ...(event.target === this.map && {
      ArrowUp: this.place() - page, ArrowDown: this.place() + page, PageUp: this.place() - 10 * page, PageDown: this.place() + 10 * page }) };
    if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.go(Math.max(moves[event.key], 0));
  }

  async load(anchor) {
    const [piece] = await ask('piece', { id: this.id, ...anchor });
    this.total = piece.total;
    return piece;
  }

  /// Shows the line at a byte, or a line by its number. The byte `Infinity` is the end, also of an output that grows.
  async go(byte, wanted) {
    const turn = (this.turn = (this.turn || 0) + 1);
    this.aim = wanted ? null : byte;
    const reads = reading((node) => { if (turn === this.turn) { this.pieces = []; this.rows.replaceChildren(node); } });
    try {
      const atEnd = byte > 0 && byte >= this.total;
      const piece = await this.load(wanted ? { line: wanted } : atEnd ? { to: Number.MAX_SAFE_INTEGER } : { near: byte });
      clearTimeout(reads);
      if (turn !== this.turn) return;
      const found = wanted && piece.rows.find((row) => row.line === wanted);
      if (wanted && !found) {
        const wrong = this.lacks(wanted, piece);
        say(wrong.text);
        if (!wrong.moves && this.pieces.length) return;
      }
      this.pieces = [];
      this.rows.replaceChildren();
      this.add(piece, false);
      this.rows.scrollTop = 0;
      const target = wanted ? found || piece.rows[0] : [...piece.rows].reverse().find((row) => row.at <= byte);
      const at = target ? target.at : piece.bytes[0];
      this.aim = at;
      this.mark(at, Boolean(wanted) || this.failed.has(at));
      await this.fill();
      if (turn !== this.turn) return;
      const row = this.rows.querySelector(`[data-at="${at}"]`);
      if (row) this.rows.scrollTop = Math.max(0, row.offsetTop - this.rows.offsetTop - this.rows.clientHeight / 3);
      if (atEnd) this.rows.scrollTop = this.rows.scrollHeight;
      this.draw();
    } catch (error) {
      if (turn === this.turn) this.rows.replaceChildren(trouble(error));
    } finally {
      clearTimeout(reads);
      if (turn === this.turn) this.aim = null;
    }
  }

  /// Explains why no row has the number of a line, and tells whether the page should go to the nearest row.
  lacks(wanted, piece) {
    const there = this.lines ? `: the output has ${plural(this.lines, 'line')}` : '';
    if (!piece.rows.some((row) => row.line)) return { text: 'the lines of this output have no numbers', moves: false };
    if (this.lines && wanted <= this.lines) return { text: `line ${number(wanted)} was not saved: this is the nearest saved line before it`, moves: true };
    return { text: `there is no line ${number(wanted)}${there}`, moves: false };
  }

  /// Returns the byte from which `n` and `N` search: the marked row if it is on the screen, else the top of the screen.
  here() {
    if (this.aim !== null && this.aim !== undefined) return { at: Math.min(this.aim, this.total), isMarked: true };
    const row = this.rows.querySelector('.row.here');
    const box = this.rows.getBoundingClientRect();
    const place = row && row.getBoundingClientRect();
    const isMarked = Boolean(row) && place.bottom > box.top && place.top < box.bottom;
    return { at: isMarked ? Number(row.dataset.at) : this.place(), isMarked };
  }

  mark(at, isWanted) {
    this.rows.querySelectorAll('.here').forEach((row) => row.classList.remove('here'));
    const row = this.rows.querySelector(`[data-at="${at}"]`);
    if (row && (at > 0 || isWanted)) row.classList.add('here');
  }

  add(piece, before) {
    const node = el('div', {}, piece.rows.map((row) => this.row(row)));
    const neighbour = before ? null : this.pieces[this.pieces.length - 1];
    if (neighbour && piece.bytes[0] > neighbour.end) node.prepend(el('div', { class: 'hole' }, `${number(piece.bytes[0] - neighbour.end)} bytes are not in this file`));
    const it = { start: piece.bytes[0], end: piece.bytes[1], node };
    if (before) { this.rows.prepend(node); this.pieces.unshift(it); } else { this.rows.append(node); this.pieces.push(it); }
    return it;
  }

  row(row) {
    const { shown, read } = this.parts;
    const kind = within(shown, row.at) ? 'shown' : within(read, row.at) ? 'read' : 'cut';
    const label = { shown: 'shown to the agent', read: 'read later', cut: 'cut' }[kind];
    const failed = this.failed.has(row.at) ? ' failure' : '';
    const node = el('div', { class: `row ${kind}${failed}`, 'data-at': row.at, title: label },
      el('span', { class: 'number' }, row.line ? String(row.line) : '·'), line(row.text));
    if (!row.missing) return node;
    return el('div', {}, el('div', { class: 'hole' }, `${number(row.missing)} bytes were not saved here`), node);
  }

  /// Loads pieces until the screen is full, and drops pieces that are far away.
  async fill() {
    for (let round = 0; round < 6 && this.pieces.length; round += 1) {
      const { scrollTop, scrollHeight, clientHeight } = this.rows;
      const first = this.pieces[0];
      const last = this.pieces[this.pieces.length - 1];
      if (scrollHeight - scrollTop - clientHeight < 1200 && last.end < this.total) {
        const piece = await this.load({ from: last.end });
        if (last !== this.pieces[this.pieces.length - 1]) return;
        if (piece.bytes[1] <= last.end) return;
        this.add(piece, false);
        if (this.pieces.length > MOST_PIECES && this.rows.scrollTop > 2000) this.drop(0);
      } else if (scrollTop < 800 && first.start > 0) {
        const piece = await this.load({ to: first.start });
        if (first !== this.pieces[0]) return;
        if (piece.bytes[0] >= first.start) return;
        const before = this.rows.scrollHeight;
        this.add(piece, true);
        this.rows.scrollTop += this.rows.scrollHeight - before;
        if (this.pieces.length > MOST_PIECES) this.drop(this.pieces.length - 1);
      } else {
        return;
      }
    }
  }

  drop(at) {
    const [gone] = this.pieces.splice(at, 1);
    const before = this.rows.scrollHeight;
    gone.node.remove();
    if (at === 0) this.rows.scrollTop -= before - this.rows.scrollHeight;
  }

  scrolled() {
    this.draw();
    if (this.busy) return;
    this.busy = true;
    this.fill().catch((error) => this.rows.append(trouble(error))).finally(() => { this.busy = false; this.draw(); });
  }

  /// Returns the byte at the top of the screen.
  place() {
    const top = this.rows.getBoundingClientRect().top;
    for (const piece of this.pieces) {
      if (piece.node.getBoundingClientRect().bottom < top) continue;
      for (const row of piece.node.querySelectorAll('.row')) {
        if (row.getBoundingClientRect().bottom > top) return Number(row.dataset.at);
      }
    }
    return 0;
  }

  setFailures(places) {
    this.failures = places;
    this.failed = new Set(places);
    for (const row of this.rows.querySelectorAll('.row')) row.classList.toggle('failure', this.failed.has(Number(row.dataset.at)));
    this.draw();
  }

  draw() {
    const { map } = this;
    const scale = window.devicePixelRatio || 1;
    map.width = map.clientWidth * scale;
    map.height = map.clientHeight * scale;
    const paint = map.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name);
    const total = Math.max(1, this.total);
    const block = (from, to, name, left, width, least) => {
      paint.fillStyle = colour(name);
      const top = (from / total) * map.height;
      paint.fillRect(left * map.width, top, width * map.width, Math.max(((to - from) / total) * map.height, least * scale));
    };
    paint.fillStyle = colour('--soft');
    paint.fillRect(0, 0, map.width, map.height);
    block(0, total, '--cut', 0.12, 0.5, 1);
    this.parts.read.forEach(([from, to]) => block(from, to, '--read', 0.12, 0.5, 2));
    this.parts.shown.forEach(([from, to]) => block(from, to, '--shown', 0.12, 0.5, 2));
    this.failures.forEach((at) => block(at, at, '--mark', 0.68, 0.32, 2));
    const first = this.place();
    const rows = this.rows.querySelectorAll('.row');
    const bottom = this.rows.getBoundingClientRect().bottom;
    let last = first;
    for (const row of rows) { if (row.getBoundingClientRect().top < bottom) last = Number(row.dataset.at); else break; }
    paint.strokeStyle = colour('--text');
    paint.lineWidth = scale;
    const top = (first / total) * map.height;
    paint.strokeRect(scale / 2, Math.min(top, map.height - 6 * scale), map.width - scale, Math.max(((last - first) / total) * map.height, 5 * scale));
    map.setAttribute('aria-valuenow', String(Math.round((first / total) * 100)));
    map.setAttribute('aria-valuetext', `byte ${number(first)} of ${number(this.total)}`);
  }
}
