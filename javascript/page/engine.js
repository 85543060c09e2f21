// The worker: the only module that calls the library. It holds the keys and the data; the page sees neither.

import { Client, FileDigest, Plan, init } from './asanoha/index.js';
import { Failure } from './failure.js';
import { newDerivation, newId, pack, seal, unpack, unseal, wrappingKey } from './seal.js';
import * as vault from './vault.js';

/** The bytes of a stored piece of evaluation keys. */
const PIECE = 4 << 20;
/** How often progress is told, in milliseconds. */
const TICK = 50;
const RECORD = 'record';
const SECRETS = 'secrets';

let ready;
let plan = null;
/** The open keys: what is stored of them, the client, and the key of their passphrase. */
let open = null;
let data = null;
let inputs = null;
/** The last results. */
let results = null;
/** The jobs of the open keys, by name. */
let jobs = new Map();

function close() {
  open?.client.free();
  open = null;
  inputs = null;
  results = null;
  jobs = new Map();
}

function opened() {
  if (!open) {
    throw new Failure('browser', 'the keys are not open: open them in step 3');
  }
  return open;
}

function digestOf(bytes) {
  return new FileDigest().update(bytes).digest();
}

async function openPlan({ plan: bytes, digest }) {
  await (ready ??= init());
  close();
  [plan, data] = [null, null];
  const read = Plan.fromBytes(new Uint8Array(bytes), { name: 'the plan' });
  if (digest !== null && read.digest !== digest) {
    throw new Failure('plan', `the server sent another plan (${read.digest.slice(0, 16)}…) than it lists (${digest.slice(0, 16)}…): do not use it, and tell the operator`);
  }
  plan = read;
  const { program, scheme, securityBits, rows, fewerRows, exact, columns, outputs, finished, predicted } = plan;
  return { digest: plan.digest, program, scheme, securityBits, rows, fewerRows, exact, columns, outputs, finished, predicted };
}

function checkData({ data: bytes, name, missing }) {
  data = null;
  plan.check(bytes, { name, missing });
  data = { bytes, options: { name, missing } };
  return { columns: plan.columns.map((column) => column.name) };
}

function summary({ id, made, digest, bytes }) {
  return { id, made, digest, bytes };
}

async function listKeys() {
  return (await vault.keysOf(plan.digest)).map(summary);
}

/** Stores evaluation keys in pieces of one size; their digest and length. */
async function storeEvaluationKeys(id, keys) {
  const hasher = new FileDigest();
  let [at, filled, bytes] = [0, 0, 0];
  let piece = new Uint8Array(PIECE);
  for (const chunk of keys) {
    hasher.update(chunk);
    bytes += chunk.length;
    for (let from = 0; from < chunk.length; ) {
      const part = chunk.subarray(from, from + PIECE - filled);
      piece.set(part, filled);
      from += part.length;
      filled += part.length;
      if (filled === PIECE) {
        await vault.putPiece(id, at, piece);
        [at, filled, piece] = [at + 1, 0, new Uint8Array(PIECE)];
      }
    }
  }
  if (filled > 0) {
    await vault.putPiece(id, at, piece.slice(0, filled));
  }
  return { digest: hasher.digest(), bytes };
}

async function makeKeys({ passphrase }, progress) {
  close();
  const id = newId();
  const derivation = newDerivation();
  const wrapping = await wrappingKey(passphrase, derivation);
  const client = Client.generate(plan, { progress });
  try {
    const stored = await storeEvaluationKeys(id, client.evaluationKeys());
    client.dropEvaluationKeys();
    const keys = { id, plan: plan.digest };
    const files = client.save();
    const secrets = await seal(wrapping, SECRETS, keys, pack(files));
    Object.values(files).forEach((bytes) => bytes.fill(0));
    const record = { ...keys, ...stored, made: Date.now(), derivation, secrets };
    await vault.putKey(record);
    open = { record, client, wrapping };
    return summary(record);
  } catch (error) {
    client.free();
    await vault.forget(id);
    throw error;
  }
}

async function openKeys({ id, passphrase }) {
  close();
  const record = await vault.key(id);
  if (record?.plan !== plan.digest) {
    throw new Failure('browser', 'these keys are not stored any more: make new ones');
  }
  const wrapping = await wrappingKey(passphrase, record.derivation);
  const secrets = await unseal(wrapping, SECRETS, record, record.secrets);
  const files = unpack(secrets);
  const known = new Map();
  for (const job of await vault.jobsOf(id)) {
    const { about, ...kept } = unpack(await unseal(wrapping, RECORD, record, job.record));
    Object.assign(files, kept);
    known.set(job.id, { sent: job.sent, ...JSON.parse(new TextDecoder().decode(about)) });
  }
  const client = Client.load(plan, files);
  secrets.fill(0);
  open = { record, client, wrapping };
  jobs = known;
  return summary(record);
}

async function forgetKeys({ id }) {
  const wasOpen = open?.record.id === id;
  if (wasOpen) {
    close();
  }
  await vault.forget(id);
  return { wasOpen };
}

function encrypt(_, progress) {
  const made = opened().client.encrypt(data.bytes, { ...data.options, progress });
  inputs = { made, digest: digestOf(made.bytes) };
  return { digest: inputs.digest, bytes: made.bytes.length, rows: made.rows, leftOut: made.leftOut.length };
}

/** Bytes of a file that is sent, at most to the end of a stored piece. */
async function piece({ kind, offset, most }) {
  if (kind === 'inputs') {
    return inputs.made.bytes.slice(offset, offset + most);
  }
  const stored = await vault.piece(opened().record.id, Math.floor(offset / PIECE));
  const from = offset % PIECE;
  return stored.slice(from, from + most);
}

/** Remembers a job until its results are read. */
async function keepJob({ job, name }) {
  const { record, wrapping } = opened();
  const { made, digest } = inputs;
  const about = { name, of: made.digest, inputs: digest, rows: made.rows, leftOut: made.leftOut };
  const files = { about: new TextEncoder().encode(JSON.stringify(about)), [made.record.name]: made.record.bytes };
  const sealed = await seal(wrapping, RECORD, record, pack(files));
  const sent = Date.now();
  await vault.putJob({ id: job, key: record.id, sent, record: sealed });
  jobs.set(job, { sent, ...about });
}

function listJobs() {
  return [...jobs].map(([id, { name, sent }]) => ({ id, name, sent }));
}

async function forgetJob({ job }) {
  const known = jobs.get(job);
  jobs.delete(job);
  await vault.forgetJob(job);
  return { inputs: known?.inputs };
}

/** The most bytes of results, which the plan gives. */
function limits() {
  return { mostBytes: plan.mostResultBytes() };
}

/** An output as the page shows it. */
function shown({ name, shape, exact, missing, texts }) {
  return { name, shape, exact, missing, texts };
}

function decrypt({ job, digest, results: sent }, progress) {
  const bytes = new Uint8Array(sent);
  if (digestOf(bytes) !== digest) {
    throw new Failure('results', 'the results are not those that the server announced: they were damaged on their way, or altered');
  }
  const { of, rows, leftOut } = jobs.get(job);
  try {
    results = opened().client.decrypt(bytes, { of, progress });
  } catch (error) {
    throw error.name === 'InternalError' ? error : new Failure('results', error.message);
  }
  return { rows, leftOut, outputs: [...results].map(shown) };
}

function csv() {
  return results.csv({ errors: !plan.exact });
}

const CALLS = {
  openPlan, checkData, listKeys, makeKeys, openKeys, forgetKeys, encrypt, piece, keepJob, listJobs, forgetJob, limits, decrypt, csv,
};

/** Calls run one after another: each sees what those before it left. */
let last = Promise.resolve();

async function answer({ call, name, argument }) {
  let told = 0;
  const progress = (done, all) => {
    const now = performance.now();
    if (now - told > TICK) {
      told = now;
      postMessage({ call, progress: [done, all] });
    }
  };
  try {
    postMessage({ call, result: await CALLS[name](argument, progress) });
  } catch (error) {
    postMessage({ call, error: { kind: error.kind ?? error.name, message: error.message } });
  }
}

addEventListener('message', ({ data: request }) => {
  last = last.then(() => answer(request));
});
