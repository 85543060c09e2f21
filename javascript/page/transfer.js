// Uploads in pieces that go on where they broke off, and downloads that do.

import { Failure } from './failure.js';
import { broken } from './service.js';

/** The bytes of a request of an upload. */
export const PIECE = 4 << 20;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** How often an attempt is repeated after a failure of the connection. */
const ATTEMPTS = 6;
/** How long a busy server is waited for in all, in milliseconds. */
const LONGEST_BUSY = 3_600_000;
/** How many seconds a server may wait for the end of a job before it answers. */
const POLL_S = 5;
/** The least pause between two questions about a job, in milliseconds. */
const LEAST_PAUSE = 300;
/** How long the end of a job is waited for in all, in milliseconds: a day. */
const LONGEST_JOB = 24 * 3_600_000;

/** Waits, and ends early with a failure if the signal is aborted. */
export function rest(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new Failure('cancelled', 'cancelled'));
    };
    if (signal?.aborted) {
      reject(new Failure('cancelled', 'cancelled'));
      return;
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Repeats an attempt after failures of the connection, and for an hour while the server says that it is busy. `onWait` gets the
 * failure and the seconds until the next attempt.
 */
export async function persist(attempt, { signal, onWait, pauseFor = rest }) {
  let failures = 0;
  let waited = 0;
  for (;;) {
    try {
      return await attempt(() => {
        failures = 0;
      });
    } catch (error) {
      const isBusy = error.kind === 'refused' && [408, 429, 503].includes(error.status);
      // The server may not have noticed yet that the last connection broke.
      const isConflict = error.kind === 'refused' && error.status === 409;
      if (!isBusy && !isConflict && error.kind !== 'offline') {
        throw error;
      }
      failures += isBusy ? 0 : 1;
      if (failures >= ATTEMPTS || (error.kind === 'offline' && !navigator.onLine)) {
        throw error;
      }
      const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);
      const wait = isBusy && error.wait ? Math.max(FIRST_PAUSE, error.wait * 1000) : pause;
      waited += isBusy ? wait : 0;
      if (waited > LONGEST_BUSY) {
        throw error;
      }
      onWait(error, wait / 1000);
      await pauseFor(wait, signal);
    }
  }
}

/** Sends a file unless the server has it, piece by piece; `read(offset, length)` returns its bytes. */
export async function upload(service, announcement, read, { signal, onProgress, onWait, pauseFor }) {
  let [furthest, losses] = [0, 0];
  return persist(
    async (succeeded) => {
      const begun = await service.begin(announcement, signal);
      if (begun.complete) {
        return begun.complete;
      }
      const { bytes } = announcement;
      let stored = offset(begun.upload?.stored_bytes, bytes);
      // It has less than it took before: that may happen when it is restarted, but not for ever.
      losses += stored < furthest ? 1 : 0;
      if (losses >= ATTEMPTS) {
        throw new Failure('answer', 'the server loses what is sent to it: tell the operator');
      }
      while (stored < bytes) {
        onProgress(stored, bytes);
        const piece = await read(stored, Math.min(PIECE, bytes - stored));
        const view = await service.send(begun.upload.id, stored, piece, signal);
        succeeded();
        stored += piece.byteLength;
        furthest = Math.max(furthest, stored);
        if (stored < bytes && view.stored_bytes !== stored) {
          throw new Failure('refused', 'the upload changed meanwhile', { status: 409 });
        }
      }
      onProgress(bytes, bytes);
    },
    { signal, onWait, pauseFor },
  );
}

/**
 * Asks about a job until `ask`, which gets the seconds that the server may wait, returns something. A server that answers at once is
 * asked as seldom as one that waits, and one that never ends the job is given up after a day.
 */
export async function poll(ask, { signal, pauseFor = rest, now = () => performance.now() } = {}) {
  const begun = now();
  let waited = 0;
  for (let wait = 0; ; wait = POLL_S) {
    const asked = now();
    const ended = await ask(wait);
    if (ended !== undefined) {
      return ended;
    }
    const pause = Math.max(LEAST_PAUSE, wait * 1000 - (now() - asked));
    waited = Math.max(waited + pause, now() - begun);
    if (waited > LONGEST_JOB) {
      throw new Failure('job', 'the job has not ended after a day: its results can still be fetched below, or cancel it');
    }
    await pauseFor(pause, signal);
  }
}

function offset(value, bytes) {
  if (!Number.isSafeInteger(value) || value < 0 || value > bytes) {
    throw new Failure('answer', 'the server sent a length that is none: tell the operator');
  }
  return value;
}

/** Fetches the results of a job, of `bytes` bytes. */
export async function download(service, job, bytes, { signal, onProgress, onWait }) {
  const results = new Uint8Array(bytes);
  let stored = 0;
  await persist(
    async (succeeded) => {
      const response = await service.results(job, stored, signal);
      try {
        for (const reader = response.body.getReader(); ; ) {
          const { done, value } = await reader.read();
          if (done) {
            break;
          }
          if (stored + value.length > bytes) {
            await reader.cancel();
            throw new Failure('results', 'the server sent more results than it said');
          }
          results.set(value, stored);
          stored += value.length;
          succeeded();
          onProgress(stored, bytes);
        }
      } catch (error) {
        throw error instanceof Failure ? error : broken(error, signal);
      }
      if (stored < bytes) {
        throw new Failure('offline', 'the results ended early');
      }
    },
    { signal, onWait },
  );
  return results;
}
