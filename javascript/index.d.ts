/**
 * Computes on encrypted data: the client of asanoha for browsers and Node.
 *
 * The program `asanoha` or the Python package makes a {@link Plan}, and a server evaluates it. The {@link Client} generates keys,
 * encrypts and decrypts; the secret key stays with it.
 *
 * Calls work until they are done, a few seconds for keys: in a page, make them in a worker.
 *
 * @example
 * import { Client, Plan, init } from "asanoha";
 *
 * await init();
 * const plan = Plan.fromBytes(planFile);
 * const client = Client.generate(plan);
 * const inputs = client.encrypt({ bmi: new Float64Array([21.5, 30.1]), age: [48, 59] });
 * // The server gets the plan, client.evaluationKeys() and inputs.bytes, and returns the file of the results.
 * const results = client.decrypt(resultsFile, { of: inputs });
 * console.log(results.get("score").texts); // ["0.59236516 ± 2.2e-7", …]
 */

/** The contents of a file. */
export type Bytes = Uint8Array | ArrayBuffer;

/** Files by the names that they have in a folder of keys, such as `secret.sealed`. */
export type Files = Record<string, Uint8Array>;

/**
 * Loads the WebAssembly module. Nothing else can be called before; further calls do nothing.
 *
 * @param source Where the module comes from, if it isn't beside the package: an address, a response, bytes or a module.
 */
export function init(
  source?: URL | string | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module,
): Promise<void>;

/** Returns the version of the package. */
export function version(): string;

/** A column that a plan encrypts. */
export interface PlannedColumn {
  readonly name: string;
  /** What its values are. Decimals are exact; real numbers are approximate. */
  readonly kind: "whole" | "decimal" | "real" | "category";
  /** The places after the point of decimals; 0 otherwise. */
  readonly places: number;
  /** The least value, as exact text: digits, or a fraction `p/q`. */
  readonly least: string;
  /** The largest value, as exact text. */
  readonly most: string;
  /** The texts of a category, in their order; empty otherwise. */
  readonly categories: readonly string[];
}

/** A result that a plan has. */
export interface PlannedOutput {
  readonly name: string;
  readonly kind: Kind;
  readonly shape: Shape;
}

/** What values are. */
export type Kind = "bool" | "whole" | "date" | "decimal" | "real";

/** A value for each row, or one number. */
export type Shape = "column" | "number";

/** The predictions of a plan. */
export interface Predicted {
  /** Bytes of the encrypted inputs, without the header of their file. */
  readonly inputBytes: number;
  /** Bytes of evaluation keys and ciphertexts in the server's memory. */
  readonly memoryBytes: number;
  /** Bits of precision of the least precise result; null if all are exact. */
  readonly precisionBits: number | null;
  /** Seconds of the evaluation, on the machine that made the plan. */
  readonly evaluateSeconds: number;
}

/** What can be said about data. */
export interface DataOptions {
  /** What messages call the data. Default: `"data"`. */
  name?: string;
  /**
   * What is done about missing values: null, undefined, NaN, and empty cells of CSV. The data are refused (`"raise"`, the default), rows
   * that miss a value are left out (`"mask"`), or a number takes its place (`"mean"`, `"zero"`).
   */
  missing?: "raise" | "mask" | "mean" | "zero";
  /** In CSV, the comma stands where the point does elsewhere: `13,05`. */
  decimalComma?: boolean;
  /** In CSV, digits stand in groups of three: `1,299.99`. */
  thousands?: boolean;
}

/**
 * The values of a column. Numbers of a `Float64Array` or an array of `number` are decimals where the plan has decimals; `bigint` and
 * digits in strings are exact. Strings are texts where the plan has a category.
 */
export type Values =
  | Float64Array
  | Float32Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Iterable<number | null | undefined>
  | Iterable<bigint | null | undefined>
  | Iterable<boolean | null | undefined>
  | Iterable<string | null | undefined>;

/** The columns of data by their names, or the text or bytes of a CSV file, which may be compressed by gzip. */
export type Data = Record<string, Values> | Map<string, Values> | Bytes | string;

/** A program with a scheme, parameters and a schedule. It is public: client and server both hold it. */
export class Plan {
  private constructor();

  /**
   * Reads the file of a plan, and checks it: schedule and predictions are derived again.
   *
   * @param options.name What messages call the file. Default: `"plan"`.
   * @throws {FormatError} If it is no plan of this version, doesn't hold together, or isn't as secure as it claims.
   */
  static fromBytes(bytes: Bytes, options?: { name?: string }): Plan;

  /** Returns the bytes of its file. */
  toBytes(): Uint8Array;

  /**
   * Throws what encrypting the data with this plan would throw.
   *
   * @throws {DataError} If the plan doesn't take the data.
   */
  check(data: Data, options?: DataOptions): void;

  /** The digest that ciphertexts of this plan carry, in hexadecimal digits. */
  readonly digest: string;
  /** The program, in the language of programs. It is public, with its constants. */
  readonly program: string;
  /**
   * The functions of constants in the program's text, such as `sqrt(2)`, and the numbers that it computes with in their places: exact
   * results are exact for these.
   */
  readonly roundedConstants: Readonly<Record<string, number | null>>;
  /** The scheme. */
  readonly scheme: "bgv" | "bfv" | "ckks" | "tfhe";
  /** The classical security of the parameters, in bits. */
  readonly securityBits: number;
  /** The rows that the plan is for, or the most. */
  readonly rows: number;
  /** Whether the plan takes fewer rows, too. */
  readonly fewerRows: boolean;
  /** Whether the scheme is exact. */
  readonly exact: boolean;
  /** The columns that are encrypted. Their names, kinds and ranges are public. */
  readonly columns: readonly PlannedColumn[];
  /** The results. */
  readonly outputs: readonly PlannedOutput[];
  /** The results that the key holder computes after decryption, and the parts that the holder can read. */
  readonly finished: readonly { readonly results: readonly string[]; readonly parts: readonly string[] }[];
  /** The predictions. */
  readonly predicted: Predicted;

  /** Returns the most bytes of a file of results, whatever the number of rows: refuse a server that sends more. */
  mostResultBytes(): number;

  /** Returns the plan in words. */
  toString(): string;
}

/** Hears how many parts of the work are done, and how many there are. What it throws ends the work. */
export type Progress = (done: number, all: number) => void;

/** The file of evaluation keys, in chunks of 1 MiB. */
export class EvaluationKeys implements Iterable<Uint8Array> {
  private constructor();

  /** The length of the file. */
  readonly byteLength: number;

  /** Returns the next bytes of the file, or null after the last. */
  nextChunk(): Uint8Array | null;

  /** The chunks that are still to come. */
  [Symbol.iterator](): Iterator<Uint8Array>;

  /** Returns the chunks that are still to come as a stream, such as the body of a request. */
  stream(): ReadableStream<Uint8Array>;
}

/** Encrypted inputs. */
export interface Encrypted {
  /** The bytes of their file, for the server. */
  readonly bytes: Uint8Array;
  /** The digest by which results name these inputs. */
  readonly digest: string;
  /** The number of rows that were encrypted, canaries included. */
  readonly rows: number;
  /** The rows of the data, from 0, that are left out because they miss a value. */
  readonly leftOut: readonly number[];
  /** What decryption needs to know of the inputs. It is secret; `save` includes it. */
  readonly record: { readonly name: string; readonly bytes: Uint8Array };
}

/** The holder of the secret key: encrypts data and decrypts results. */
export class Client {
  private constructor();

  /** The plan. */
  readonly plan: Plan;
  /** The identifier of the key generation. */
  readonly keyId: string;

  /**
   * Generates keys for a plan, from the randomness of the operating system.
   *
   * @param options.insecureSeed For tests only: 32 bytes from which all secrets follow, those of encryption too. The program makes the
   * same keys and ciphertexts with `--seed`.
   */
  static generate(plan: Plan, options?: { progress?: Progress; insecureSeed?: Uint8Array }): Client;

  /**
   * Returns the client whose files `save` returned, or that are in a folder of keys of `asanoha keygen`. It has no evaluation keys.
   *
   * @param files At least the secret key; with the records of inputs, results of them can be decrypted, and with `published.json`
   * results can be published.
   * @throws {FormatError} If a file is missing or damaged, or the passphrase is another or is missing.
   * @throws {WrongKeysError} If a file is of another plan or other keys.
   */
  static load(plan: Plan, files: Files | Map<string, Uint8Array>, options?: { passphrase?: string }): Client;

  /**
   * Returns what the client keeps, as the files of a folder of keys: `secret.sealed` under a passphrase (Argon2id and XChaCha20-Poly1305,
   * about a second), or else `secret.safetensors`; `public.safetensors`, `published.json` and a record of each inputs, all of which
   * are for the client alone.
   *
   * Without a passphrase the secret key is readable: encrypt it, for instance by WebCrypto, and overwrite it with `fill(0)`.
   *
   * @throws {SecretError} If the passphrase is empty, longer than 1024 bytes, or has several lines.
   */
  save(options?: { passphrase?: string }): Files;

  /** Returns the file of the public key, with which others encrypt; null in TFHE, where the secret key encrypts. */
  publicKey(): Uint8Array | null;

  /**
   * Returns the file of the keys that the server evaluates with, from its beginning. They are public.
   *
   * @throws {SecretError} If the client was loaded, or gave them up.
   */
  evaluationKeys(): EvaluationKeys;

  /** Gives the evaluation keys up, once the server has them: their memory can be used again. */
  dropEvaluationKeys(): void;

  /**
   * Encrypts the columns that the plan needs; others are passed over.
   *
   * @param options.canaries Copies of so many random rows, at random places. Decryption checks their results and removes them: a server
   * that alters rows, or computes another function, is noticed with a probability that grows with their number.
   * @throws {DataError} If the plan doesn't take the data. Rows count from 1, as in the messages of the program.
   */
  encrypt(data: Data, options?: DataOptions & { canaries?: number; progress?: Progress }): Encrypted;

  /**
   * Decrypts results, for the holder of the key. Keep them to yourself: a server that does not follow the plan can put parts of the
   * secret key into results. `publish` decrypts results that others may see.
   *
   * @param results The file that the server returned.
   * @param options.of The inputs that they must be of, by the name that the server wrote into them: what `encrypt` returned, the bytes
   * of their file, or their digest.
   * @param options.save Of inputs with canaries: keeps their record, which counts the results that were decrypted, before these are
   * returned. Put it in the place of the last one.
   * @throws {DataError} If they are of other inputs than this client encrypted, or than `of`.
   * @throws {CheckError} If they can't be right, canaries have wrong results now or had before, or an error bound exceeds all values of
   * an output. Don't tell the server why: each refusal that it learns of tells it a bit about the key.
   * @throws {FormatError} If the file is damaged, cut or edited.
   * @throws {SecretError} Without `save`, of inputs with canaries.
   * @throws {WrongKeysError} If they are of other keys.
   */
  decrypt(
    results: Bytes,
    options?: {
      of?: Encrypted | Bytes | string;
      progress?: Progress;
      save?: (name: string, bytes: Uint8Array) => void;
    },
  ): Results;

  /**
   * Decrypts results so that they can be given to others, on one of two grounds.
   *
   * A server that does not follow the plan can put parts of the secret key into results of any scheme, so `sameAs` or `trustServer` has
   * to be given. Approximate results get noise that hides what their errors tell of the key.
   *
   * Publications under a key are counted in its record. The count must not be forgotten, so `save` receives the record's file
   * before the results are returned: put it in the place of the last one.
   *
   * @param options.statisticalBits The bits of statistical security of the noise. Default: 40.
   * @param options.sameAs The results of a second evaluation, on a machine that the server does not control. These must be the same.
   * @param options.trustServer Whether you answer for the server. Every number is counted with its bits, and a key bears few.
   * @throws {CheckError} If the results are not those of the second evaluation, more bits would be shown than the key bears, or as of
   * `decrypt`.
   * @throws {SecretError} Without `save` or a ground, and if the client was loaded without `published.json`.
   */
  publish(
    results: Bytes,
    options: {
      save: (name: string, bytes: Uint8Array) => void | Promise<void>;
      statisticalBits?: number;
      of?: Encrypted | Bytes | string;
      sameAs?: Bytes;
      trustServer?: boolean;
    },
  ): Promise<Results>;

  /** Erases the keys. Nothing else can be called after. */
  free(): void;

  /** Returns a text without the secret. */
  toString(): string;
}

/** A decrypted result. */
export class Output {
  private constructor();

  readonly name: string;
  readonly shape: Shape;
  /** What the values are: real where they aren't exact. */
  readonly kind: Kind;
  /** The values, one for each row or one; NaN in rows that were left out, and in all where the column has no result. */
  readonly values: Float64Array;
  /** The number, of a result that is one; else null. */
  readonly value: number | null;
  /** The values as text with the decimals that the error bound leaves, and the bound: `"0.59236516 ± 2.2e-7"`. */
  readonly texts: readonly (string | null)[];
  /** How far every value may be off; 0 if they are exact. */
  readonly errorBound: number;
  /** Whether the values are exact, but for what a double rounds of a fraction. */
  readonly exact: boolean;
  /** The exact values as text, digits or `p/q`; null where they aren't exact. */
  readonly fractions: readonly (string | null)[] | null;
  /** Why there is no result for these data; else null. */
  readonly missing: string | null;
}

/** Decrypted results, in the order of the program. */
export class Results implements Iterable<Output> {
  private constructor();

  /** The names of the results. */
  readonly names: readonly string[];
  /** The rows of the data, from 0, that were left out. */
  readonly leftOut: readonly number[];
  /** The predicted noise of the noisiest result and what is to spare, in bits. */
  readonly noise: { readonly predictedBits: number; readonly budgetBits: number };
  /** How many ciphertexts were published under the key, and whether all are within the plan's precision; null if none are. */
  readonly published: { readonly count: number; readonly withinPrecision: boolean } | null;

  /** Returns the result of a name. */
  get(name: string): Output | undefined;

  /**
   * Returns the results as the program writes them with `decrypt --out`: a column for each output, empty in rows that were left out; single
   * numbers stand in the first row.
   *
   * @param options.errors Beside each output `y`, a column `y_error` with its error bound.
   * @param options.places So many places after the point, from 0 to 60.
   * @param options.exactFractions Fractions whose decimals don't end as `p/q`, in place of 17 digits.
   * @throws {DataError} If an output has the name of such a column, or places isn't such a number.
   */
  csv(options?: { errors?: boolean; places?: number; exactFractions?: boolean }): string;

  [Symbol.iterator](): Iterator<Output>;
}

/** The digest of a file, by which the service names what is uploaded: BLAKE3 in hexadecimal digits. */
export class FileDigest {
  constructor();

  /** Adds the next bytes of the file. */
  update(bytes: Bytes): this;

  /** Returns the digest of all bytes so far. */
  digest(): string;
}

/** An error of this package, with the message of the program. */
export class AsanohaError extends Error {
  /** The class, such as `"DataError"`. */
  readonly name: string;
  /** The same for programs, such as `"ASANOHA_DATA"`. */
  readonly code: string;
  /** The numbers and names of the message, such as `row` and `column`. */
  readonly figures: Readonly<Record<string, unknown>>;
}

/** Data that a plan doesn't take, or results of other inputs. */
export class DataError extends AsanohaError {}

/** Bytes that are foreign, cut, edited or of another version, and a wrong passphrase. */
export class FormatError extends AsanohaError {}

/** Keys and ciphertexts that don't belong together. */
export class WrongKeysError extends AsanohaError {}

/** Results that can't be correct, or whose error bound exceeds all values. */
export class CheckError extends AsanohaError {}

/** Parameters of a plan that don't allow what is asked. */
export class PlanError extends AsanohaError {}

/** A use of a secret that isn't allowed. */
export class SecretError extends AsanohaError {}

/** A bug in asanoha; please report it. Nothing can be called any more: load the module anew, in a new worker. */
export class InternalError extends AsanohaError {}
