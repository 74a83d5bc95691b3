// The search over all outputs. Its matches arrive in parts, the newest outputs first.
'use strict';

/// The time of one part of a search. A long output takes more.
const SEARCH_PART = '300ms';
let searchPart = SEARCH_PART;
/// The number of matches after which the page asks before it searches on.
const MATCHES = 200;

/// Shows the lines of all outputs that match.
async function showSearch(text) {
  const isGone = visit(null);
  state.view = null;
  pattern.value = text;
  const title = el('span', {}, `Searching for “${text}” …`);
  const found = el('div', {});
  detail.replaceChildren(el('h2', { class: 'pad' }, el('a', { class: 'back', href: '#/' }, '← '), title), found);
  try {
    const any = await searchOn(text, null, found, isGone);
    if (!isGone()) title.textContent = any ? `Lines with “${text}”` : `No line matches “${text}”`;
  } catch (error) {
    if (!isGone()) detail.replaceChildren(trouble(error));
  }
}

/// Searches on from a place, part by part, and adds the matches to `found`. Tells whether there is a match.
async function searchOn(text, from, found, isGone) {
  const progress = el('p', { class: 'pad faint searching' }, 'Searching …');
  found.append(progress);
  let [matches, before, place] = [0, null, from];
  for (;;) {
    const part = await ask('grep', { regexp: text, 'ignore-case': true, from: place, within: searchPart });
    if (isGone()) return false;
    for (const hit of part) {
      if (hit.next || hit.not_searched) continue;
      if (hit.id !== before) progress.before(hitHeading(hit.id));
      before = hit.id;
      matches += 1;
      progress.before(el('a', { class: 'hit', href: `#/${encodeURIComponent(hit.id)}/all/${hit.line}` }, el('span', { class: 'number' }, String(hit.line)), line(hit.text.slice(0, 600))));
    }
    const missing = part.find((hit) => hit.not_searched);
    if (missing) progress.before(el('p', { class: 'pad faint' }, el('a', { href: `#/${encodeURIComponent(missing.id)}` }, missing.id.slice(-6).toLowerCase()), `: ${missing.what}`));
    const next = part.find((hit) => hit.next);
    // The pattern before it can have `--from`, too.
    place = next && (/.*--from[ =](\S+)/s.exec(next.next) || [])[1];
    if (!place) break;
    place = place.replace(/'/g, '');
    if (matches >= MATCHES) {
      const more = el('button', { class: 'more', type: 'button', onclick: () => { more.remove(); searchOn(text, place, found, isGone).catch((error) => say(error.message)); } }, `Continue the search (${next.what})`);
      found.append(more);
      break;
    }
    progress.textContent = `Searching … ${next.what}`;
  }
  progress.remove();
  return matches > 0;
}

function hitHeading(id) {
  const known = state.outputs.find((it) => it.id === id);
  const name = known && known.record.call.command ? known.record.call.command : id;
  return el('div', { class: 'session' }, el('a', { href: `#/${encodeURIComponent(id)}` }, line(name.slice(0, 200))));
}
