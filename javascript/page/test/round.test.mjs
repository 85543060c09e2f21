// The whole round in Chromium, against `asanoha serve` and with the real library.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { unpack, unseal, wrappingKey } from '../seal.js';
import { Browser } from './tools/browser.mjs';
import { look } from './tools/look.mjs';
import { Between, Service, TOP, diabetes, json, rows } from './tools/service.mjs';
import { slow } from './tools/slow.mjs';
import { PASSPHRASE, chooseData, choosePlan, compute, enterToken, makeKeys, openKeys, prepare } from './tools/steps.mjs';

const PICTURES = path.join(TOP, 'target/page-shots');

let browser;
let service;

before(async () => {
  [browser, service] = await Promise.all([Browser.start(), Service.start()]);
});

after(async () => {
  await browser?.stop();
  await service?.stop();
});

/** The results of examples/risk.asa, in the clear. */
async function plain() {
  const [names, ...values] = await rows();
  const at = (row, name) => Number(row[names.indexOf(name)]);
  const scores = values.map((row) => {
    const z = 0.05 * (at(row, 'bmi') - 26) + 0.02 * (at(row, 'bp') - 94) + 0.01 * (at(row, 's5') * 10 - 46);
    return 0.5 + 0.197 * z - 0.004 * z ** 3;
  });
  return { scores, mean: scores.reduce((sum, score) => sum + score, 0) / scores.length };
}

/** A value within the bound that stands beside it. */
function within(text, expected) {
  const [value, bound] = text.split(' ± ').map(Number);
  assert.ok(bound > 0 && bound < 1e-4, text);
  assert.ok(Math.abs(value - expected) <= bound * 1.01, `${text} is not ${expected}`);
}

/** The secret files of the stored keys, opened by their passphrase. */
async function secrets(page) {
  const stored = await page.evaluate(`new Promise((resolve, reject) => {
    const opening = indexedDB.open('asanoha');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const all = opening.result.transaction('keys').objectStore('keys').getAll();
      all.onsuccess = () => resolve(all.result.map(({ id, plan, derivation: { salt, iterations }, secrets: { iv, sealed } }) =>
        ({ id, plan, salt: [...salt], iterations, iv: [...iv], sealed: [...new Uint8Array(sealed)] })));
    };
  })`);
  assert.equal(stored.length, 1);
  const [{ id, plan, salt, iterations, iv, sealed }] = stored;
  assert.ok(iterations >= 600_000);
  const key = await wrappingKey(PASSPHRASE, { salt: Uint8Array.from(salt), iterations });
  const files = unpack(await unseal(key, 'secrets', { id, plan }, { iv: Uint8Array.from(iv), sealed: Uint8Array.from(sealed) }));
  return { files, sealed: Buffer.from(sealed) };
}

/** Pieces of bytes to search for, without repetitions: coefficients of a secret are −1, 0 and 1. */
function pieces(bytes, length = 48, count = 200) {
  const found = [];
  const step = Math.max(length, Math.floor(bytes.length / count));
  for (let at = 0; at + length <= bytes.length; at += step) {
    const piece = Buffer.from(bytes.subarray(at, at + length));
    if (new Set(piece).size > 2) {
      found.push(piece);
    }
  }
  return found;
}

function floats(...values) {
  return Buffer.from(Float64Array.from(values).buffer);
}

function integers(...values) {
  return Buffer.from(BigInt64Array.from(values, BigInt).buffer);
}

test('the whole round gives the plain numbers, and nothing that is secret is sent', async () => {
  const page = await browser.page(service.url);
  assert.match(await enterToken(page, service.token), /accepts the token. It has 2 plans/);
  assert.match(await choosePlan(page, 'risk'), new RegExp((await service.digest('risk')).slice(0, 16)));
  const facts = await page.text('#plan-facts');
  for (const said of ['bmi', 'decimal, 1 place', 'at most 500', 'CKKS, 192 bits of security', '0.197', 'score (each row), mean_score (one number)']) {
    assert.ok(facts.includes(said), `${said}: ${facts}`);
  }
  assert.match(await makeKeys(page), /Keys are made: [0-9.]+ MiB for the server/);
  assert.match(await chooseData(page, diabetes), /diabetes.csv fits the plan. Of its columns only these .* bmi, bp, s5\./);
  assert.match(await compute(page), /The results are here/);

  const { scores, mean } = await plain();
  within(await page.text('#result-values dd'), mean);
  await page.click('#result-more');
  await page.click('#result-more');
  await page.click('#result-more');
  const table = await page.evaluate(`[...document.querySelectorAll('#result-table tbody tr')].map((row) => row.lastElementChild.innerText)`);
  assert.equal(table.length, 442);
  table.forEach((text, row) => within(text, scores[row]));

  const folder = await mkdtemp(path.join(tmpdir(), 'asanoha-saved-'));
  const allow = { behavior: 'allow', downloadPath: folder, browserContextId: page.context };
  await browser.send('Browser.setDownloadBehavior', allow);
  await page.click('#result-save');
  let saved;
  for (let tries = 0; !saved && tries < 100; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    saved = (await readdir(folder)).find((name) => name === 'results.csv');
  }
  const lines = (await readFile(path.join(folder, saved), 'utf8')).trim().split('\n');
  assert.deepEqual([lines.length, lines[0]], [443, 'score,score_error,mean_score,mean_score_error']);
  assert.ok(Math.abs(Number(lines[1].split(',')[0]) - scores[0]) < 1e-5);

  const { files, sealed } = await secrets(page);
  const secret = files['secret.safetensors'];
  assert.ok(secret.length > 1000);
  const needles = [
    ...pieces(secret),
    ...pieces(sealed).slice(0, 20),
    ...[PASSPHRASE, 'diabetes.csv', '32.1,101', '21.6,87'].map((text) => Buffer.from(text)),
    floats(32.1, 21.6), floats(101, 87), floats(scores[0]), integers(321, 216), integers(10_100, 8_700),
  ];
  assert.ok(needles.length > 50);
  const bodies = await page.bodies();
  const sent = bodies.reduce((sum, { body }) => sum + body.length, 0);
  assert.ok(sent > 10 << 20, `the keys were recorded: ${sent}`);
  const texts = page.requests.map(({ method, url, headers }) => Buffer.from(`${method} ${url} ${JSON.stringify(headers)}`));
  for (const hay of [...bodies.map(({ body }) => body), ...texts]) {
    for (const needle of needles) {
      assert.equal(hay.indexOf(needle), -1, `${needle.toString('hex')} is sent`);
    }
  }
  // The test finds what is there: the keys begin like any of their files.
  assert.ok(bodies.some(({ body }) => body.includes('safetensors') || body.includes('version')));
  const hosts = new Set(page.requests.filter(({ url }) => !/^(data|blob):/.test(url)).map(({ url }) => new URL(url).origin));
  assert.deepEqual([...hosts], [service.url]);
  const open = page.requests.filter(({ url, headers }) => url.includes('/v1/') && !headers.authorization);
  assert.deepEqual(open, []);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('stored keys open with their passphrase after a reload, and a job is gone on with', async () => {
  // The results are held back until the page was closed.
  let isHeld = true;
  const hold = ({ method, path: asked }, answer) => {
    const isJob = answer && method === 'GET' && asked.startsWith('/v1/jobs/') && !asked.includes('/results');
    return isJob && isHeld ? json(200, { ...JSON.parse(answer.body), state: 'waiting', ahead: 0, wait_s: 1 }) : null;
  };
  const between = await Between.start(service.url, hold);
  const page = await browser.page(between.url);
  await prepare(page, { token: service.token, plan: 'risk', data: diabetes });
  await page.click('#job-start');
  await page.until(`document.querySelector('#job-step .progress label').innerText.startsWith('Waiting: 0 jobs')`);
  isHeld = false;
  await page.go(between.url);
  await enterToken(page, service.token);
  await choosePlan(page, 'risk');
  assert.match(await openKeys(page, 'four words that rime'), /passphrase does not open these keys/);
  assert.match(await openKeys(page), /The keys are open/);
  assert.ok(await page.until(`document.querySelector('#job-resume-form').checkVisibility()`));
  await page.click('#job-resume-form button');
  await page.until(`document.querySelector('#result-step').checkVisibility()`);
  within(await page.text('#result-values dd'), (await plain()).mean);
  assert.equal(await page.isShown('#job-resume-form'), false);
  // Again, with the keys that the server has.
  await chooseData(page, diabetes);
  page.requests.length = 0;
  assert.match(await compute(page), /The results are here/);
  const sent = (await page.bodies()).reduce((sum, { body }) => sum + body.length, 0);
  assert.ok(sent < 4 << 20, `the keys are not sent again: ${sent}`);
  await page.click('#key-forget');
  await page.until(`document.querySelector('#key-step > .done').innerText.includes('forgotten')`);
  assert.match(page.dialog, /cannot be undone/);
  const left = await page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('asanoha');
    opening.onsuccess = async () => {
      const stores = ['keys', 'pieces', 'jobs'];
      const transaction = opening.result.transaction(stores);
      const counts = stores.map((name) => transaction.objectStore(name).count());
      transaction.oncomplete = () => resolve(counts.map(({ result }) => result));
    };
  })`);
  assert.deepEqual(left, [0, 0, 0]);
  await page.close();
  await between.stop();
});

test('the page can be read at every width and in both colour schemes', slow, async () => {
  await mkdir(PICTURES, { recursive: true });
  for (const width of [390, 1280]) {
    for (const scheme of ['light', 'dark']) {
      const page = await browser.page(service.url, { width, scheme, isStill: true });
      assert.deepEqual(await look(page), [], `${width} ${scheme}, at first`);
      await writeFile(path.join(PICTURES, `first-${width}-${scheme}.png`), await page.picture());
      await prepare(page, { token: service.token, plan: 'risk', data: diabetes });
      await compute(page);
      assert.deepEqual(await look(page), [], `${width} ${scheme}, with results`);
      await writeFile(path.join(PICTURES, `results-${width}-${scheme}.png`), await page.picture());
      await enterToken(page, 'asanoha_none');
      assert.deepEqual(await look(page), [], `${width} ${scheme}, with a problem`);
      await writeFile(path.join(PICTURES, `problem-${width}-${scheme}.png`), await page.picture());
      await page.close();
    }
  }
});
