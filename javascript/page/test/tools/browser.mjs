// Chromium by its debugging protocol, over a pipe: messages are JSON that ends with a NUL. Node 20 has no WebSocket.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const FLAGS = [
  '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run',
  '--disable-component-update', '--remote-debugging-pipe', '--hide-scrollbars', '--mute-audio',
];

export class Browser {
  #calls = new Map();
  #listeners = new Map();
  #next = 1;

  static async start() {
    const browser = new Browser();
    browser.folder = await mkdtemp(path.join(tmpdir(), 'asanoha-page-'));
    const flags = [...FLAGS, `--user-data-dir=${browser.folder}`, 'about:blank'];
    browser.process = spawn('chromium', flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    browser.ended = new Promise((resolve) => browser.process.once('close', resolve));
    const failed = new Promise((_, reject) => {
      browser.process.once('error', () => reject(new Error('Chromium is needed: apt-get install chromium')));
    });
    browser.#listen();
    await Promise.race([browser.send('Browser.getVersion'), failed]);
    return browser;
  }

  #listen() {
    let rest = Buffer.alloc(0);
    this.process.stdio[4].on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.#take(JSON.parse(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 1);
      }
    });
    this.process.stdio[3].on('error', () => {});
  }

  #take({ id, result, error, method, params, sessionId }) {
    if (id === undefined) {
      this.#listeners.get(method)?.forEach((listener) => listener(params, sessionId));
      return;
    }
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error) {
      call?.reject(new Error(`${call.method}: ${error.message}`));
    } else {
      call?.resolve(result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next;
    this.#next += 1;
    const answer = new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject, method }));
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return answer;
  }

  on(method, listener) {
    this.#listeners.set(method, [...(this.#listeners.get(method) ?? []), listener]);
  }

  async stop() {
    await this.send('Browser.close').catch(() => {});
    await this.ended;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Opens a page with storage of its own. */
  async page(address, { width = 1280, height = 900, scheme = 'light', isStill = false } = {}) {
    const { browserContextId } = await this.send('Target.createBrowserContext');
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, browserContextId);
    await page.begin({ width, height, scheme, isStill });
    await page.go(address);
    return page;
  }
}

/** A page, its requests and what it says in the console. */
class Page {
  requests = [];
  problems = [];
  #sessions = new Set();

  constructor(browser, session, context) {
    Object.assign(this, { browser, session, context });
    this.#sessions.add(session);
    browser.on('Target.attachedToTarget', (params, parent) => this.#attached(params, parent));
    browser.on('Network.requestWillBeSent', ({ request, requestId }, from) => {
      if (this.#sessions.has(from)) {
        this.requests.push({ ...request, requestId, from });
      }
    });
    browser.on('Runtime.exceptionThrown', ({ exceptionDetails }, from) => {
      if (this.#sessions.has(from)) {
        this.problems.push(exceptionDetails.exception?.description ?? exceptionDetails.text);
      }
    });
    browser.on('Log.entryAdded', ({ entry }, from) => {
      if (this.#sessions.has(from) && entry.level === 'error') {
        this.problems.push(`${entry.text} ${entry.url ?? ''}`);
      }
    });
    browser.on('Page.javascriptDialogOpening', ({ message }, from) => {
      if (from === this.session) {
        this.dialog = message;
        this.send('Page.handleJavaScriptDialog', { accept: true });
      }
    });
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async begin({ width, height, scheme, isStill }) {
    const most = { maxPostDataSize: 64 << 20, maxTotalBufferSize: 1 << 30, maxResourceBufferSize: 1 << 30 };
    await this.send('Network.enable', most);
    await this.send('Runtime.enable');
    await this.send('Log.enable');
    await this.send('Page.enable');
    await this.send('DOM.enable');
    await this.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    const features = [
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: isStill ? 'reduce' : 'no-preference' },
    ];
    await this.send('Emulation.setEmulatedMedia', { features });
  }

  /** A worker of the page: its requests are recorded too. */
  async #attached({ sessionId, targetInfo }, parent) {
    if (!this.#sessions.has(parent)) {
      return;
    }
    this.#sessions.add(sessionId);
    if (targetInfo.type === 'worker') {
      this.worker = sessionId;
    }
    const ask = (method, params) => this.browser.send(method, params, sessionId).catch(() => {});
    await Promise.all([ask('Network.enable', {}), ask('Runtime.enable'), ask('Log.enable')]);
    await ask('Runtime.runIfWaitingForDebugger');
  }

  async go(address) {
    const loaded = new Promise((resolve) => {
      this.browser.on('Page.loadEventFired', (_, from) => from === this.session && resolve());
    });
    await this.send('Page.navigate', { url: address });
    await loaded;
  }

  /** The value of an expression, in the page or in another session. */
  async evaluate(expression, session = this.session) {
    // The policy of the page holds for the test too.
    const policy = { allowUnsafeEvalBlockedByCSP: false };
    const params = { expression, awaitPromise: true, returnByValue: true, userGesture: true, ...policy };
    const { result, exceptionDetails } = await this.browser.send('Runtime.evaluate', params, session);
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  /** Waits until an expression is truthy; its value. */
  async until(expression, seconds = 120) {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const value = await this.evaluate(expression);
      if (value) {
        return value;
      }
      if (Date.now() > end) {
        const seen = await this.evaluate('document.body.innerText');
        throw new Error(`after ${seconds} s it isn't so: ${expression}\n${seen}\n${this.problems.join('\n')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  text(selector) {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText`);
  }

  isShown(selector) {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.checkVisibility() ?? false`);
  }

  async fill(selector, text) {
    await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
    await this.send('Input.insertText', { text });
  }

  async click(selector) {
    const name = JSON.stringify(selector);
    await this.evaluate(`document.querySelector(${name}).scrollIntoView({ block: 'center', behavior: 'instant' })`);
    const box = await this.evaluate(
      `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector(${name}).getBoundingClientRect())`,
    );
    for (const type of ['mousePressed', 'mouseReleased']) {
      await this.send('Input.dispatchMouseEvent', { type, ...box, button: 'left', clickCount: 1 });
    }
  }

  async press(key, more = {}) {
    const codes = { Tab: 9, Enter: 13, Space: 32, ArrowDown: 40 };
    const text = { Enter: '\r', Space: ' ' }[key];
    const event = { key: key === 'Space' ? ' ' : key, code: key, windowsVirtualKeyCode: codes[key], text, ...more };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event, text: undefined });
  }

  async choose(selector, files) {
    const { root } = await this.send('DOM.getDocument');
    const { nodeId } = await this.send('DOM.querySelector', { nodeId: root.nodeId, selector });
    await this.send('DOM.setFileInputFiles', { nodeId, files });
  }

  /** The bodies of all requests that had one. */
  async bodies() {
    const bodies = [];
    for (const request of this.requests) {
      const { hasPostData, requestId, from, postDataEntries } = request;
      if (postDataEntries?.length > 0) {
        bodies.push({ ...request, body: Buffer.concat(postDataEntries.map(({ bytes }) => Buffer.from(bytes ?? '', 'base64'))) });
      } else if (hasPostData) {
        const { postData } = await this.browser.send('Network.getRequestPostData', { requestId }, from);
        bodies.push({ ...request, body: Buffer.from(postData, 'latin1') });
      }
    }
    return bodies;
  }

  async offline(isOffline) {
    const params = { offline: isOffline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await this.send('Network.emulateNetworkConditions', params);
  }

  async picture() {
    const { cssContentSize } = await this.send('Page.getLayoutMetrics');
    const clip = { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height, scale: 1 };
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip });
    return Buffer.from(data, 'base64');
  }

  async close() {
    await this.browser.send('Target.disposeBrowserContext', { browserContextId: this.context });
  }
}
