// Decrypted results. `index.d.ts` documents them.

import { DataError } from "./errors.js";

// Values with something else in the rows that were left out.
function withGaps(values, gaps, gap, make) {
  if (gaps.length === 0) return values;
  const left = new Set(gaps);
  const filled = make(values.length + gaps.length);
  let next = 0;
  for (let row = 0; row < filled.length; row += 1) {
    if (left.has(row)) {
      filled[row] = gap;
    } else {
      filled[row] = values[next];
      next += 1;
    }
  }
  return filled;
}

export class Output {
  constructor(figures, gaps, native, at) {
    this.name = figures.name;
    this.shape = figures.shape;
    this.kind = figures.kind;
    this.errorBound = figures.errorBound;
    this.missing = figures.missing;
    const rows = figures.shape === "column" ? gaps : [];
    const array = (length) => new Array(length);
    const values = native.values(at);
    const texts = figures.missing === null ? native.texts(at) : array(values.length).fill(null);
    this.values = withGaps(values, rows, Number.NaN, (length) => new Float64Array(length));
    this.texts = withGaps(texts, rows, null, array);
    const exact = figures.missing === null ? native.exact(at) : undefined;
    this.fractions = exact === undefined ? null : withGaps(exact, rows, null, array);
    Object.freeze(this);
  }

  get exact() {
    return this.missing === null && this.errorBound === 0;
  }

  get value() {
    return this.shape === "number" && this.missing === null ? this.values[0] : null;
  }
}

export class Results {
  #native;
  #call;
  #outputs;

  constructor(native, call) {
    this.#native = native;
    this.#call = call;
    const figures = JSON.parse(native.figures());
    const made = figures.outputs.map((output, at) => new Output(output, figures.leftOut, native, at));
    this.#outputs = new Map(made.map((output) => [output.name, output]));
    this.leftOut = figures.leftOut;
    this.noise = figures.noise;
    this.published = figures.published;
    Object.freeze(this);
  }

  get names() {
    return [...this.#outputs.keys()];
  }

  get(name) {
    return this.#outputs.get(name);
  }

  csv({ errors = false, places, exactFractions = false } = {}) {
    if (places !== undefined && !(Number.isInteger(places) && places >= 0 && places <= 60)) {
      throw new DataError(`places is ${places}, and should be a whole number from 0 to 60`);
    }
    return this.#call(() => this.#native.csv(errors, places, exactFractions));
  }

  [Symbol.iterator]() {
    return this.#outputs.values();
  }
}
