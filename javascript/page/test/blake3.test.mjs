// Digests against the test vectors of BLAKE3: inputs are the bytes 0, 1, … 250, 0, 1, ….

import assert from 'node:assert/strict';
import test from 'node:test';
import { Blake3 } from '../blake3.js';

const VECTORS = {
  0: 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262',
  1: '2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213',
  1024: '42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7',
  1025: 'd00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444',
  2048: 'e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a',
  2049: '5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030',
  3073: '7124b49501012f81cc7f11ca069ec9226cecb8a2c850cfe644e327d22d3e1cd3',
  31744: '62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47',
  102400: 'bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085',
};

function input(length) {
  return Uint8Array.from({ length }, (_, at) => at % 251);
}

function digest(bytes, piece) {
  const hasher = new Blake3();
  for (let at = 0; at < bytes.length; at += piece) {
    hasher.update(bytes.subarray(at, at + piece));
  }
  return hasher.digest();
}

test('digests are those of the test vectors, in pieces of any length', () => {
  for (const [length, expected] of Object.entries(VECTORS)) {
    for (const piece of [1, 63, 64, 65, 1000, 1 << 20]) {
      assert.equal(digest(input(Number(length)), piece), expected, `${length} bytes in pieces of ${piece}`);
    }
  }
});
