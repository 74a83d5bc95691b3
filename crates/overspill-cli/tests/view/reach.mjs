// Measures two things: how fast `overspill view` shows 10,000 outputs, compared with `overspill list`, and how many bytes
// the page transfers for the first screen of a large output.
//
//     node crates/overspill-cli/tests/view/reach.mjs target/release/overspill [BYTES OF THE LARGE OUTPUT]
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Chromium, sleep } from './chromium.mjs';

const program = resolve(process.argv[2]);
const large = Number(process.argv[3] || 1e9);
const home = mkdtempSync(join(tmpdir(), 'overspill-reach-'));
const project = join(home, 'shop');
mkdirSync(project);
const store = join(home, 'store');
const env = { PATH: process.env.PATH, HOME: home, OVERSPILL_DIR: store, XDG_CONFIG_HOME: join(home, 'config'), OVERSPILL_STORE_MAX_OUTPUT: '4GiB' };
const run = (words) => spawnSync(program, words, { env, cwd: project, maxBuffer: 1 << 28 });

for (let n = 0; n < 3; n += 1) run(['run', '--max-bytes', '3KiB', '--', 'sh', '-c', `seq 1 400${n}; echo error: x; seq 1 200; exit 1`]);
const folder = join(store, readdirSync(store).find((name) => !name.startsWith('.')));
const records = join(store, '.overspill', 'records');
const ids = readdirSync(folder).map((name) => name.replace('.txt', ''));
// Make copies with the same time and another random part in the id.
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
for (let n = 3; n < 10000; n += 1) {
  const old = ids[n % 3];
  const id = old.slice(0, 10) + Array.from({ length: 16 }, () => letters[Math.floor(Math.random() * 32)]).join('');
  copyFileSync(join(folder, `${old}.txt`), join(folder, `${id}.txt`));
  copyFileSync(join(records, `${old}.record`), join(records, `${id}.record`));
}

const view = spawn(program, ['view'], { env, cwd: project, stdio: ['ignore', 'pipe', 'ignore'] });
const address = await new Promise((done) => { view.stdout.once('data', (bytes) => done(String(bytes).trim())); });
const browser = new Chromium(['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync));
try {
  const page = await browser.page();
  await page.size(1280, 800, false);
  await page.open(address);
  await page.until('document.querySelectorAll(".call").length');
  const [lists, screens] = [[], []];
  for (let round = 0; round < 10; round += 1) {
    const began = performance.now();
    run(['list']);
    lists.push(performance.now() - began);
    await page.send('Page.reload');
    await sleep(200);
    screens.push(await page.until('(performance.getEntriesByName("first-list")[0] || {}).startTime'));
  }
  const [list, screen] = [Math.min(...lists), Math.min(...screens)];
  console.log(`10,000 outputs: \`overspill list\` ${list.toFixed(0)} ms, first screen ${screen.toFixed(0)} ms after the address is opened: ${(screen / list).toFixed(2)}x`);

  run(['run', '--', 'sh', '-c', `seq 1 1000000000 | head -c ${large}`]);
  const { id, bytes } = JSON.parse(run(['list', '--json', '--limit', '1']).stdout);
  await page.run('location.hash = "#/"');
  await sleep(500);
  const before = page.bytes;
  await page.run(`location.hash = ${JSON.stringify(`#/${id}/all`)}`);
  await page.until('state.view && state.view.ready === "all" && document.querySelectorAll(".row").length');
  await sleep(1500);
  console.log(`All of an output of ${bytes} bytes: ${page.bytes - before} bytes transferred for the first screen, including updates of the list`);
} finally {
  await browser.end();
  view.kill();
  rmSync(home, { recursive: true, force: true });
}
