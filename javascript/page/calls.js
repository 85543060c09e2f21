// Calls of the worker that has the library, the keys and the data.

import { Failure } from './failure.js';

const WORKER = '/page/engine.js';

/** Starts a worker. Its address is fixed: the policy makes no other address into a script's. */
function start() {
  const policy = globalThis.trustedTypes?.createPolicy('asanoha', {
    createScriptURL: (address) => {
      if (address !== WORKER) {
        throw new TypeError('the page has one worker');
      }
      return address;
    },
  });
  return new Worker(policy ? policy.createScriptURL(WORKER) : WORKER, { type: 'module' });
}

/** The worker, and the calls that it has not answered. */
export class Engine {
  #calls = new Map();
  #next = 0;
  #worker = start();
  #failed = null;

  constructor() {
    this.#worker.addEventListener('message', ({ data }) => this.#answer(data));
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#fail(event.message);
    });
    this.#worker.addEventListener('messageerror', () => this.#fail('an answer was damaged'));
  }

  #answer({ call, result, error, progress }) {
    const waiting = this.#calls.get(call);
    if (!waiting) {
      return;
    }
    if (progress) {
      waiting.onProgress?.(...progress);
      return;
    }
    this.#calls.delete(call);
    if (error) {
      waiting.reject(new Failure(error.kind, error.message));
    } else {
      waiting.resolve(result);
    }
  }

  #fail(message) {
    const why = message ?? 'it could not be loaded';
    this.#failed = new Failure('engine', `the encryption program stopped (${why}): load this page again`);
    for (const { reject } of this.#calls.values()) {
      reject(this.#failed);
    }
    this.#calls.clear();
  }

  /** Calls a function of the worker. */
  call(name, argument = {}, { onProgress, transfer = [] } = {}) {
    if (this.#failed) {
      return Promise.reject(this.#failed);
    }
    return new Promise((resolve, reject) => {
      const call = this.#next;
      this.#next += 1;
      this.#calls.set(call, { resolve, reject, onProgress });
      this.#worker.postMessage({ call, name, argument }, transfer);
    });
  }
}
