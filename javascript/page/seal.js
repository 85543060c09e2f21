// Secrets under a passphrase, by the browser's own cryptography: PBKDF2 and AES-GCM.

import { Failure } from './failure.js';

/** Iterations of PBKDF2 with SHA-256 for new keys; none that this page made has fewer. */
const ITERATIONS = 600_000;
const MOST_ITERATIONS = 10_000_000;

function random(count) {
  return crypto.getRandomValues(new Uint8Array(count));
}

export function newId() {
  return Array.from(random(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** How a key is derived from a new passphrase. */
export function newDerivation() {
  return { salt: random(16), iterations: ITERATIONS };
}

/** The key of a passphrase. Nobody can read it, nor anyone who has the page's memory in JavaScript. */
export async function wrappingKey(passphrase, { salt, iterations }) {
  if (!(iterations >= ITERATIONS && iterations <= MOST_ITERATIONS)) {
    throw new Failure('browser', 'the stored keys are damaged: forget them, and make new ones');
  }
  const bytes = new TextEncoder().encode(passphrase.normalize('NFC'));
  const given = await crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveKey']);
  bytes.fill(0);
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return crypto.subtle.deriveKey(derivation, given, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

/** What is authenticated beside encrypted bytes: what they are, their plan and their keys. */
function additional(what, { plan, id }) {
  return new TextEncoder().encode(`asanoha page 1\n${what}\n${plan}\n${id}`);
}

/** Encrypts bytes of some keys, and erases them. */
export async function seal(key, what, keys, bytes) {
  const iv = random(12);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: additional(what, keys) }, key, bytes);
  bytes.fill(0);
  return { iv, sealed };
}

/** Decrypts bytes of some keys. */
export async function unseal(key, what, keys, { iv, sealed }) {
  try {
    const algorithm = { name: 'AES-GCM', iv, additionalData: additional(what, keys) };
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, sealed));
  } catch {
    throw new Failure('passphrase', 'this passphrase does not open these keys: check it and enter it again');
  }
}

/** Joins files, by name, to one. */
export function pack(files) {
  const entries = Object.entries(files);
  const head = new TextEncoder().encode(JSON.stringify(entries.map(([name, bytes]) => [name, bytes.length])));
  const packed = new Uint8Array(entries.reduce((sum, [, bytes]) => sum + bytes.length, 4 + head.length));
  new DataView(packed.buffer).setUint32(0, head.length);
  packed.set(head, 4);
  let at = 4 + head.length;
  for (const [, bytes] of entries) {
    packed.set(bytes, at);
    at += bytes.length;
  }
  return packed;
}

/** The files of which one was made. They share its memory. */
export function unpack(packed) {
  const length = new DataView(packed.buffer, packed.byteOffset).getUint32(0);
  const entries = JSON.parse(new TextDecoder().decode(packed.subarray(4, 4 + length)));
  let at = 4 + length;
  const files = {};
  for (const [name, count] of entries) {
    files[name] = packed.subarray(at, at + count);
    at += count;
  }
  return files;
}
