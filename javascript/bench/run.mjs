// Measures the package in Node and in Chromium, and the program on one thread with scalar kernels:
// `node javascript/bench/run.mjs [--runs N] [--json]`, after `cargo xtask wasm` and `cargo build --release --features asanoha-cli/http`.
// The variable ASANOHA_PROGRAM names another program than target/release/asanoha.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import * as library from '../index.js';
import { gzipSync } from 'node:zlib';
import { Browser } from '../page/test/tools/browser.mjs';
import { Service } from '../page/test/tools/service.mjs';
import { measure, median } from './measure.js';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
process.env.ASANOHA_PROGRAM ??= path.join(PACKAGE, '../target/release/asanoha');
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
  const options = { cwd: folder, maxBuffer: 1 << 26, env: { ...process.env, ASANOHA_KERNELS: 'scalar' } };
  const { stdout } = await promisify(execFile)(process.env.ASANOHA_PROGRAM, args, options);
  return stdout;
}

/** A column of whole numbers or of decimals. */
function column(isWhole) {
  return Array.from({ length: ROWS }, (_, row) => (isWhole ? (row * 97) % 256 : ((row * 97) % 2001) / 1000 - 1));
}

/** Makes the plan, the keys, the inputs and the results of a case. */
async function prepare({ scheme, program, degree }) {
  const name = `${scheme}-${Math.log2(degree)}`;
  const names = { plan: `${name}.json`, data: `${name}.csv`, keys: `${name}-keys`, results: `${name}-results` };
  await writeFile(at('program.asa'), `${program}\n`);
  const values = column(scheme === 'bgv');
  await writeFile(at(names.data), `x\n${values.join('\n')}\n`);
  await asanoha('plan', 'program.asa', '--data', names.data, '--scheme', scheme, '--out', names.plan);
  const { params } = JSON.parse(await asanoha('inspect', names.plan, '--json'));
  if (params.ring_degree !== degree) {
    throw new Error(`${program} on ${scheme} has the ring degree ${params.ring_degree} by now, and not ${degree}`);
  }
  const plan = library.Plan.fromBytes(await readFile(at(names.plan)));
  const client = library.Client.generate(plan);
  await mkdir(at(names.keys));
  await writeFile(at(`${names.keys}/evaluation.safetensors`), client.evaluationKeys().stream());
  await writeFile(at('inputs'), client.encrypt({ x: values }).bytes);
  await asanoha('evaluate', '--plan', names.plan, '--keys', names.keys, '--in', 'inputs', '--out', names.results);
  const files = client.save();
  client.free();
  for (const [file, bytes] of Object.entries(files)) {
    await writeFile(at(`${names.keys}/${file}`), bytes);
  }
  return { scheme, degree, names, values, files };
}

async function inNode({ names, values, files }) {
  const [plan, results] = await Promise.all([names.plan, names.results].map((name) => readFile(at(name))));
  return measure(library, { plan, values, files, results, runs });
}

/** The program on one thread: what it says of its own times, with those of writing and reading the files. */
async function natively({ names: { plan, data, keys, results } }) {
  const commands = {
    generate: ['keygen', '--out', 'native-keys', '--no-passphrase', '--force'],
    encrypt: ['encrypt', '--keys', keys, '--data', data, '--out', 'native-inputs'],
    decrypt: ['decrypt', '--keys', keys, '--in', results],
  };
  const times = {};
  for (const [name, [command, ...args]] of Object.entries(commands)) {
    const all = [];
    for (let run = 0; run < runs; run += 1) {
      const { timings } = JSON.parse(await asanoha(command, '--plan', plan, ...args, '--threads', '1', '--json'));
      const { keygen_s: keygen, encrypt_s: encrypt, decrypt_s: decrypt, write_s: write, read_s: read } = timings;
      all.push(1000 * { generate: keygen + write, encrypt: encrypt + write, decrypt: read + decrypt }[name]);
    }
    times[name] = median(all);
  }
  return times;
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

async function inChromium(page, { names, values, files }) {
  const question = JSON.stringify({ names, values, files: Object.keys(files), runs });
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

/** The milliseconds until something of the page is seen, and those until it can be used, in a browser that has nothing of it. */
async function firstPaint(browser) {
  const service = await Service.start();
  try {
    const times = { paint: [], usable: [] };
    for (let run = 0; run < runs; run += 1) {
      const page = await browser.page(service.url);
      const [paint, usable] = await page.until(`(() => {
        const [paint] = performance.getEntriesByName('first-contentful-paint');
        const [{ domContentLoadedEventEnd: usable }] = performance.getEntriesByType('navigation');
        return paint && usable > 0 && [paint.startTime, usable];
      })()`);
      times.paint.push(paint);
      times.usable.push(usable);
      await page.close();
    }
    return { paint: median(times.paint), usable: median(times.usable) };
  } finally {
    await service.stop();
  }
}

const module = await readFile(path.join(PACKAGE, 'native/asanoha_bg.wasm'));
const brotli = (await stat(path.join(PACKAGE, 'native/asanoha_bg.wasm.br'))).size;
const size = { bytes: module.length, gzip: gzipSync(module, { level: 9 }).length, brotli };
await library.init();
const server = await serve();
const browser = await Browser.start();
try {
  const { product } = await browser.send('Browser.getVersion');
  const page = await browser.page(`http://127.0.0.1:${server.address().port}/`);
  const rows = [];
  for (const one of CASES) {
    const made = await prepare(one);
    const engines = [
      [product, await inChromium(page, made)],
      [`Node ${process.versions.node}`, await inNode(made)],
      ['native, scalar', await natively(made)],
    ];
    for (const [engine, times] of engines) {
      rows.push({ scheme: one.scheme, ring_degree: one.degree, rows: ROWS, engine, ...times });
    }
  }
  const first = await firstPaint(browser);
  const machine = cpus()[0].model;
  if (flags.json) {
    console.log(JSON.stringify({ machine, runs, rows, module: size, page: first }));
  } else {
    console.log(`${machine}; a column of ${ROWS} rows; median of ${runs} runs, in ms\n`);
    console.log('| scheme | N | engine | generate keys | encrypt | decrypt |\n|---|---|---|---|---|---|');
    for (const { scheme, ring_degree: degree, engine, generate, encrypt, decrypt } of rows) {
      const times = [generate, encrypt, decrypt].map((time) => time.toFixed(1)).join(' | ');
      console.log(`| ${scheme.toUpperCase()} | 2^${Math.log2(degree)} | ${engine} | ${times} |`);
    }
    const [bytes, packed, least] = [size.bytes, size.gzip, size.brotli].map((count) => (count / 1e6).toFixed(2));
    console.log(`\nThe module has ${bytes} MB, ${packed} MB by gzip and ${least} MB by Brotli. The page is painted after ${first.paint.toFixed(0)} ms, and usable after ${first.usable.toFixed(0)} ms.`);
  }
} finally {
  await browser.stop();
  server.close();
  await rm(folder, { recursive: true, force: true });
}
