// Requests to the routes of `asanoha serve`, with what goes wrong as errors with a kind.

import { Failure } from './failure.js';

/** The most bytes of an answer in JSON. */
const MOST_JSON = 64 << 20;
/** The longest wait that is taken from a refusal, in seconds. */
const LONGEST_WAIT = 24 * 3600;

/** The seconds after which a server wants to be asked again, if it says a number. */
function waitOf(value) {
  const seconds = Number(value);
  return seconds > 0 ? Math.min(seconds, LONGEST_WAIT) : undefined;
}

async function refusal(response) {
  let [message, wait] = [`status ${response.status}`, waitOf(response.headers.get('retry-after'))];
  try {
    const body = await response.json();
    message = String(body.message);
    wait = waitOf(body.retry_after_s) ?? wait;
  } catch {
    // It isn't a refusal of the service, but perhaps of a proxy.
  }
  return new Failure('refused', message, { status: response.status, wait });
}

/** A client's side of a service, under a token. */
export class Service {
  #token;

  constructor(token) {
    this.#token = token;
  }

  async #ask(method, path, { body, headers, signal } = {}) {
    const options = {
      method,
      body,
      signal,
      headers: { ...headers, authorization: `Bearer ${this.#token}` },
      cache: 'no-store',
      credentials: 'omit',
      mode: 'same-origin',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    };
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      throw broken(error, signal);
    }
    if (!response.ok) {
      throw await refusal(response);
    }
    return response;
  }

  async #json(method, path, options = {}) {
    const bytes = await whole(await this.#ask(method, path, options), MOST_JSON);
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
      throw new Failure('answer', 'the server sent an answer that is not JSON: tell the operator');
    }
  }

  #post(path, value, options = {}) {
    const headers = { 'content-type': 'application/json', ...options.headers };
    return this.#json('POST', path, { ...options, body: JSON.stringify(value), headers });
  }

  async plans() {
    const { plans } = await this.#json('GET', '/v1/plans');
    if (!Array.isArray(plans) || !plans.every((plan) => isDigest(plan?.digest))) {
      throw new Failure('answer', 'the server sent a list of plans without digests: tell the operator');
    }
    return plans;
  }

  async plan(digest) {
    return whole(await this.#ask('GET', `/v1/plans/${digest}`), MOST_JSON);
  }

  begin(announcement, signal) {
    return this.#post('/v1/uploads', announcement, { signal });
  }

  send(upload, offset, piece, signal) {
    return this.#json('PUT', `/v1/uploads/${name(upload)}?offset=${offset}`, { body: piece, signal });
  }

  submit(submission, key, signal) {
    return this.#post('/v1/jobs', submission, { signal, headers: { 'idempotency-key': key } });
  }

  job(id, wait, signal) {
    return this.#json('GET', `/v1/jobs/${name(id)}?wait=${wait}`, { signal });
  }

  cancel(id) {
    return this.#json('POST', `/v1/jobs/${name(id)}/cancel`);
  }

  results(id, offset, signal) {
    return this.#ask('GET', `/v1/jobs/${name(id)}/results?offset=${offset}`, { signal });
  }

  async removeJob(id) {
    await this.#ask('DELETE', `/v1/jobs/${name(id)}`);
  }

  async removeInputs(plan, digest) {
    await this.#ask('DELETE', `/v1/plans/${plan}/inputs/${digest}`);
  }
}

function isDigest(text) {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

/** A name that the server made, for a path. */
function name(text) {
  if (typeof text !== 'string' || !/^[0-9a-f]{32}$/.test(text)) {
    throw new Failure('answer', 'the server sent a name that is none: tell the operator');
  }
  return text;
}

/** The failure of a connection. */
export function broken(error, signal) {
  if (signal?.aborted || error?.name === 'AbortError') {
    return new Failure('cancelled', 'cancelled');
  }
  return new Failure('offline', String(error?.message ?? error));
}

async function whole(response, most) {
  const parts = [];
  let count = 0;
  try {
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) {
        break;
      }
      count += value.length;
      if (count > most) {
        await reader.cancel();
        throw new Failure('answer', 'the server sent more than such an answer has: tell the operator');
      }
      parts.push(value);
    }
  } catch (error) {
    throw error instanceof Failure ? error : broken(error);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
