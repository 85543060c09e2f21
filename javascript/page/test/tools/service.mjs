// `asanoha serve` with plans of its own, and a server between it and the page that alters what passes.

import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const TOP = fileURLToPath(new URL('../../../..', import.meta.url));
const PROGRAM = process.env.ASANOHA_PROGRAM ?? path.join(TOP, 'target/debug/asanoha');
const DATA = path.join(TOP, 'examples/data/diabetes.csv');

/** A service in a folder of its own. */
export class Service {
  static async start(flags = []) {
    const service = new Service();
    service.folder = await mkdtemp(path.join(tmpdir(), 'asanoha-service-'));
    await mkdir(service.path('plans'));
    await service.plan('risk', path.join(TOP, 'examples/risk.asa'), DATA, '--scheme', 'ckks');
    await service.plan('shop', await service.write('shop.asa', SHOP), await service.write('shop.csv', SHOP_DATA));
    service.token = await service.newToken();
    await service.serve(flags);
    return service;
  }

  path(name) {
    return path.join(this.folder, name);
  }

  async write(name, text) {
    await writeFile(this.path(name), text);
    return this.path(name);
  }

  async call(...args) {
    const { stdout } = await run(PROGRAM, args, { cwd: this.folder, maxBuffer: 1 << 26 });
    return stdout;
  }

  plan(name, program, data, ...flags) {
    return this.call('plan', program, '--data', data, '--rows', '500', '--out', `plans/${name}.json`, ...flags);
  }

  async newToken(...flags) {
    const made = JSON.parse(await this.call('tokens', 'create', 'clinic', '--store', 'store', '--json', ...flags));
    this.tokenId = made.id;
    return made.secret;
  }

  revoke() {
    return this.call('tokens', 'revoke', this.tokenId, '--store', 'store');
  }

  /** The digest of a plan. */
  async digest(name) {
    const headers = { authorization: `Bearer ${this.token}` };
    const { plans } = await (await fetch(`${this.url}/v1/plans`, { headers })).json();
    return plans.find((plan) => plan.name === name).digest;
  }

  async serve(flags) {
    const args = ['serve', '--plans', 'plans', '--store', 'store', '--listen', '127.0.0.1:0', '--grace', '0'];
    args.push('--page', path.join(TOP, 'javascript'), ...flags);
    this.process = spawn(PROGRAM, args, { cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] });
    this.ended = new Promise((resolve) => this.process.once('close', resolve));
    this.url = await new Promise((resolve, reject) => {
      let said = '';
      this.process.stderr.on('data', (bytes) => {
        said += bytes;
        const found = /^listening at (\S+)$/m.exec(said);
        if (found) {
          resolve(found[1]);
        }
      });
      this.process.once('close', () => reject(new Error(said)));
      this.process.once('error', reject);
    });
  }

  async stop() {
    this.process.kill('SIGKILL');
    await this.ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** What would change the title of the page if it were taken for HTML. */
export const MARKUP = '<img src=x onerror=document.title=1>';
const SHOP = `spent = sum(price * pieces)
double = price * 2
marked = sum((city == '${MARKUP}') * pieces)
`;
const SHOP_DATA = `price,pieces,city
110,16,Linz
1600,4,${MARKUP}
`;

/** A server that passes requests on; `alter(request, answer)` may change an answer, or make one without asking. */
export class Between {
  static async start(url, alter) {
    const between = new Between();
    between.alter = alter;
    between.server = http.createServer((request, response) => {
      between.#pass(new URL(url), request, response).catch(() => response.destroy());
    });
    await new Promise((resolve) => between.server.listen(0, '127.0.0.1', resolve));
    between.url = `http://127.0.0.1:${between.server.address().port}`;
    return between;
  }

  async #pass(upstream, request, response) {
    const body = await bytes(request);
    const made = await this.alter({ method: request.method, path: request.url, body }, null);
    const answer = made ?? (await ask(upstream, request, body));
    const altered = made ?? (await this.alter({ method: request.method, path: request.url, body }, answer)) ?? answer;
    if (altered.isBroken) {
      response.destroy();
      return;
    }
    const headers = { ...altered.headers, 'content-length': altered.body.length };
    delete headers['transfer-encoding'];
    response.writeHead(altered.status, headers).end(altered.body);
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

async function bytes(stream) {
  const parts = [];
  for await (const part of stream) {
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function ask({ hostname, port }, { method, url, headers }, body) {
  return new Promise((resolve, reject) => {
    // A connection of its own: the service closes idle ones.
    const request = http.request({ hostname, port, method, path: url, headers, agent: false }, (response) => {
      const { statusCode: status, headers: named } = response;
      bytes(response).then((read) => resolve({ status, headers: named, body: read }), reject);
    });
    request.on('error', reject);
    // The service may answer, and close the connection, before it has the whole body.
    request.on('socket', (socket) => socket.on('error', () => {}));
    request.end(body);
  });
}

/** An answer in JSON. */
export function json(status, value, headers = {}) {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(JSON.stringify(value)) };
}

export const diabetes = DATA;

export async function rows(name = DATA) {
  const text = await readFile(name, 'utf8');
  return text.trim().split('\n').map((line) => line.split(','));
}
