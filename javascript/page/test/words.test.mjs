// Modules of the page that need no browser.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Failure } from '../failure.js';
import { newDerivation, pack, seal, unpack, unseal, wrappingKey } from '../seal.js';
import { Service } from '../service.js';
import { download, persist, poll, upload } from '../transfer.js';
import * as words from '../words.js';

globalThis.navigator ??= { onLine: true };

test('sizes, times and shares are short', () => {
  assert.deepEqual([0, 1023, 1024, 13_421_773, 3 * 2 ** 40].map(words.bytes), ['0 B', '1023 B', '1.0 KiB', '12.8 MiB', '3.0 TiB']);
  assert.deepEqual([0.0001, 0.042, 3.21, 59.6, 600, 9000].map(words.seconds), ['less than 1 ms', '42 ms', '3.2 s', '60 s', '10 min', '2.5 h']);
  assert.deepEqual([words.percent(1, 3), words.percent(0, 0), words.percent(3, 3)], ['33 %', '0 %', '100 %']);
});

test('text from outside stays on one line and is short', () => {
  assert.equal(words.line('a\u202eb\n\u0000c'), 'a b  c');
  assert.equal(words.line('\u061c\u200e\u200f\u2028\u202a\u2066\u2069'), ' '.repeat(7));
  assert.equal(words.line('x'.repeat(600)).length, 501);
});

test('every failure says what to do', () => {
  const refused = (status, wait) => words.failure(new Failure('refused', 'the queue is full', { status, wait }));
  assert.match(refused(401), /does not accept the token.*new token/);
  assert.match(refused(429, 30), /too much to do.*It says: The queue is full\. Try again in 30 s\./);
  assert.match(refused(507), /no space left/);
  assert.match(refused(500), /The server failed/);
  assert.match(words.failure(new Failure('storage', 'quota')), /no space left.*Forget keys/);
  assert.match(words.failure(new Failure('offline', 'reset')), /try again/);
  assert.equal(words.failure(new Failure('DataError', 'data.csv:3: no number')), 'data.csv:3: no number.');
  assert.match(words.failure(new Failure('results', 'they were altered')), /^They were altered\. These results are not shown\. Make new keys/);
});

const KEYS = { id: '00', plan: 'ab' };

test('a secret opens with its passphrase, for its keys, and unchanged only', async () => {
  const derivation = newDerivation();
  assert.ok(derivation.iterations >= 600_000 && derivation.salt.length === 16);
  const key = await wrappingKey('four words that rhyme', derivation);
  const sealed = await seal(key, 'secrets', KEYS, pack({ 'secret.safetensors': new Uint8Array([1, 2, 3]), empty: new Uint8Array() }));
  const files = unpack(await unseal(key, 'secrets', KEYS, sealed));
  assert.deepEqual([Object.keys(files), [...files['secret.safetensors']]], [['secret.safetensors', 'empty'], [1, 2, 3]]);
  const wrong = /does not open these keys/;
  await assert.rejects(unseal(await wrappingKey('four words that rhymes', derivation), 'secrets', KEYS, sealed), wrong);
  await assert.rejects(unseal(key, 'record', KEYS, sealed), wrong);
  await assert.rejects(unseal(key, 'secrets', { ...KEYS, plan: 'ac' }, sealed), wrong);
  await assert.rejects(unseal(key, 'secrets', { ...KEYS, id: '01' }, sealed), wrong);
  const altered = new Uint8Array(sealed.sealed.slice(0));
  altered[5] ^= 1;
  await assert.rejects(unseal(key, 'secrets', KEYS, { ...sealed, sealed: altered.buffer }), wrong);
  await assert.rejects(wrappingKey('four words that rhyme', { ...derivation, iterations: 1000 }), /damaged/);
  const same = await wrappingKey('cafe\u0301 au lait', derivation);
  const composed = await wrappingKey('caf\u00e9 au lait', derivation);
  const one = await seal(same, 'record', KEYS, new Uint8Array([7]));
  assert.deepEqual([...(await unseal(composed, 'record', KEYS, one))], [7]);
});

/** A service that stores an upload, and whose connection breaks at some calls. */
function service(bytes, { fails = new Set(), busy = 0 } = {}) {
  let calls = 0;
  const stored = [];
  const length = () => stored.reduce((sum, piece) => sum + piece.length, 0);
  const maybeFail = () => {
    calls += 1;
    if (calls <= busy) {
      throw new Failure('refused', 'the queue is full', { status: 429, wait: 0.01 });
    }
    if (fails.has(calls)) {
      throw new Failure('offline', 'reset');
    }
  };
  return {
    stored,
    async begin() {
      maybeFail();
      return length() === bytes ? { complete: {} } : { upload: { id: 'u', stored_bytes: length() } };
    },
    async send(_, offset, piece) {
      assert.equal(offset, length());
      stored.push(piece);
      maybeFail();
      return { stored_bytes: length() };
    },
  };
}

const FILE = Uint8Array.from({ length: 10_000 }, (_, at) => at % 251);
const OPTIONS = { onProgress: () => {}, onWait: () => {} };
const read = async (offset) => FILE.slice(offset, offset + 3000);

test('an upload goes on where it broke off, and waits while the server is busy', async () => {
  const waits = [];
  const options = { ...OPTIONS, onWait: (error, wait) => waits.push([error.status ?? error.kind, wait]) };
  const server = service(FILE.length, { fails: new Set([3]), busy: 1 });
  await upload(server, { bytes: FILE.length }, read, options);
  assert.deepEqual(Buffer.concat(server.stored), Buffer.from(FILE));
  assert.deepEqual(waits.map(([why]) => why), [429, 'offline']);
});

test('a cancelled upload ends at once, and a refused one says why', async () => {
  const abort = new AbortController();
  const server = service(FILE.length, { busy: 100 });
  const options = { ...OPTIONS, signal: abort.signal, onWait: () => abort.abort() };
  await assert.rejects(upload(server, { bytes: FILE.length }, read, options), { kind: 'cancelled' });
  const refusing = { begin: () => Promise.reject(new Failure('refused', 'no plan', { status: 404 })) };
  await assert.rejects(upload(refusing, { bytes: 1 }, read, OPTIONS), { status: 404 });
  const lying = { begin: async () => ({ upload: { id: 'u', stored_bytes: -1 } }) };
  await assert.rejects(upload(lying, { bytes: 1 }, read, OPTIONS), { kind: 'answer' });
});

test('results that end early are continued, and more than was said is refused', async () => {
  const answers = [FILE.slice(0, 4000), FILE.slice(4000)];
  const server = { results: async (_, offset) => (assert.equal(offset, answers.length === 2 ? 0 : 4000), new Response(answers.shift())) };
  assert.deepEqual(Buffer.from(await download(server, 'j', FILE.length, OPTIONS)), Buffer.from(FILE));
  const generous = { results: async () => new Response(FILE) };
  await assert.rejects(download(generous, 'j', 100, OPTIONS), { kind: 'results' });
});

/** Pauses that take no time, and how long they would. */
function pauses() {
  const times = [];
  return { times, pauseFor: async (time) => times.push(time), total: () => times.reduce((sum, time) => sum + time, 0) };
}

test('a server that names a wait of ages, or stays busy, is given up after an hour', async () => {
  const answers = (headers, body) => {
    globalThis.fetch = async () => new Response(body, { status: 503, headers });
    return new Service('token').plans();
  };
  const real = globalThis.fetch;
  try {
    for (const [headers, body, wait] of [
      [{}, '{"message":"later","retry_after_s":18446744073709551615}', 86_400],
      [{ 'retry-after': '1e300' }, 'x', 86_400],
      [{ 'retry-after': '7' }, '{"message":"later","retry_after_s":-1}', 7],
      [{ 'retry-after': 'soon' }, '{"message":"later","retry_after_s":"soon"}', undefined],
    ]) {
      await assert.rejects(answers(headers, body), (error) => error.status === 503 && error.wait === wait);
    }
  } finally {
    globalThis.fetch = real;
  }
  for (const wait of [0.01, 59, 86_400]) {
    const busy = () => Promise.reject(new Failure('refused', 'later', { status: 503, wait }));
    const waiting = pauses();
    await assert.rejects(persist(busy, { ...OPTIONS, ...waiting }), { status: 503 });
    assert.ok(waiting.total() <= 3_600_000 && waiting.times.length === Math.floor(3600 / Math.max(wait, 0.5)), `${waiting.times.length} waits of ${wait} s`);
  }
});

test('a job that never ends is asked for seldom and given up after a day', async () => {
  for (const takes of [0, 4900, 5000, 20_000]) {
    let time = 0;
    const waiting = pauses();
    const pauseFor = async (pause) => {
      waiting.times.push(pause);
      time += pause;
    };
    let asked = 0;
    const ask = async (wait) => {
      asked += 1;
      time += wait === 0 ? 0 : takes;
      return undefined;
    };
    await assert.rejects(poll(ask, { pauseFor, now: () => time }), { kind: 'job', message: /has not ended after a day/ });
    const [least, most] = [Math.max(5000, takes + 300) - 1, 24 * 3_600_000];
    assert.ok(asked <= 2 + most / least, `${asked} questions that take ${takes} ms each`);
    assert.ok(time > most - 30_000 && time < most + 30_000 && Math.min(...waiting.times) >= 100);
  }
  let state = 0;
  assert.equal(await poll(async () => ((state += 1) < 3 ? undefined : 'done'), pauses()), 'done');
});

test('a server that loses what it took is not sent a file for ever', async () => {
  let sent = 0;
  const forgetful = {
    begin: async () => ({ upload: { id: 'u', stored_bytes: 0 } }),
    send: async (_, offset, piece) => {
      sent += 1;
      assert.ok(piece.length > 0);
      return { stored_bytes: offset };
    },
  };
  await assert.rejects(upload(forgetful, { bytes: FILE.length }, read, { ...OPTIONS, ...pauses() }), { kind: 'answer', message: /loses what is sent/ });
  assert.equal(sent, 6);
  for (const stored of [FILE.length + 1, 2 ** 60, 1e300, '7', null]) {
    const lying = { begin: async () => ({ upload: { id: 'u', stored_bytes: stored } }) };
    await assert.rejects(upload(lying, { bytes: FILE.length }, read, OPTIONS), { kind: 'answer' });
  }
});
