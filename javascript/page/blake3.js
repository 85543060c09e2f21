// BLAKE3, by which a service knows files: https://github.com/BLAKE3-team/BLAKE3-specs, section 2.

const IV = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
const ROUNDS = 7;
const BLOCK = 64;
/** Blocks of a chunk. */
const BLOCKS = 16;
const CHUNK_START = 1;
const CHUNK_END = 2;
const PARENT = 4;
const ROOT = 8;

/** Which word of the block comes at each place of each round. */
const SCHEDULE = new Uint8Array(ROUNDS * 16);
for (let at = 0; at < SCHEDULE.length; at += 1) {
  SCHEDULE[at] = at < 16 ? at : SCHEDULE[at - (at % 16) - 16 + PERMUTATION[at % 16]];
}

// Signed words: engines keep them as integers, and add and rotate alike.
const state = new Int32Array(16);

function mix(a, b, c, d, x, y) {
  let va = state[a];
  let vb = state[b];
  let vc = state[c];
  let vd = state[d];
  va = (va + vb + x) | 0;
  vd ^= va;
  vd = (vd >>> 16) | (vd << 16);
  vc = (vc + vd) | 0;
  vb ^= vc;
  vb = (vb >>> 12) | (vb << 20);
  va = (va + vb + y) | 0;
  vd ^= va;
  vd = (vd >>> 8) | (vd << 24);
  vc = (vc + vd) | 0;
  vb ^= vc;
  state[a] = va;
  state[b] = (vb >>> 7) | (vb << 25);
  state[c] = vc;
  state[d] = vd;
}

/** Writes the chaining value of a block of words. */
function compress(chaining, words, counter, length, flags, out) {
  state.set(chaining);
  for (let at = 0; at < 4; at += 1) {
    state[8 + at] = IV[at];
  }
  state[12] = counter;
  state[13] = Math.floor(counter / 2 ** 32);
  state[14] = length;
  state[15] = flags;
  for (let at = 0; at < SCHEDULE.length; at += 16) {
    mix(0, 4, 8, 12, words[SCHEDULE[at]], words[SCHEDULE[at + 1]]);
    mix(1, 5, 9, 13, words[SCHEDULE[at + 2]], words[SCHEDULE[at + 3]]);
    mix(2, 6, 10, 14, words[SCHEDULE[at + 4]], words[SCHEDULE[at + 5]]);
    mix(3, 7, 11, 15, words[SCHEDULE[at + 6]], words[SCHEDULE[at + 7]]);
    mix(0, 5, 10, 15, words[SCHEDULE[at + 8]], words[SCHEDULE[at + 9]]);
    mix(1, 6, 11, 12, words[SCHEDULE[at + 10]], words[SCHEDULE[at + 11]]);
    mix(2, 7, 8, 13, words[SCHEDULE[at + 12]], words[SCHEDULE[at + 13]]);
    mix(3, 4, 9, 14, words[SCHEDULE[at + 14]], words[SCHEDULE[at + 15]]);
  }
  for (let at = 0; at < 8; at += 1) {
    out[at] = state[at] ^ state[at + 8];
  }
}

/** The chaining value of two subtrees. */
function join(left, right, flags) {
  const words = new Int32Array(16);
  words.set(left);
  words.set(right, 8);
  const joined = new Int32Array(8);
  compress(IV, words, 0, BLOCK, PARENT | flags, joined);
  return joined;
}

/** A hash that takes its bytes piece by piece. */
export class Blake3 {
  #block = new Uint8Array(BLOCK);
  #words = new Int32Array(this.#block.buffer);
  #filled = 0;
  #blocks = 0;
  #chunks = 0;
  #chaining = Int32Array.from(IV);
  /** Chaining values of complete subtrees, the largest first. */
  #subtrees = [];

  update(bytes) {
    for (let at = 0; at < bytes.length; ) {
      if (this.#filled === BLOCK) {
        this.#next();
      }
      const part = bytes.subarray(at, at + BLOCK - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
    }
  }

  #compress(flags, out) {
    const start = this.#blocks === 0 ? CHUNK_START : 0;
    compress(this.#chaining, this.#words, this.#chunks, this.#filled, start | flags, out);
  }

  /** Takes in a full block that more bytes follow. */
  #next() {
    const isLast = this.#blocks === BLOCKS - 1;
    this.#compress(isLast ? CHUNK_END : 0, this.#chaining);
    this.#filled = 0;
    this.#blocks += 1;
    if (!isLast) {
      return;
    }
    this.#chunks += 1;
    let subtree = this.#chaining;
    for (let count = this.#chunks; count % 2 === 0; count /= 2) {
      subtree = join(this.#subtrees.pop(), subtree, 0);
    }
    this.#subtrees.push(subtree);
    this.#chaining = Int32Array.from(IV);
    this.#blocks = 0;
  }

  /** Returns the digest as 64 hexadecimal digits. Nothing can be added after. */
  digest() {
    this.#block.fill(0, this.#filled);
    let root = new Int32Array(8);
    this.#compress(this.#subtrees.length === 0 ? CHUNK_END | ROOT : CHUNK_END, root);
    while (this.#subtrees.length > 0) {
      const left = this.#subtrees.pop();
      root = join(left, root, this.#subtrees.length === 0 ? ROOT : 0);
    }
    return Array.from(new Uint8Array(root.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}
