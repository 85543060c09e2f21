// The client of asanoha for browsers and Node. `index.d.ts` documents it.

import start, * as native from "./native/asanoha.js";
import { addColumn } from "./columns.js";
import { DataError, FormatError, SecretError, guarded } from "./errors.js";
import { Results } from "./results.js";

export * from "./errors.js";
export { Output, Results } from "./results.js";

const call = (work) => guarded(native.lastPanic, work);
const isNode = typeof process !== "undefined" && process.versions?.node !== undefined;

let started = null;

async function wasm(source) {
  if (source !== undefined) return source;
  const module = new URL("./native/asanoha_bg.wasm", import.meta.url);
  if (!isNode) return module;
  // Bundlers for browsers must not look for it.
  const files = "node:fs/promises";
  const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ files);
  return readFile(module);
}

export function init(source) {
  started ??= wasm(source).then((from) => start({ module_or_path: from }));
  return started.then(() => undefined);
}

function bytesOf(data, what) {
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw new FormatError(`${what}: give the bytes of a file, as a Uint8Array or an ArrayBuffer`);
}

const MOST_PASSPHRASE_BYTES = 1024;

function passphraseOf(text) {
  if (text === undefined) return undefined;
  const refuse = (why) => {
    throw new SecretError(`the passphrase: ${why}`);
  };
  if (typeof text !== "string" || text === "") refuse("an empty passphrase hides nothing");
  if (/[\n\r\0]/u.test(text)) refuse("a passphrase is one line of text");
  if (new TextEncoder().encode(text).length > MOST_PASSPHRASE_BYTES) refuse("a passphrase has at most 1024 bytes");
  // What looks the same is the same, as the program has it.
  return new TextEncoder().encode(text.normalize("NFC"));
}

export class Plan {
  #native;
  #figures;

  constructor(made) {
    if (!(made instanceof native.NativePlan)) throw new FormatError("a plan is read with Plan.fromBytes(bytes)");
    this.#native = made;
    this.#figures = Object.freeze(JSON.parse(made.figures()));
  }

  static fromBytes(bytes, { name = "plan" } = {}) {
    return call(() => new Plan(native.NativePlan.fromBytes(bytesOf(bytes, name), name)));
  }

  static nativeOf(plan) {
    if (!(plan instanceof Plan)) throw new FormatError("give a plan, of Plan.fromBytes(bytes)");
    return plan.#native;
  }

  toBytes() {
    return call(() => this.#native.toBytes());
  }

  check(data, options = {}) {
    const taken = dataOf(this, data, options);
    try {
      call(() => taken.check(this.#native));
    } finally {
      taken.free();
    }
  }

  mostResultBytes() {
    return call(() => this.#native.mostResultBytes());
  }

  toString() {
    return call(() => this.#native.describe());
  }

  get digest() {
    return this.#figures.digest;
  }

  get program() {
    return this.#figures.program;
  }

  get roundedConstants() {
    return this.#figures.roundedConstants;
  }

  get scheme() {
    return this.#figures.scheme;
  }

  get securityBits() {
    return this.#figures.securityBits;
  }

  get rows() {
    return this.#figures.rows;
  }

  get fewerRows() {
    return this.#figures.fewerRows;
  }

  get exact() {
    return this.#figures.isExact;
  }

  get columns() {
    return this.#figures.columns;
  }

  get outputs() {
    return this.#figures.outputs;
  }

  get finished() {
    return this.#figures.finished;
  }

  get predicted() {
    return this.#figures.predicted;
  }
}

function dataOf(plan, data, { name = "data", missing = "raise", decimalComma = false, thousands = false }) {
  const made = Plan.nativeOf(plan);
  const text = typeof data === "string" ? new TextEncoder().encode(data) : data;
  if (text instanceof Uint8Array || text instanceof ArrayBuffer) {
    const bytes = bytesOf(text, name);
    return call(() => native.NativeData.fromCsv(made, bytes, name, missing, decimalComma, thousands));
  }
  if (data === null || typeof data !== "object" || ArrayBuffer.isView(data)) {
    throw new DataError("the data are columns by their names, { name: values }, or the bytes of a CSV file");
  }
  const given = data instanceof Map ? data : new Map(Object.entries(data));
  return call(() => {
    const columns = new native.NativeColumns([...given.keys()]);
    for (const planned of plan.columns) {
      if (given.has(planned.name)) addColumn(columns, planned, given.get(planned.name));
    }
    return native.NativeData.fromColumns(made, columns, missing);
  });
}

export class EvaluationKeys {
  #client;
  #next = 0;

  constructor(client, byteLength) {
    this.#client = client;
    this.byteLength = byteLength;
  }

  nextChunk() {
    const chunk = call(() => this.#client.evaluationPiece(this.#next));
    if (chunk === undefined) return null;
    this.#next += 1;
    return chunk;
  }

  *[Symbol.iterator]() {
    for (let chunk = this.nextChunk(); chunk !== null; chunk = this.nextChunk()) yield chunk;
  }

  stream() {
    return new ReadableStream({
      pull: (controller) => {
        const chunk = this.nextChunk();
        if (chunk === null) {
          controller.close();
        } else {
          controller.enqueue(chunk);
        }
      },
    });
  }
}

const SECRET = "secret.safetensors";
const SEALED = "secret.sealed";
const PUBLIC = "public.safetensors";
const PUBLISHED = "published.json";

// The digest of the inputs that are meant, if there are any.
function digestOf(inputs) {
  if (inputs === undefined || typeof inputs === "string") return inputs;
  if (typeof inputs?.digest === "string") return inputs.digest;
  return call(() => native.digestOf(bytesOf(inputs, "inputs")));
}

export class Client {
  #native;

  constructor(plan, made) {
    if (!(made instanceof native.NativeClient)) {
      throw new SecretError("a client is made by Client.generate(plan), or by Client.load(plan, files)");
    }
    this.plan = plan;
    this.#native = made;
  }

  static generate(plan, { progress, insecureSeed } = {}) {
    const made = Plan.nativeOf(plan);
    return call(() => new Client(plan, native.NativeClient.generate(made, insecureSeed, progress)));
  }

  static load(plan, files, { passphrase } = {}) {
    const made = Plan.nativeOf(plan);
    const given = files instanceof Map ? files : new Map(Object.entries(files));
    const name = passphrase === undefined && given.has(SECRET) ? SECRET : SEALED;
    if (!given.has(name)) {
      throw new FormatError(`the files have no secret key: ${name} is missing`);
    }
    if (name === SEALED && passphrase === undefined) {
      throw new FormatError(`${SEALED}: the secret key is encrypted under a passphrase, which is needed here`);
    }
    const secret = bytesOf(given.get(name), name);
    const client = call(() => native.NativeClient.load(made, secret, passphraseOf(passphrase)));
    try {
      for (const [other, bytes] of given) {
        if (other === PUBLIC || other === PUBLISHED || /^inputs-.*\.json$/u.test(other)) {
          call(() => client.addFile(other, bytesOf(bytes, other)));
        }
      }
    } catch (error) {
      client.free();
      throw error;
    }
    return new Client(plan, client);
  }

  save({ passphrase } = {}) {
    const sealed = passphraseOf(passphrase);
    return call(() => {
      const files = { [sealed === undefined ? SECRET : SEALED]: this.#native.secretFile(sealed) };
      const add = (name, bytes) => {
        if (bytes !== undefined) files[name] = bytes;
      };
      add(PUBLIC, this.#native.publicFile());
      add(PUBLISHED, this.#native.publicationsFile());
      this.#native.recordNames().forEach((name, at) => add(name, this.#native.recordFile(at)));
      return files;
    });
  }

  get keyId() {
    return call(() => this.#native.keyId());
  }

  publicKey() {
    return call(() => this.#native.publicFile()) ?? null;
  }

  evaluationKeys() {
    const byteLength = call(() => this.#native.evaluationBytes());
    if (byteLength === undefined) {
      throw new SecretError(
        "this client has no evaluation keys: they are made by Client.generate, aren't saved, and are given up by dropEvaluationKeys",
      );
    }
    return new EvaluationKeys(this.#native, byteLength);
  }

  dropEvaluationKeys() {
    call(() => this.#native.dropEvaluationKeys());
  }

  encrypt(data, options = {}) {
    const { canaries, progress } = options;
    if (canaries !== undefined && !(Number.isInteger(canaries) && canaries >= 1 && canaries < 2 ** 32)) {
      throw new DataError(`canaries is ${canaries}, and should be a whole number from 1 on`);
    }
    const taken = dataOf(this.plan, data, options);
    try {
      return call(() => {
        const made = this.#native.encrypt(taken, canaries, progress);
        const { digest, rows, leftOut, record, recordName } = made;
        const encrypted = { bytes: made.takeBytes(), digest, rows, leftOut: Array.from(leftOut) };
        made.free();
        return Object.freeze({ ...encrypted, record: Object.freeze({ name: recordName, bytes: record }) });
      });
    } finally {
      taken.free();
    }
  }

  decrypt(results, { of, progress, save } = {}) {
    const [bytes, digest] = [bytesOf(results, "results"), digestOf(of) ?? ""];
    return call(() => new Results(this.#native.decrypt(bytes, digest, save, progress), call));
  }

  async publish(results, { statisticalBits = 40, of, sameAs, trustServer = false, save } = {}) {
    if (typeof save !== "function") {
      throw new SecretError(
        "publish counts what is published under the key: keep the record with save: (name, bytes) => …, before the results are given away",
      );
    }
    if ((sameAs !== undefined) === trustServer) {
      throw new SecretError(
        "a server that doesn't follow the plan can put parts of the secret key into results: give sameAs (the results of a second evaluation) or trustServer: true, and not both",
      );
    }
    if (sameAs === results) {
      throw new SecretError("sameAs is the same object as the results: give the results of a second evaluation");
    }
    const [bytes, digest] = [bytesOf(results, "results"), digestOf(of) ?? ""];
    const second = sameAs === undefined ? undefined : bytesOf(sameAs, "sameAs");
    const published = call(() => new Results(this.#native.publish(bytes, digest, statisticalBits, second, save), call));
    const record = call(() => this.#native.publicationsFile());
    if (record !== undefined) await save(PUBLISHED, record);
    return published;
  }

  free() {
    this.#native.free();
  }

  toString() {
    return `<Client of keys ${this.keyId}, whose secret isn't shown>`;
  }

  toJSON() {
    throw new SecretError("a client holds the secret key and isn't turned into JSON: save it with save()");
  }
}

export class FileDigest {
  #native = call(() => new native.NativeDigest());

  update(bytes) {
    const part = bytesOf(bytes, "a file");
    call(() => this.#native.update(part));
    return this;
  }

  digest() {
    return call(() => this.#native.digest());
  }
}

export const version = () => call(() => native.version());
