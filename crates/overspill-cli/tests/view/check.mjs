// Drives the page of `overspill view` in Chromium as a person would: list, tabs, search, compare, export, keys, 400 px, dark.
//
//     node crates/overspill-cli/tests/view/check.mjs target/debug/overspill [DIRECTORY FOR PICTURES]
//
// It prints a line for each check, and exits with 1 if a check fails. Without Chromium it prints a line and exits with 0.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Chromium, sleep } from './chromium.mjs';

const program = resolve(process.argv[2]);
const pictures = process.argv[3];
const browserProgram = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!browserProgram) {
  console.log('skipped: Chromium is not installed');
  process.exit(0);
}
if (pictures) mkdirSync(pictures, { recursive: true });

const home = mkdtempSync(join(tmpdir(), 'overspill-view-'));
const env = { PATH: process.env.PATH, LANG: process.env.LANG, HOME: home, OVERSPILL_DIR: join(home, 'store'), XDG_CONFIG_HOME: join(home, 'config') };
const project = join(home, 'shop');
mkdirSync(project);

/// Runs the program and returns its stdout.
function run(words, more) {
  const done = spawnSync(program, words, { env: { ...env, ...more }, cwd: project, maxBuffer: 1 << 28 });
  return done.stdout.toString();
}
const shell = (script, more, options) => run(['run', ...(options || []), '--', 'sh', '-c', script], more);
const newest = () => JSON.parse(run(['list', '--json', '--limit', '1'])).id;

// Runs the same tests twice with different results. The preview cuts some of the failures.
const tests = 'n=$(cat count 2>/dev/null || echo 40); echo $((n + 30)) > count; i=0; while [ $i -lt 4000 ]; do i=$((i + 1)); '
  + 'if [ $((i % 53)) = 7 ] && [ $i -lt $((n * 53)) ]; then printf "test cart::case_%s ... \\033[31mFAILED\\033[0m\\n  error: expected %s items\\n" $i $i; else echo "test cart::case_$i ... ok"; fi; done; echo "test result: FAILED"; exit 1';
const agent = { CLAUDECODE: '1', OVERSPILL_SESSION: 'agent-1' };
shell(tests, agent, ['--max-bytes', '3KiB']);
const shown = shell(tests, agent, ['--max-bytes', '3KiB']);
const failing = newest();
run(['read', failing, '--lines', '2000-2010'], agent);
const attack = '<script>document.title="pwned"</script></script><img src=x onerror="document.title=1"><svg onload=document.title=2>'
  + '\\033]0;pwned\\007\\033[2J\\033[31mred\\033[0m\\0\\342\\200\\256bidi\\302\\255\\363\\240\\201\\201 &lt;b&gt; javascript:alert(1)';
shell(`i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); printf '${attack} line %s\\n' $i; done`, {}, []);
const hostile = newest();
shell('head -c 20000000 /dev/zero | tr "\\0" x');
const oneLine = newest();
shell('seq 1 3000000');
const large = newest();
// The store keeps only the first and the last 150 KiB. Every thousandth line has a sign of failure.
const partialLog = 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); if [ $((i % 1000)) = 999 ]; then echo "error: step $i broke"; else echo "step $i passed"; fi; done; exit 1';
shell(partialLog, { OVERSPILL_STORE_MAX_OUTPUT: '300KiB' }, ['--max-bytes', '1KiB']);
const partial = newest();

const view = spawn(program, ['view'], { env, cwd: project, stdio: ['ignore', 'pipe', 'ignore'] });
const address = await new Promise((done) => { view.stdout.once('data', (bytes) => done(String(bytes).trim())); });
const browser = new Chromium(browserProgram);
const page = await browser.page();
let failed = 0;
let pictureNumber = 0;

async function check(what, work) {
  try {
    const wrong = await work();
    if (wrong !== undefined && wrong !== true) throw new Error(`found ${JSON.stringify(wrong)}`);
    console.log(`ok      ${what}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${what}: ${error.message}`);
    await page.slow(0);
  }
  if (pictures) await page.picture(join(pictures, `${String((pictureNumber += 1)).padStart(2, '0')}-${what.replace(/\W+/g, '-').slice(0, 40)}.png`));
}
const same = (found, wanted) => (JSON.stringify(found) === JSON.stringify(wanted) ? true : found);
const text = (where) => page.run(`(document.querySelector(${JSON.stringify(where)}) || {}).textContent`);
const go = async (place, where) => {
  await page.run(`location.hash = ${JSON.stringify(place)}`);
  if (where) await page.until(`document.querySelector(${JSON.stringify(where)})`, `${place}: ${where}`);
};

/// Opens a tab of an output and waits until it is ready.
const openTab = async (id, tab) => {
  await page.run(`location.hash = ${JSON.stringify(`#/${id}/${tab}`)}`);
  await page.until(`state.view && state.view.id === ${JSON.stringify(id)} && state.view.ready === ${JSON.stringify(tab)}`, `${tab} of ${id}`);
};

try {
  await page.size(1280, 800, false);
  await page.open(address);

  await check('list: sessions, commands, bars and cut failures', async () => {
    await page.until('document.querySelectorAll(".call").length === 6', 'six outputs');
    const bars = await page.run('[...document.querySelectorAll(".call .bar")].every((bar) => bar.getAttribute("aria-label").includes("cut"))');
    const sessions = await page.run('[...document.querySelectorAll("#calls .session")].map((it) => it.textContent.split(" · ")[0])');
    return same([bars, sessions], [true, ['no session', 'session agent-1']]);
  });
  await check('list: filter by failed', async () => {
    await page.run('document.getElementById("filter-failed").click()');
    await page.until('document.querySelectorAll(".call").length === 3', 'three failed outputs');
    await page.run('document.getElementById("filter-failed").click()');
    await page.until('document.querySelectorAll(".call").length === 6', 'all outputs again');
  });
  await check('list: a late answer for an earlier filter changes nothing', async () => {
    const click = 'document.getElementById("filter-failed").click()';
    await page.run('window.lists = new Set(); new MutationObserver(() => lists.add(document.querySelectorAll(".call").length)).observe(rows, { childList: true })');
    const late = 'window.fetch = (...words) => new Promise((done) => { setTimeout(() => done(send(...words)), 900); });';
    await page.run(`{ const send = window.fetch; ${late} ${click}; window.fetch = send; ${click}; }`);
    await sleep(1500);
    return same(await page.run('[...lists]'), []);
  });
  await check('list: filter by host', async () => {
    await page.run('{ const it = document.getElementById("filter-host"); it.value = "claude-code"; it.dispatchEvent(new Event("change")); }');
    await page.until('document.querySelectorAll(".call").length === 2', 'two outputs of the host');
    await page.run('{ const it = document.getElementById("filter-host"); it.value = ""; it.dispatchEvent(new Event("change")); }');
    await page.until('document.querySelectorAll(".call").length === 6', 'all outputs again');
  });
  await check('keys: j, j, j, Enter opens an output', async () => {
    await page.run('document.body.focus()');
    await page.key('j');
    await page.key('j');
    await page.key('j');
    await page.key('Enter');
    await page.until(`location.hash.includes(${JSON.stringify(oneLine)})`, 'the third output');
    await page.until('document.querySelector("pre.seen")', 'Seen');
  });
  await check('seen: exactly the bytes that overspill printed', async () => {
    await openTab(failing, 'seen');
    return same([await text('pre.seen') === shown, await text('.proof')], [true, 'exact']);
  });
  await check('head: command, directory, exit code, size, tokens', async () => {
    const facts = await text('.facts');
    const wanted = ['directory', project, 'exit code1', 'ran for', 'sent to the agent', 'saved tokens', 'claude-code', 'session'];
    return same(wanted.filter((it) => !facts.includes(it)), []);
  });
  await check('banner: cut failures lead to their lines', async () => {
    await page.until('/line/.test((document.querySelector(".banner li button") || {}).textContent)', 'a line number');
    const line = await page.run('Number(document.querySelector(".banner li button").textContent.replace(/\\D/g, ""))');
    await page.run('document.querySelector(".banner li button").click()');
    const here = await page.until('(document.querySelector(".row.here .number") || {}).textContent', 'the row');
    return same(Number(here), line);
  });
  await check('all: colours of shown, read later and cut parts; marks of failures', async () => {
    await page.until('/sign/.test(document.querySelector(".key.failure").textContent)', 'marks');
    await page.run('document.querySelector(".tools form input").value = "2000"; document.querySelector(".tools form").requestSubmit()');
    await page.until('[...document.querySelectorAll(".row.read .number")].some((it) => it.textContent === "2002")', 'a row that was read later');
    return page.run('document.querySelectorAll(".row.cut").length > 10 && document.querySelectorAll(".row.failure").length > 0');
  });
  await check('all: n goes to the next sign of failure', async () => {
    await page.run('document.querySelector(".tools form input").blur()');
    const before = await page.run('(document.querySelector(".row.here") || {dataset: {}}).dataset.at');
    await page.key('n');
    await page.until(`(document.querySelector(".row.here.failure") || {dataset: {}}).dataset.at !== ${JSON.stringify(before)}`, 'another row');
  });
  await check('all: n, N, Home and End start from the place on the screen', async () => {
    const here = 'Number((document.querySelector(".row.here") || { dataset: {} }).dataset.at)';
    const to = async (key, at) => {
      await page.key(key);
      await page.until(`${here} === ${at}`, `${key} to byte ${at}`);
    };
    const first = async (line) => page.until(`(() => { const top = document.querySelector(".rows").getBoundingClientRect().top; const row = [...document.querySelectorAll(".row")].find((it) => it.getBoundingClientRect().bottom > top + 1); return row && row.firstChild.textContent === "${line}"; })()`, `line ${line} at the top`);
    await openTab(failing, 'all');
    const failures = await page.until('state.view.whole.failures.length > 20 && state.view.whole.failures', 'marks');
    await page.run('document.activeElement.blur()');
    await page.key('Home', { code: 'Home', windowsVirtualKeyCode: 36 });
    await first(1);
    await to('n', failures[0]);
    await to('n', failures[1]);
    await page.key('Home', { code: 'Home', windowsVirtualKeyCode: 36 });
    await first(1);
    await to('n', failures[0]);
    await page.run('document.querySelector(".tools form input").value = "900"; document.querySelector(".tools form").requestSubmit(); document.activeElement.blur()');
    await page.until('(document.querySelector(".row.here .number") || {}).textContent === "900"', 'line 900');
    const line900 = await page.run(here);
    await to('n', failures.find((at) => at > line900));
    await page.key('End', { code: 'End', windowsVirtualKeyCode: 35 });
    await page.until('/test result/.test((document.querySelector(".row.here") || {}).textContent)', 'the last line');
    const end = await page.run(here);
    await to('N', [...failures].reverse().find((at) => at < end));
    // The marked row is no longer on the screen.
    await page.run('document.querySelector(".rows").scrollTop = 0; state.view.whole.go(0)');
    await first(1);
    await page.run('document.querySelector(".rows").scrollTop = 3000');
    await sleep(300);
    const top = await page.run('state.view.whole.place()');
    await to('n', failures.find((at) => at >= top));
  });
  await check('all: a line that does not exist, or was not saved, gets a clear word', async () => {
    const goTo = async (typed, said) => {
      await page.run(`document.getElementById("says").textContent = ""; document.querySelector(".tools form input").value = ${JSON.stringify(typed)}; document.querySelector(".tools form").requestSubmit()`);
      await page.until(`document.getElementById("says").textContent === ${JSON.stringify(said)}`, said);
    };
    await openTab(large, 'all');
    await page.run('state.view.whole.go(0, 2000000)');
    await page.until('(document.querySelector(".row.here .number") || {}).textContent === "2000000"', 'line 2,000,000');
    await goTo('3,000,001', 'there is no line 3,000,001: the output has 3,000,000 lines');
    await goTo('end', 'type the number of a line, such as 120');
    const still = await page.run('document.querySelector(".row.here .number").textContent');
    await openTab(partial, 'all');
    await goTo('30000', 'line 30,000 was not saved: this is the nearest saved line before it');
    return same(still, '2000000');
  });
  await check('why: each reason leads to its lines', async () => {
    await openTab(failing, 'why');
    await page.until('document.querySelectorAll(".panel.why tbody tr").length > 3', 'parts');
    const words = await text('.panel.why');
    if (!words.includes('A word of failure') || !words.includes('The limits were')) return words;
    await page.run('document.querySelectorAll(".panel.why tbody button")[2].click()');
    await page.until('document.querySelector(".row.here.shown")', 'the shown row');
    return true;
  });
  await check('compare: side by side with the earlier run', async () => {
    await page.key('4');
    await page.until('document.querySelector(".sides .new") && document.querySelector(".sides .gone")', 'both sides');
    return (await text('.panel.diff')).includes('newly failing') || await text('.panel.diff');
  });
  await check('what if: other limits and their effect', async () => {
    await page.key('5');
    await page.until('document.querySelector("[name=bytes]")', 'the form');
    await page.run('document.querySelector("[name=bytes]").value = "20KiB"; document.querySelector(".form").requestSubmit()');
    await page.until('/would be shown/.test(document.querySelector(".panel.if").textContent)', 'the effect');
    await page.run('document.querySelector("[name=bytes]").value = "x"; document.querySelector(".form").requestSubmit()');
    await page.until('document.querySelector(".panel.if .bad")', 'an error');
  });
  await check('pin and unpin', async () => {
    const button = '[...document.querySelectorAll(".actions button")].find((it) => /pin/i.test(it.textContent))';
    await page.run(`${button}.click()`);
    await page.until(`${button}.textContent === "Unpin"`, 'pinned');
    if (!run(['list', '--json']).includes('"pinned":true')) return 'not pinned';
    await page.run(`${button}.click()`);
    await page.until(`${button}.textContent === "Pin"`, 'unpinned');
    return true;
  });
  await check('search: finds lines and leads to them', async () => {
    await page.key('/');
    await page.type('case_1777 ');
    await page.key('Enter');
    await page.until('document.querySelectorAll("#detail .hit").length === 2', 'two lines');
    await page.run('document.querySelector("#detail .hit").click()');
    await page.until('/case_1777/.test((document.querySelector(".row.here") || {}).textContent)', 'the line');
  });
  await check('search: an invalid pattern shows an error', async () => {
    await go('#/search/(', '#detail .bad');
    return (await text('#detail .bad')).includes('not a regular expression');
  });
  await check('stats: sums and plots', async () => {
    await go('#/stats', '.plot .bar');
    return (await text('.sums')).includes('saved');
  });
  await check('list: no row is highlighted while statistics or a search is shown', async () => {
    const highlighted = 'document.querySelectorAll(".call[aria-current=true]").length';
    const found = [];
    for (const [place, where] of [['#/stats', '.plot .bar'], ['#/search/case_1777%20', '#detail .hit']]) {
      await openTab(failing, 'seen');
      found.push(await page.run(highlighted));
      await go(place, where);
      found.push(await page.run(highlighted));
    }
    return same(found, [1, 0, 1, 0]);
  });
  await check('a late answer does not replace what the user has opened since', async () => {
    await page.slow(700);
    await go('#/stats');
    await go(`#/${failing}/seen`);
    await page.slow(0);
    await page.until('document.querySelector("pre.seen")', 'Seen');
    await sleep(1500);
    return page.run('Boolean(document.querySelector("pre.seen"))');
  });
  await check('a slow tab says that overspill reads', async () => {
    await openTab(failing, 'seen');
    await page.slow(1500);
    await page.key('3');
    await page.until('/overspill reads/.test(document.querySelector(".panel").textContent)', 'the sentence in Why');
    await page.until('state.view.ready === "why"', 'Why');
    await page.key('2');
    await page.until('/overspill reads/.test(document.querySelector(".panel").textContent)', 'the sentence in All');
    await page.until('state.view.ready === "all"', 'All');
    await page.slow(0);
    const isGone = await page.run('!/overspill reads/.test(document.querySelector(".panel").textContent)');
    // After slow answers the page asks less often for the list.
    await page.send('Page.reload');
    await page.until('document.querySelectorAll(".call").length === 6', 'the list');
    return isGone;
  });
  await check('a slow tab keeps the lines that are there', async () => {
    await openTab(large, 'all');
    await page.slow(200);
    await page.run('state.view.whole.go(0, 1000000)');
    await page.until('(document.querySelector(".row.here .number") || {}).textContent === "1000000"', 'the line');
    await page.slow(0);
    await sleep(800);
    return page.run('(document.querySelector(".row.here .number") || {}).textContent === "1000000"');
  });
  await check('search: the matches of a long search arrive in parts', async () => {
    // A part of no time has one output.
    await page.run('searchPart = "0ms"; performance.clearResourceTimings()');
    await go('#/search/case_1777%20', '#detail .hit');
    await page.until('/^Lines/.test(document.querySelector("#detail h2").textContent.replace(/^\\W+/, "")) && !document.querySelector("#detail .searching")', 'the end');
    const hits = await page.run('document.querySelectorAll("#detail .hit").length');
    const parts = await page.run('performance.getEntriesByType("resource").filter((it) => it.name.includes("api/grep")).length');
    await go('#/search/no_such_word');
    await page.until('/No line matches/.test(document.querySelector("#detail h2").textContent)', 'no match');
    await page.run('searchPart = SEARCH_PART');
    return same([hits, parts], [2, 6]);
  });
  await check('hostile output: the browser shows it only as text', async () => {
    for (const tab of ['seen', 'why', 'if', 'all']) await openTab(hostile, tab);
    const found = await page.run('({ title: document.title, elements: document.querySelectorAll("#detail script, #detail img, #detail svg, #detail b, #calls img, #calls script").length, row: document.querySelector(".row .line").textContent })');
    const whole = found.row.includes('<script>document.title="pwned"</script>') && found.row.includes('U+202E') && found.row.includes('U+E0041') && found.row.includes('U+00AD') && found.row.includes('NUL') && found.row.includes('ESC[2J');
    return same([found.title, found.elements, whole], ['overspill', 0, true]);
  });
  await check('one line of 20 MB: loads in pieces', async () => {
    await openTab(oneLine, 'all');
    const before = page.bytes;
    await page.run('document.querySelector(".rows").focus()');
    await page.key('End', { code: 'End', windowsVirtualKeyCode: 35 });
    await page.until('Number([...document.querySelectorAll(".row")].pop().dataset.at) > 19990000', 'the end');
    return page.bytes - before < 1000000 || page.bytes - before;
  });
  await check('large output: start, end, a line and back', async () => {
    await openTab(large, 'all');
    await page.run('document.querySelector(".rows").focus()');
    await page.key('End', { code: 'End', windowsVirtualKeyCode: 35 });
    await page.until('[...document.querySelectorAll(".row .number")].pop().textContent === "3000000"', 'the last line');
    await page.run('document.querySelector(".rows").scrollTop = 0');
    await page.until('Number(document.querySelector(".row .number").textContent) < 2999300', 'earlier lines');
    const numbers = await page.run('[...document.querySelectorAll(".row")].map((it) => [it.children[0].textContent, it.children[1].textContent])');
    if (!numbers.every(([number, line], at) => number === line && (at === 0 || Number(number) === Number(numbers[at - 1][0]) + 1))) return 'rows are not in order';
    await page.run('document.querySelector(".tools form input").value = "1,234,567"; document.querySelector(".tools form").requestSubmit()');
    await page.until('(document.querySelector(".row.here .line") || {}).textContent === "1234567"', 'the line');
    await page.until('(() => { const row = document.querySelector(".row.here").getBoundingClientRect(); const box = document.querySelector(".rows").getBoundingClientRect(); return row.top >= box.top && row.bottom <= box.bottom; })()', 'the line on the screen');
    await sleep(500);
    return page.run('(() => { const row = document.querySelector(".row.here").getBoundingClientRect(); const box = document.querySelector(".rows").getBoundingClientRect(); return row.top >= box.top && row.bottom <= box.bottom; })()');
  });
  await check('partial output: each failure leads to its line, or is not saved', async () => {
    await openTab(partial, 'seen');
    await page.until('document.querySelectorAll(".banner li").length > 40', 'the failures');
    const wanted = await page.run('[...document.querySelectorAll(".banner li")].map((it) => (it.querySelector("button") ? "saved" : it.textContent))');
    const last = await page.run('(() => { const all = [...document.querySelectorAll(".banner li button")]; all[all.length - 1].click(); return all.length; })()');
    const row = await page.until('(document.querySelector(".row.here .line") || {}).textContent', 'the row');
    const map = await page.run('Math.max(...state.view.whole.parts.shown.map((it) => it[1])) <= state.view.whole.total');
    return same([/^error: step [45]\d+999 broke$/.test(row), map, last < wanted.length, wanted.some((it) => it.includes('not saved'))], [true, true, true, true]);
  });
  await check('live: tab and place stay if the command ends', async () => {
    const child = spawn(program, ['run', '--', 'sh', '-c', 'seq 1 30000; sleep 9; echo the end'], { env, cwd: project, stdio: 'ignore' });
    const running = '((state.outputs.find((it) => (it.record || {}).running) || {}).id)';
    const id = await page.until(running, 'a running output');
    await openTab(id, 'all');
    await page.run('state.view.whole.go(0, 20000)');
    // The number of bytes that were sent is not known yet, so nothing was saved or cut.
    const sums = await page.run(`[document.querySelector('.call[data-id="${id}"]').textContent, document.querySelector('.call[data-id="${id}"] .bar').getAttribute('aria-label'), document.querySelector('.facts').textContent]`);
    const wrong = sums.filter((it) => /→|cut|saved tokens|0 bytes/.test(it));
    await new Promise((done) => { child.on('exit', done); });
    await page.until('!state.view.output.record.running', 'the end');
    await page.until('state.view.ready', 'the tab');
    await sleep(300);
    const numbers = await page.run('(() => { const box = document.querySelector(".rows").getBoundingClientRect(); return [...document.querySelectorAll(".row")].filter((it) => { const row = it.getBoundingClientRect(); return row.bottom > box.top && row.top < box.bottom; }).map((it) => Number(it.firstChild.textContent)); })()').catch(() => []);
    run(['rm', id]);
    return same([await page.run('state.view.tab'), numbers.includes(20000), wrong], ['all', true, []]);
  });
  await check('a broken address shows an error', async () => {
    await go('#/%E0%A4%A');
    await page.until('/there is no output/.test(document.getElementById("detail").textContent)', 'the error');
  });
  await check('live: a new output appears', async () => {
    await go('#/');
    shell('echo live; seq 1 40000');
    await page.until('document.querySelectorAll(".call").length === 7', 'seven outputs');
  });
  await check('an output that was deleted meanwhile shows an error', async () => {
    const id = newest();
    await openTab(id, 'seen');
    run(['rm', id]);
    await page.key('2');
    await page.until('/there is no output/.test(document.getElementById("detail").textContent)', 'the error');
  });
  await check('delete from the page', async () => {
    await openTab(hostile, 'seen');
    await page.run('[...document.querySelectorAll(".actions button")].find((it) => it.textContent === "Delete").click()');
    await page.until('document.querySelectorAll(".call").length === 5', 'one output less');
    return run(['list', '--json']).includes(hostile) ? 'the output is still in the store' : true;
  });
  await check('hostile names: tools, sessions and directories are only text', async () => {
    const odd = '</div><img src=x onerror="document.title=1">\u202eevil\u200f\u001b[31mred\u001b]0;t\u0007';
    const directory = join(home, '\u202edir');
    mkdirSync(directory);
    const call = { session_id: odd, cwd: directory, hook_event_name: 'PostToolUse', tool_name: `mcp__x__${odd.repeat(3)}`, tool_input: { x: odd }, tool_response: { content: [{ type: 'text', text: `${odd}\n`.repeat(2000) }] } };
    spawnSync(program, ['hook', 'claude-code'], { env: { ...env, ...agent }, cwd: directory, input: JSON.stringify(call) });
    const id = newest();
    const found = [];
    for (const place of ['', '/seen', '/all', '/why', '/stats']) {
      if (place === '/stats') await go('#/stats', '.plot .bar');
      else if (place) await openTab(id, place.slice(1));
      else await page.until(`document.querySelector('.call[data-id="${id}"]')`, 'the row');
      found.push(await page.run('[document.title, document.images.length, /[\\u202e\\u200f\\u001b\\u0007]/.test(document.body.innerText), /U\\+202E/.test(document.body.innerText), document.getElementById("detail").scrollWidth <= document.getElementById("detail").clientWidth]'));
    }
    run(['rm', id]);
    return same(found, Array(5).fill(['overspill', 0, false, true, true]));
  });
  await check('list: calls of two sessions in turns have one heading each, and filters offer their names', async () => {
    const turns = ['agent-2', 'agent-3', 'agent-2'].map((session, nth) => { shell(`seq 1 ${30000 + nth}`, { OVERSPILL_SESSION: session }); return newest(); });
    await page.until(`document.querySelector('.call[data-id="${turns[2]}"]')`, 'the new rows');
    const sessions = await page.run('[...document.querySelectorAll("#calls .session")].map((it) => it.textContent.split(" · ")[0])');
    const offered = await page.run('[...document.querySelectorAll("#known-directory option")].map((it) => it.value)');
    turns.forEach((id) => run(['rm', id]));
    return same([sessions.slice(0, 2), sessions.length, offered.includes(project)], [['session agent-2', 'session agent-3'], 4, true]);
  });
  await check('search: a pattern that looks like an option', async () => {
    shell('i=0; while [ $i -lt 400 ]; do i=$((i + 1)); echo "try --from 5 times, $i"; done; seq 1 30000');
    const id = newest();
    await page.run('searchPart = "0ms"');
    await go(`#/search/${encodeURIComponent('--from 5')}`, '#detail .hit');
    await page.until('document.querySelector("#detail .more")', 'the question after 200 lines');
    await page.run('document.querySelector("#detail .more").click()');
    await page.until('new Set([...document.querySelectorAll("#detail .hit .number")].map((it) => it.textContent)).size === 400 && !document.querySelector("#detail .searching")', 'all lines');
    await page.run('searchPart = SEARCH_PART');
    run(['rm', id]);
  });
  await check('what if: the effect on JSON, and on an output that is not text', async () => {
    shell('echo "["; i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); echo "{\\"id\\":$i,\\"name\\":\\"a longer name of case $i\\"},"; done; echo "{}]"');
    const json = newest();
    shell('head -c 300000 /dev/zero');
    const binary = newest();
    const found = [];
    for (const id of [json, binary]) {
      await openTab(id, 'if');
      await page.run('document.querySelector("[name=bytes]").value = "4KiB"; document.querySelector(".form").requestSubmit()');
      await page.until('/would be shown/.test(document.querySelector(".panel.if").textContent)', 'the effect');
      found.push(/(\d\.\d KiB of shorter JSON|Only a notice) would be shown.*(fewer than the agent got|not text)/.exec(await text('.panel.if'))?.slice(1));
      run(['rm', id]);
    }
    return same([found[0]?.[1], found[1]], ['fewer than the agent got', ['Only a notice', 'not text']]);
  });
  await check('a time is rounded to whole seconds first', () => page.run('JSON.stringify([99_900, 119_600, 5_999_700].map(duration))').then((it) => same(it, '["99.9 s","2 min 0 s","1.7 h"]')));
  await check('narrow and dark: nothing is wider than the screen', async () => {
    await page.size(400, 800, true);
    const wide = [];
    for (const place of ['#/', `#/${failing}/seen`, `#/${failing}/all`, `#/${failing}/why`, `#/${failing}/diff`, `#/${failing}/if`, '#/stats']) {
      const [, id, tab] = place.split('/');
      if (tab) await openTab(id, tab); else await go(place);
      await sleep(300);
      if (await page.run('[document.documentElement, ...document.querySelectorAll("#calls, #detail, .panel")].some((it) => it.scrollWidth > Math.max(it.clientWidth, 0) + 1 && it.clientWidth > 0)')) wide.push(place);
      if (pictures) await page.picture(join(pictures, `narrow-${place.split('/').pop() || 'list'}.png`));
    }
    const dark = await page.run('getComputedStyle(document.body).backgroundColor');
    return same([wide, dark], [[], 'rgb(20, 23, 27)']);
  });
  await check('no error in the console', () => same(page.errors.filter((it) => !/422/.test(it)), []));

  await check('export: one file shows the same without a server', async () => {
    const file = join(home, 'report.html');
    run(['view', failing, '--html', file]);
    await page.size(1280, 800, false);
    page.errors.length = 0;
    await page.open(`file://${file}`);
    await page.until('document.querySelector("pre.seen")', 'Seen');
    const exact = await text('pre.seen') === shown;
    await page.key('2');
    await page.until('document.querySelectorAll(".row").length > 100', 'All');
    await page.key('3');
    await page.until('document.querySelectorAll(".panel.why tbody tr").length > 3', 'Why');
    return same([exact, page.errors, /https?:\/\//.test(readFileSync(file, 'utf8').replace(/"filed".*/s, ''))], [true, [], false]);
  });
  await check('output in a transcript: the word that the preview lacks leads to its line', async () => {
    const file = join(home, 'session.jsonl');
    copyFileSync(new URL('../transcripts/pi.jsonl', import.meta.url), file);
    const [loss] = JSON.parse(run(['audit', '--json', file])).losses;
    run(['view', `${file}:${loss.line}`, '--max-chars', '2000', '--html', `${file}.html`]);
    page.errors.length = 0;
    await page.open(`file://${file}.html`);
    await page.until('document.querySelector("pre.seen")', 'Seen');
    const [proof, tabs, size] = [await text('.proof'), await text('.tabs'), await text('.facts')];
    await page.run('document.querySelector(".banner button").click()');
    await page.until('/module_0077/.test((document.querySelector(".row.here.cut") || {}).textContent)', 'the line');
    return same([proof, tabs, size.includes('with overspill'), page.errors], ['replayed', 'SeenAllWhy', true, []]);
  });
  await check('an empty store gets a sentence', async () => {
    const other = spawn(program, ['view'], { env: { ...env, OVERSPILL_DIR: join(home, 'empty') }, cwd: project, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await page.open(await new Promise((done) => { other.stdout.once('data', (bytes) => done(String(bytes).trim())); }));
      await page.until('/No saved outputs yet/.test((document.querySelector("#calls p") || {}).textContent)', 'the sentence');
    } finally {
      other.kill();
    }
  });
  await check('another browser cannot use the address again', async () => {
    await page.open(address);
    await page.until('/works once/.test(document.body.textContent)', 'the refusal');
  });
} finally {
  await browser.end();
  view.kill();
  rmSync(home, { recursive: true, force: true });
}
console.log(failed ? `${failed} checks failed` : 'all checks passed');
process.exit(failed ? 1 : 0);
