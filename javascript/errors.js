// The errors of the package. `index.d.ts` documents them.

export class AsanohaError extends Error {
  constructor(message, figures = {}) {
    super(message);
    this.name = new.target.name;
    this.code = new.target.code;
    this.figures = figures;
  }

  static code = "ASANOHA";
}

export class DataError extends AsanohaError {
  static code = "ASANOHA_DATA";
}

export class FormatError extends AsanohaError {
  static code = "ASANOHA_FORMAT";
}

export class WrongKeysError extends AsanohaError {
  static code = "ASANOHA_WRONG_KEYS";
}

export class CheckError extends AsanohaError {
  static code = "ASANOHA_CHECK";
}

export class PlanError extends AsanohaError {
  static code = "ASANOHA_PLAN";
}

export class SecretError extends AsanohaError {
  static code = "ASANOHA_SECRET";
}

export class InternalError extends AsanohaError {
  static code = "ASANOHA_INTERNAL";
}

const CLASSES = new Map(
  [DataError, FormatError, WrongKeysError, CheckError, PlanError, SecretError, InternalError].map((own) => [
    own.name,
    own,
  ]),
);

// What ended the module: nothing in its memory can be relied on any more.
let ended = null;

const isTooDeep = (error) => /call stack|recursion/u.test(error?.message ?? "");

// Calls the native part, and throws its errors as those of the package.
export function guarded(lastPanic, work) {
  if (ended !== null) throw ended;
  try {
    return work();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || isTooDeep(error)) {
      const told = lastPanic();
      ended = new InternalError(told ?? "asanoha stopped, most likely because memory ran out: a page has 4 GiB at most");
      ended.cause = error;
      throw ended;
    }
    const own = CLASSES.get(error?.name);
    if (own === undefined || typeof error.figures !== "string") throw error;
    throw new own(error.message, JSON.parse(error.figures));
  }
}
