// What goes wrong, in words: connections, tokens, storage, files, a full server, failed and cancelled jobs.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { Browser } from './tools/browser.mjs';
import { slow } from './tools/slow.mjs';
import { Between, Service, diabetes, json } from './tools/service.mjs';
import {
  PASSPHRASE, chooseData, choosePlan, compute, enterToken, makeKeys, outcome, prepare, start,
} from './tools/steps.mjs';

let browser;
let service;

before(async () => {
  [browser, service] = await Promise.all([Browser.start(), Service.start()]);
});

after(async () => {
  await browser?.stop();
  await service?.stop();
});

test('tokens and passphrases that do not fit are told, and nothing goes on', slow, async () => {
  const page = await browser.page(service.url);
  assert.match(await enterToken(page, ''), /Enter the token/);
  assert.match(await enterToken(page, 'nonsense'), /does not accept the token/);
  assert.equal(await page.evaluate('document.activeElement.id'), 'token');
  assert.equal(await page.evaluate(`document.querySelector('#plan-form fieldset').disabled`), true);
  await enterToken(page, service.token);
  await choosePlan(page, 'risk');
  assert.match(await makeKeys(page, 'short'), /has 5 characters: enter at least 12/);
  await page.fill('#new-passphrase', PASSPHRASE);
  await page.fill('#again-passphrase', `${PASSPHRASE}s`);
  await page.click('#key-make-form button');
  assert.match(await page.text('#key-step > .problem'), /passphrases differ/);
  const alerts = await page.evaluate(`[...document.querySelectorAll('.problem')].every((line) => line.getAttribute('role') === 'alert' || line.closest('noscript'))`);
  assert.ok(alerts);
  assert.equal(await page.evaluate(`document.querySelector('#status').getAttribute('aria-live')`), 'polite');
  await page.close();
});

test('a file that does not fit the plan is told with its line and column', slow, async () => {
  const page = await browser.page(service.url);
  await enterToken(page, service.token);
  await choosePlan(page, 'risk');
  const check = async (text, expected) => {
    const said = await chooseData(page, await service.write('data.csv', text));
    assert.match(said, expected);
    assert.equal(await page.evaluate(`document.querySelector('#job-form fieldset').disabled`), true);
  };
  await check('bmi,bp\n21.5,90\n', /data\.csv.*s5/);
  await check('bmi,bp,s5\n21.5,90,4.5\n30,cold,4\n', /data\.csv, line 3, column 2 \(bp\)/);
  await check('bmi,bp,s5\n21.5,90,4.5\n3000,90,4\n', /bmi.*row 2|row 2.*bmi/i);
  await check('bmi,bp,s5\n21.5,,4.5\n', /bp/);
  await check(`bmi,bp,s5\n${'21.5,90,4.5\n'.repeat(501)}`, /501|500/);
  await check('\u0000\u0001', /data\.csv/);
  // A file that is dropped is read like one that is chosen.
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['bmi,bp,s5\\n21.5,90,4.5\\n'], 'dropped.csv'));
    document.querySelector('#data-drop').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  })()`);
  await page.until(`document.querySelector('#data-step > .done').innerText.includes('dropped.csv fits the plan')`);
  // Rows that miss a value are left out, if that is asked for.
  await makeKeys(page);
  await page.evaluate(`(() => {
    const choice = document.querySelector('#data-missing');
    choice.value = 'mask';
    choice.dispatchEvent(new Event('change'));
  })()`);
  const file = await service.write('gaps.csv', 'bmi,bp,s5\n21.5,90,4.5\n30.1,,4\n25,80,5\n');
  assert.match(await chooseData(page, file), /fits the plan/);
  assert.match(await compute(page), /The results are here/);
  assert.match(await page.text('#result-note'), /Computed from 2 rows. 1 row with missing values is left out/);
  const cells = await page.evaluate(`[...document.querySelectorAll('#result-table tbody tr')].map((row) => row.lastElementChild.innerText)`);
  assert.deepEqual([cells.length, cells[1]], [3, 'missing']);
  await page.close();
});

test('an upload whose connection breaks goes on, and offline is told', slow, async () => {
  let breaks = 0;
  let puts = 0;
  const alter = ({ method }, answer) => {
    if (method === 'PUT' && answer) {
      puts += 1;
      // Stored, but the page is not told.
      if (puts === 2) {
        breaks += 1;
        return { isBroken: true };
      }
    }
    return null;
  };
  const between = await Between.start(service.url, alter);
  const page = await browser.page(between.url);
  await prepare(page, { token: service.token, plan: 'risk', data: diabetes });
  assert.match(await compute(page), /The results are here/);
  assert.equal(breaks, 1);
  await page.offline(true);
  assert.match(await compute(page), /offline.*connect, then try again/);
  await page.offline(false);
  assert.match(await compute(page), /The results are here/);
  await page.close();
  await between.stop();
});

test('a full server is waited for, and the wait can be cancelled', slow, async () => {
  let isFull = true;
  const full = json(429, { kind: 'too_many', message: 'the queue is full', retry_after_s: 1 }, { 'retry-after': '1' });
  const alter = ({ method, path }) => (isFull && method === 'POST' && path === '/v1/jobs' ? full : null);
  const between = await Between.start(service.url, alter);
  const page = await browser.page(between.url);
  await prepare(page, { token: service.token, plan: 'risk', data: diabetes });
  await start(page);
  const said = await page.until(`document.querySelector('#job-step .progress label').innerText.includes('too much to do') && document.querySelector('#job-step .progress label').innerText`);
  assert.match(said, /The queue is full\..*The page tries again in 1\.0 s/);
  await page.click('#job-cancel');
  assert.match(await outcome(page, 'job-step'), /Cancelled/);
  await start(page);
  await page.until(`document.querySelector('#job-step .progress label').innerText.includes('too much to do')`);
  isFull = false;
  assert.match(await outcome(page, 'job-step'), /The results are here/);
  await page.close();
  await between.stop();
});

test('a job that waits is cancelled on the server too', slow, async () => {
  const cancelled = [];
  const alter = ({ method, path }, answer) => {
    if (answer && method === 'POST' && path.endsWith('/cancel')) {
      cancelled.push(path);
    }
    if (answer && method === 'GET' && path.startsWith('/v1/jobs/')) {
      return json(200, { ...JSON.parse(answer.body), state: 'waiting', ahead: 2, wait_s: 61 });
    }
    return null;
  };
  const between = await Between.start(service.url, alter);
  const page = await browser.page(between.url);
  await prepare(page, { token: service.token, plan: 'risk', data: diabetes });
  await start(page);
  await page.until(`document.querySelector('#job-step .progress label').innerText === 'Waiting: 2 jobs before this one, begins in about 61 s'`);
  await page.click('#job-cancel');
  assert.match(await outcome(page, 'job-step'), /Cancelled/);
  await page.until(`!document.querySelector('#job-resume-form').checkVisibility()`);
  assert.equal(cancelled.length, 1);
  await page.close();
  await between.stop();
});

test('storage that is full is told, and leaves no half of the keys', slow, async () => {
  const page = await browser.page(service.url);
  await enterToken(page, service.token);
  await choosePlan(page, 'risk');
  await page.send('Storage.overrideQuotaForOrigin', { origin: service.url, quotaSize: 3 << 20 });
  assert.match(await makeKeys(page), /no space left for the keys.*Forget keys.*try again/);
  assert.equal(await page.isShown('#key-open-form'), false);
  await page.send('Storage.overrideQuotaForOrigin', { origin: service.url });
  assert.match(await makeKeys(page), /Keys are made/);
  await page.close();
});

test('a token that is revoked meanwhile is told, and a new one goes on', slow, async () => {
  const page = await browser.page(service.url);
  await prepare(page, { token: service.token, plan: 'risk', data: diabetes });
  await service.revoke();
  assert.match(await compute(page), /does not accept the token.*Ask the operator for a new token and enter it in step 1/);
  service.token = await service.newToken();
  await enterToken(page, service.token);
  assert.match(await compute(page), /The results are here/);
  await page.close();
});

/** Presses Tab until an element has the focus; those that had it meanwhile. */
async function tabTo(page, id) {
  const passed = [];
  for (let tries = 0; tries < 40; tries += 1) {
    await page.press('Tab');
    const focused = await page.evaluate(`(() => {
      const { id, tagName } = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      return { id, tagName, isVisible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
    })()`);
    assert.ok(focused.isVisible, `the focus is not visible on ${focused.tagName} ${focused.id}`);
    passed.push(focused.id);
    if (focused.id === id) {
      return passed;
    }
  }
  throw new Error(`${id} is not reached: ${passed}`);
}

test('the keyboard alone is enough', slow, async () => {
  const page = await browser.page(service.url, { width: 1280 });
  await page.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.className'), 'skip');
  await tabTo(page, 'token');
  await page.send('Input.insertText', { text: service.token });
  await page.press('Enter');
  await page.until(`document.activeElement.id === 'plan-title'`);
  await tabTo(page, 'plan-choice');
  const options = await page.evaluate(`[...document.querySelector('#plan-choice').options].map(({ text }) => text)`);
  const wanted = options.findIndex((text) => text.startsWith('risk'));
  for (let at = 0; at < options.length; at += 1) {
    await page.press('ArrowUp', { windowsVirtualKeyCode: 38 });
  }
  for (let at = 0; at < wanted; at += 1) {
    await page.press('ArrowDown');
  }
  await page.press('Tab');
  await page.press('Space');
  await page.until(`document.activeElement.id === 'public-title'`);
  await page.until(`!document.querySelector('#key-make-form fieldset').disabled`);
  await tabTo(page, 'new-passphrase');
  await page.send('Input.insertText', { text: PASSPHRASE });
  await tabTo(page, 'again-passphrase');
  await page.send('Input.insertText', { text: PASSPHRASE });
  await page.press('Enter');
  await page.until(`document.activeElement.id === 'data-title'`);
  await tabTo(page, 'data-missing');
  await tabTo(page, 'data-file');
  // Enter opens the file dialog of the system, which chooses this.
  await page.choose('#data-file', [diabetes]);
  assert.match(await outcome(page, 'data-step'), /fits the plan/);
  await tabTo(page, 'job-start');
  await page.press('Enter');
  await page.until(`document.activeElement.id === 'result-title'`);
  const passed = await tabTo(page, 'result-save');
  assert.ok(passed.includes('result-rows') && passed.includes('result-more'), passed.join());
  await page.close();
});
