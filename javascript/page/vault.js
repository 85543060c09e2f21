// The browser's storage: encrypted secret keys, evaluation keys in pieces, and jobs whose results are still to be read.

import { Failure } from './failure.js';

const DATABASE = 'asanoha';
const VERSION = 1;

function settled(request) {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(failed(request.error)));
  });
}

function finished(transaction) {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', () => reject(failed(transaction.error)));
    transaction.addEventListener('error', () => reject(failed(transaction.error)));
  });
}

function failed(error) {
  if (error?.name === 'QuotaExceededError') {
    return new Failure('storage', error.message || 'its quota is used up');
  }
  return new Failure('browser', `the browser's storage failed: ${error?.message ?? 'it gives no reason'}`);
}

let opened;

function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, VERSION);
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore('keys', { keyPath: 'id' });
      request.result.createObjectStore('pieces');
      request.result.createObjectStore('jobs', { keyPath: 'id' });
    });
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(failed(request.error)));
  });
  return opened;
}

async function change(stores, work) {
  const transaction = (await database()).transaction(stores, 'readwrite');
  const done = finished(transaction);
  work(transaction);
  await done;
}

async function read(store, work) {
  const transaction = (await database()).transaction(store, 'readonly');
  return settled(work(transaction.objectStore(store)));
}

export async function putPiece(id, at, bytes) {
  await change(['pieces'], (transaction) => transaction.objectStore('pieces').put(bytes, [id, at]));
}

export async function piece(id, at) {
  const bytes = await read('pieces', (store) => store.get([id, at]));
  if (!bytes) {
    throw new Failure('browser', 'the browser lost a part of the stored keys: forget them, and make new ones');
  }
  return bytes;
}

export async function putKey(record) {
  await change(['keys'], (transaction) => transaction.objectStore('keys').put(record));
}

export async function keysOf(plan) {
  const all = await read('keys', (store) => store.getAll());
  return all.filter((record) => record.plan === plan).sort((one, other) => other.made - one.made);
}

export async function key(id) {
  return read('keys', (store) => store.get(id));
}

/** Removes keys, their pieces and their jobs. */
export async function forget(id) {
  const own = (await jobsOf(id)).map((job) => job.id);
  await change(['keys', 'pieces', 'jobs'], (transaction) => {
    transaction.objectStore('keys').delete(id);
    transaction.objectStore('pieces').delete(IDBKeyRange.bound([id], [id, []]));
    own.forEach((job) => transaction.objectStore('jobs').delete(job));
  });
}

export async function putJob(job) {
  await change(['jobs'], (transaction) => transaction.objectStore('jobs').put(job));
}

export async function job(id) {
  return read('jobs', (store) => store.get(id));
}

export async function jobsOf(key) {
  const all = await read('jobs', (store) => store.getAll());
  return all.filter((job) => job.key === key).sort((one, other) => other.sent - one.sent);
}

export async function forgetJob(id) {
  await change(['jobs'], (transaction) => transaction.objectStore('jobs').delete(id));
}
