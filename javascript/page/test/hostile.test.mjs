// Servers that lie, and texts that would be scripts: refused, or shown as text.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { FileDigest, init } from '../../index.js';
import { Browser } from './tools/browser.mjs';
import { Between, MARKUP, Service, diabetes, json } from './tools/service.mjs';
import { chooseData, choosePlan, compute, enterToken, makeKeys, planOutcome, prepare } from './tools/steps.mjs';

let browser;
let service;

before(async () => {
  await init();
  [browser, service] = await Promise.all([Browser.start(), Service.start()]);
});

after(async () => {
  await browser?.stop();
  await service?.stop();
});

function digest(bytes) {
  return new FileDigest().update(bytes).digest();
}

/** Runs a test against a server that alters what passes. */
async function against(alter, work) {
  const between = await Between.start(service.url, alter);
  const page = await browser.page(between.url);
  try {
    await work(page);
    assert.equal(await page.evaluate('document.title'), 'Compute on encrypted data – asanoha');
    assert.equal(await page.evaluate('document.images.length + document.scripts.length'), 1);
  } finally {
    await page.close();
    await between.stop();
  }
}

const isPlan = (path) => /^\/v1\/plans\/[0-9a-f]{64}$/.test(path);

test('a plan with another digest than the server lists is refused', async () => {
  const shop = await service.digest('shop');
  let served;
  const swap = ({ path }, answer) => (answer && isPlan(path) && served ? { ...answer, body: served } : null);
  const list = async ({ path }, answer) => {
    if (answer && path.endsWith(shop)) {
      served = answer.body;
      return null;
    }
    return swap({ path }, answer);
  };
  await against(list, async (page) => {
    await enterToken(page, service.token);
    assert.match(await choosePlan(page, 'shop'), /has the digest/);
    assert.match(await choosePlan(page, 'risk'), /the server sent another plan .* do not use it/i);
    assert.equal(await page.isShown('#plan-facts'), false);
    assert.equal(await page.evaluate(`document.querySelector('#key-make-form fieldset').disabled`), true);
  });
  const alter = ({ path }, answer) => {
    if (!answer || !isPlan(path)) {
      return null;
    }
    return { ...answer, body: Buffer.from(answer.body.toString().replace('0.197', '0.198')) };
  };
  await against(alter, async (page) => {
    await enterToken(page, service.token);
    assert.match(await choosePlan(page, 'risk'), /another plan|not a plan|schedule/i);
  });
  const junk = ({ path }) => (isPlan(path) ? { status: 200, headers: {}, body: Buffer.from('<html>') } : null);
  await against(junk, async (page) => {
    await enterToken(page, service.token);
    assert.match(await choosePlan(page, 'risk'), /the plan: not a plan/i);
  });
});

test('a plan of the client that the server does not have goes no further', async () => {
  const own = service.path('own.json');
  const program = await service.write('own.asa', 'mean_bmi = mean(bmi)\n');
  await service.call('plan', program, '--data', diabetes, '--out', own);
  const page = await browser.page(service.url);
  await enterToken(page, service.token);
  await page.choose('#plan-file', [own]);
  assert.match(await planOutcome(page), /The server does not have this plan/);
  assert.equal(await page.evaluate(`document.querySelector('#key-make-form fieldset').disabled`), true);
  await page.choose('#plan-file', [service.path('plans/risk.json')]);
  await page.until(`document.querySelector('#plan-checked').innerText.includes('the server lists it')`);
  await page.choose('#plan-file', [diabetes]);
  await page.until(`document.querySelector('#plan-step > .problem').innerText.includes('not a plan')`);
  await page.close();
});

test('results that were altered, are of other inputs or are too many are refused', async () => {
  let change = null;
  let kept = null;
  const replace = (answer, path, bytes) =>
    path.includes('/results') ? { ...answer, body: bytes } : json(200, { ...JSON.parse(answer.body), bytes: bytes.length, digest: digest(bytes) });
  let real = null;
  const alter = async ({ method, path }, answer) => {
    if (!answer || method !== 'GET' || !path.startsWith('/v1/jobs/')) {
      return null;
    }
    if (path.includes('/results')) {
      real = answer.body;
    }
    return change ? change(answer, path) : null;
  };
  const fetched = async (answer, path) => {
    // The results are known only once the job is done.
    if (path.includes('/results') || JSON.parse(answer.body).state !== 'done') {
      return null;
    }
    const id = path.split('/')[3].split('?')[0];
    const headers = { authorization: `Bearer ${service.token}` };
    return Buffer.from(await (await fetch(`${service.url}/v1/jobs/${id}/results`, { headers })).arrayBuffer());
  };
  await against(alter, async (page) => {
    await prepare(page, { token: service.token, plan: 'risk', data: diabetes });
    assert.match(await compute(page), /The results are here/);
    kept = real;

    // On their way.
    change = (answer, path) => {
      if (!path.includes('/results')) {
        return null;
      }
      const body = Buffer.from(answer.body);
      body[body.length - 100] ^= 1;
      return { ...answer, body };
    };
    assert.match(await compute(page), /not those that the server announced.*not shown. Make new keys/i);
    assert.equal(await page.isShown('#result-step'), false);

    // By the server, which announces what it sends.
    let altered = null;
    change = async (answer, path) => {
      const bytes = await fetched(answer, path);
      if (bytes) {
        bytes[bytes.length - 100] ^= 1;
        altered = bytes;
      }
      return altered ? replace(answer, path, altered) : null;
    };
    assert.match(await compute(page), /digest.*not shown. Make new keys/i);

    // Those of the first computation, whose inputs were encrypted anew since.
    change = (answer, path) => (path.includes('/results') || JSON.parse(answer.body).state === 'done' ? replace(answer, path, kept) : null);
    assert.match(await compute(page), /other inputs.*not shown. Make new keys/i);
    assert.equal(await page.isShown('#result-step'), false);

    // More than the plan gives, and more than a browser can hold.
    for (const bytes of [2 ** 27, 2 ** 50]) {
      change = (answer, path) => (JSON.parse(answer.body).state === 'done' ? json(200, { ...JSON.parse(answer.body), bytes }) : null);
      assert.match(await compute(page), /more results than such a plan gives/);
    }
  });
});

test('texts of plans, refusals and jobs are shown as text', async () => {
  let failure = null;
  const alter = ({ method, path }, answer) => {
    if (!answer) {
      return null;
    }
    if (path === '/v1/plans') {
      const { plans } = JSON.parse(answer.body);
      return json(answer.status, { plans: plans.map((plan) => ({ ...plan, name: `${plan.name}${MARKUP}`, scheme: MARKUP })) });
    }
    if (failure === 'refusal' && method === 'POST' && path === '/v1/jobs') {
      return json(400, { kind: 'malformed', message: MARKUP });
    }
    if (failure === 'job' && method === 'GET' && path.startsWith('/v1/jobs/')) {
      return json(200, { ...JSON.parse(answer.body), state: 'failed', message: MARKUP });
    }
    return null;
  };
  await against(alter, async (page) => {
    await enterToken(page, service.token);
    assert.ok((await page.evaluate(`document.querySelector('#plan-choice').textContent`)).includes(MARKUP));
    await choosePlan(page, 'shop');
    const facts = await page.text('#plan-facts');
    assert.ok(facts.includes(`text of a list\t${MARKUP}, Linz`), facts);
    await makeKeys(page);
    await chooseData(page, service.path('shop.csv'));
    assert.match(await compute(page), /The results are here/);
    const results = await page.text('#result-step');
    for (const said of ['spent\n8160, exact', 'marked\n4, exact', '\t220', '\t3200']) {
      assert.ok(results.includes(said), results);
    }
    failure = 'refusal';
    assert.ok((await compute(page)).includes(MARKUP));
    failure = 'job';
    const said = await compute(page);
    assert.ok(said.includes(MARKUP) && /could not compute/.test(said), said);
  });
  const refusing = ({ path }) => (path === '/v1/plans' ? json(500, { message: `${MARKUP}\u202e` }) : null);
  await against(refusing, async (page) => {
    const said = await enterToken(page, service.token);
    assert.ok(said.includes(MARKUP) && /The server failed/.test(said) && !said.includes('\u202e'), said);
  });
  for (const body of ['{', '{"plans":{}}', '{"plans":[{"digest":"../../x"}]}', '\xff']) {
    const junk = ({ path }) => (path === '/v1/plans' ? { status: 200, headers: {}, body: Buffer.from(body, 'latin1') } : null);
    await against(junk, async (page) => {
      assert.match(await enterToken(page, service.token), /tell the operator/);
    });
  }
});

test('no script, style or connection of another origin is taken', async () => {
  const page = await browser.page(service.url);
  const attempts = {
    'HTML from text': `document.body.innerHTML = '<p>'`,
    'a script of another host': `(() => { const s = document.createElement('script'); s.src = 'https://example.org/x.js'; document.head.append(s); })()`,
    'code from text': `new Function('return 1')()`,
    'a policy of its own': `trustedTypes.createPolicy('mine', { createHTML: (text) => text })`,
    'the worker policy again': `trustedTypes.createPolicy('asanoha', { createScriptURL: (text) => text })`,
    'a worker of a blob': `new Worker(URL.createObjectURL(new Blob([''])))`,
    'a connection': `fetch('https://example.org/')`,
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    await assert.rejects(page.evaluate(`Promise.resolve().then(() => ${attempt})`), undefined, name);
  }
  // Blocked without an exception.
  await page.evaluate(`(() => { const s = document.createElement('script'); s.append('document.title = 1'); document.head.append(s); })()`);
  const style = await page.evaluate(`(() => {
    const made = document.createElement('style');
    made.append('body { color: red !important }');
    document.head.append(made);
    return getComputedStyle(document.body).color;
  })()`);
  assert.notEqual(style, 'rgb(255, 0, 0)');
  assert.equal(await page.evaluate('document.title'), 'Compute on encrypted data – asanoha');
  assert.equal(await page.evaluate('self.crossOriginIsolated && self.opener === null'), true);
  await page.close();
});
