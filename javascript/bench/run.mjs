// Measures the package in Node and in Chromium: `node javascript/bench/run.mjs [--runs N] [--json]`, after `cargo xtask wasm`.
// The program `asanoha` makes the plans and the results; the variable ASANOHA names it.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import * as library from '../index.js';
import { Browser } from '../page/test/tools/browser.mjs';
import { measure } from './measure.js';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = process.env.ASANOHA ?? path.join(PACKAGE, '../target/release/asanoha');
const ROWS = 4096;
/** Programs that need these ring degrees. */
const CASES = [
  { scheme: 'bgv', program: 'y = x * x', degree: 1 << 13 },
  { scheme: 'bgv', program: 'y = x ** 4', degree: 1 << 14 },
  { scheme: 'ckks', program: 'y = x ** 4', degree: 1 << 13 },
  { scheme: 'ckks', program: 'y = x ** 9', degree: 1 << 14 },
];

const { values: flags } = parseArgs({ options: { runs: { type: 'string', default: '5' }, json: { type: 'boolean' } } });
const runs = Number(flags.runs);
const folder = await mkdtemp(path.join(tmpdir(), 'asanoha-bench-'));
const at = (name) => path.join(folder, name);

async function asanoha(...args) {
  const { stdout } = await promisify(execFile)(PROGRAM, args, { cwd: folder, maxBuffer: 1 << 26 });
  return stdout;
}

/** A column of whole numbers or of decimals. */
function column(isWhole) {
  const value = (row) => (isWhole ? (row * 97) % 256 : ((row * 97) % 2001) / 1000 - 1);
  return `x\n${Array.from({ length: ROWS }, (_, row) => `${value(row)}\n`).join('')}`;
}

/** Makes the plan, the keys, the inputs and the results of a case. */
async function prepare({ scheme, program, degree }) {
  const name = `${scheme}-${Math.log2(degree)}`;
  const names = { plan: `${name}.json`, data: `${name}.csv`, keys: `${name}-keys`, results: `${name}-results` };
  await writeFile(at('program.asa'), `${program}\n`);
  await writeFile(at(names.data), column(scheme === 'bgv'));
  await asanoha('plan', 'program.asa', '--data', names.data, '--scheme', scheme, '--out', names.plan);
  const { params } = JSON.parse(await asanoha('inspect', names.plan, '--json'));
  if (params.ring_degree !== degree) {
    throw new Error(`${program} on ${scheme} has the ring degree ${params.ring_degree} by now, and not ${degree}`);
  }
  const plan = library.Plan.fromBytes(await readFile(at(names.plan)));
  const client = library.Client.generate(plan);
  await mkdir(at(names.keys));
  await writeFile(at(`${names.keys}/evaluation.safetensors`), client.evaluationKeys().stream());
  await writeFile(at('inputs'), client.encrypt(await readFile(at(names.data))).bytes);
  await asanoha('evaluate', '--plan', names.plan, '--keys', names.keys, '--in', 'inputs', '--out', names.results);
  const files = client.save();
  client.free();
  for (const [file, bytes] of Object.entries(files)) {
    await writeFile(at(`${names.keys}/${file}`), bytes);
  }
  return { scheme, degree, names, files };
}

async function inNode({ names, files }) {
  const [plan, data, results] = await Promise.all([names.plan, names.data, names.results].map((name) => readFile(at(name))));
  return measure(library, { plan, data, files, results, runs });
}

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** Serves the package, and the files of the cases below /files/. */
async function serve() {
  const server = http.createServer(async ({ url }, response) => {
    const [, first, ...rest] = url.split('/');
    const file = first === 'files' ? at(rest.join('/')) : path.join(PACKAGE, url);
    try {
      const body = url === '/' ? '<!DOCTYPE html><title>bench</title>' : await readFile(file);
      const type = url === '/' ? 'text/html' : (TYPES[path.extname(file)] ?? 'application/octet-stream');
      response.writeHead(200, { 'content-type': type }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function inChromium(page, { names, files }) {
  const question = JSON.stringify({ names, files: Object.keys(files), runs });
  const { times, error } = await page.evaluate(`new Promise((resolve) => {
    const worker = new Worker('/bench/worker.js', { type: 'module' });
    worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
    worker.onerror = ({ message }) => resolve({ error: message ?? 'the worker could not be loaded' });
    worker.postMessage(${question});
  })`);
  if (error) {
    throw new Error(error);
  }
  return times;
}

await library.init();
const server = await serve();
const browser = await Browser.start();
try {
  const { product } = await browser.send('Browser.getVersion');
  const page = await browser.page(`http://127.0.0.1:${server.address().port}/`);
  const rows = [];
  for (const one of CASES) {
    const made = await prepare(one);
    for (const [engine, times] of [[`Node ${process.versions.node}`, await inNode(made)], [product, await inChromium(page, made)]]) {
      rows.push({ scheme: one.scheme, ring_degree: one.degree, rows: ROWS, engine, ...times });
    }
  }
  const machine = cpus()[0].model;
  if (flags.json) {
    console.log(JSON.stringify({ machine, runs, rows }));
  } else {
    console.log(`${machine}; a column of ${ROWS} rows; median of ${runs} runs, in ms\n`);
    console.log('| scheme | N | engine | generate keys | encrypt | decrypt |\n|---|---|---|---|---|---|');
    for (const { scheme, ring_degree: degree, engine, generate, encrypt, decrypt } of rows) {
      const times = [generate, encrypt, decrypt].map((time) => time.toFixed(1)).join(' | ');
      console.log(`| ${scheme.toUpperCase()} | 2^${Math.log2(degree)} | ${engine} | ${times} |`);
    }
  }
} finally {
  await browser.stop();
  server.close();
  await rm(folder, { recursive: true, force: true });
}
