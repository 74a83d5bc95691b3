// Takes docs/view.png: a screenshot of `overspill view` after a failing test run of Python's unittest.
//
//     node crates/overspill-cli/tests/view/picture.mjs target/release/overspill docs/view.png
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Chromium, sleep } from './chromium.mjs';

const [program, file] = process.argv.slice(2).map((word) => resolve(word));
const home = mkdtempSync(join(tmpdir(), 'overspill-picture-'));
const project = join(home, 'shop');
mkdirSync(project);
writeFileSync(join(project, 'test_shop.py'), `
import unittest
class Cart(unittest.TestCase):
    pass
def case(n):
    def test(self):
        self.assertEqual(n % 71 == 3, False, f"order {n} was sent twice")
    return test
for n in range(2500):
    setattr(Cart, f"test_order_{n:04}", case(n))
`);
const env = { PATH: process.env.PATH, HOME: home, OVERSPILL_DIR: join(home, 'store'), XDG_CONFIG_HOME: join(home, 'config') };
const agent = { ...env, CLAUDECODE: '1', OVERSPILL_SESSION: 'agent-1' };
const run = (words, more) => spawnSync(program, words, { env: more || agent, cwd: project }).stdout.toString();
run(['run', '--', 'find', '/usr/share/doc', '-maxdepth', '2']);
run(['run', '--', 'seq', '1', '200000']);
run(['run', '--max-bytes', '4KiB', '--', 'python3', '-m', 'unittest', '-v']);
run(['read', 'last', '--lines', '2560-2575']);
const { id } = JSON.parse(run(['list', '--json', '--limit', '1']));

const view = spawn(program, ['view', id], { env, cwd: project, stdio: ['ignore', 'pipe', 'ignore'] });
const address = await new Promise((done) => { view.stdout.once('data', (bytes) => done(String(bytes).trim())); });
const browser = new Chromium(['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync));
try {
  const page = await browser.page();
  await page.size(1180, 720, false);
  await page.open(address);
  await page.until('typeof state !== "undefined" && state.view && state.view.ready === "seen"');
  await page.until('document.querySelectorAll(".banner li code:not(:empty)").length > 3 || !state.view.parts.count');
  await page.key('2');
  await page.until('state.view.ready === "all" && state.view.whole.failures.length');
  await page.run('state.view.whole.go(0, 2562)');
  await sleep(1500);
  await page.picture(file);
} finally {
  await browser.end();
  view.kill();
  rmSync(home, { recursive: true, force: true });
}
