// Controls Chromium over two pipes with the DevTools protocol. It needs only Node.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

/// A browser with its own profile directory.
export class Chromium {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), 'overspill-chromium-'));
    const options = ['--headless=new', '--no-first-run', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--hide-scrollbars', '--force-color-profile=srgb', `--user-data-dir=${this.profile}`, '--remote-debugging-pipe', 'about:blank'];
    this.child = spawn(program, options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.waiting = new Map();
    this.handlers = [];
    this.number = 0;
    let rest = Buffer.alloc(0);
    this.child.stdio[4].on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.heard(JSON.parse(rest.subarray(0, end)));
        rest = rest.subarray(end + 1);
      }
    });
  }

  heard(message) {
    const waits = this.waiting.get(message.id);
    if (!waits) { this.handlers.forEach((handler) => handler(message)); return; }
    this.waiting.delete(message.id);
    if (message.error) waits.fail(new Error(`${waits.method}: ${message.error.message}`));
    else waits.done(message.result);
  }

  send(method, params, sessionId) {
    this.number += 1;
    const id = this.number;
    this.child.stdio[3].write(`${JSON.stringify({ id, method, params: params || {}, sessionId })}\0`);
    return new Promise((done, fail) => { this.waiting.set(id, { done, fail, method }); });
  }

  async page() {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId);
    await page.send('Page.enable');
    await page.send('Runtime.enable');
    await page.send('Log.enable');
    await page.send('Network.enable');
    return page;
  }

  async end() {
    const gone = new Promise((done) => { this.child.on('exit', done); setTimeout(done, 5000); });
    this.send('Browser.close').catch(() => {});
    await gone;
    this.child.kill();
    // Helper processes of Chromium may still write into the profile for a moment.
    for (let round = 0; round < 20; round += 1) {
      try { rmSync(this.profile, { recursive: true, force: true }); return; } catch { await sleep(100); }
    }
  }
}

class Page {
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
    this.errors = [];
    this.bytes = 0;
    this.confirms = true;
    browser.handlers.push((message) => {
      if (message.sessionId !== session) return;
      if (message.method === 'Runtime.exceptionThrown') this.errors.push(message.params.exceptionDetails.exception?.description || message.params.exceptionDetails.text);
      if (message.method === 'Log.entryAdded' && message.params.entry.level === 'error') this.errors.push(`${message.params.entry.text} ${message.params.entry.url || ''}`);
      if (message.method === 'Network.loadingFinished') this.bytes += message.params.encodedDataLength;
      if (message.method === 'Page.javascriptDialogOpening') {
        this.dialog = message.params.message;
        this.send('Page.handleJavaScriptDialog', { accept: this.confirms });
      }
    });
  }

  send(method, params) { return this.browser.send(method, params, this.session); }

  async open(address) {
    await this.send('Page.navigate', { url: address });
  }

  /// Runs a script in the page and returns its value.
  async run(script) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression: script, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(`${script}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);
    return result.value;
  }

  /// Waits until a script returns a true value, and returns this value.
  async until(script, what) {
    for (let round = 0; round < 400; round += 1) {
      const value = await this.run(script).catch(() => false);
      if (value) return value;
      await sleep(50);
    }
    throw new Error(`timeout while waiting for ${what || script}`);
  }

  async key(key, more) {
    const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text, ...more });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, ...more });
  }

  async type(text) {
    await this.send('Input.insertText', { text });
  }

  async size(width, height, dark) {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
  }

  /// Makes each request take at least this many milliseconds.
  slow(latency) {
    return this.send('Network.emulateNetworkConditions', { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 });
  }

  async picture(file) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    writeFileSync(file, Buffer.from(data, 'base64'));
  }
}
