// Columns of JavaScript as the native part takes them.

import { DataError } from "./errors.js";

// What the program takes for a number: no hexadecimal digits, which `Number` takes.
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;

const isMissing = (value) => value === null || value === undefined || Number.isNaN(value);

function rowsMissing(values) {
  const rows = [];
  for (let row = 0; row < values.length; row += 1) {
    if (isMissing(values[row])) rows.push(row);
  }
  return Uint32Array.from(rows);
}

function addReal(columns, name, values, missing) {
  const numbers = Float64Array.from(values, (value) => (isMissing(value) ? 0 : value));
  columns.addReal(name, numbers, missing);
}

function addWhole(columns, name, values, missing) {
  const words = BigInt64Array.from(values, (value) => (isMissing(value) ? 0n : BigInt(value)));
  columns.addWhole(name, words, missing);
}

function addDigits(columns, name, values, missing) {
  columns.addDigits(name, Array.from(values, (value) => (isMissing(value) ? "0" : String(value).trim())), missing);
}

function addTexts(columns, name, values, missing) {
  const places = new Map();
  const words = BigInt64Array.from(values, (value) => {
    const text = isMissing(value) ? "" : value;
    if (isMissing(value)) return 0n;
    if (!places.has(text)) places.set(text, BigInt(places.size));
    return places.get(text);
  });
  columns.addTexts(name, words, [...places.keys()], missing);
}

function addNumbers(columns, planned, values, missing) {
  const isWhole = values.every((value) => isMissing(value) || Number.isSafeInteger(value));
  const add = isWhole && planned.kind !== "real" ? addWhole : addReal;
  add(columns, planned.name, values, missing);
}

function addStrings(columns, planned, values, missing) {
  const { name, kind } = planned;
  if (kind === "category") return addTexts(columns, name, values, missing);
  if (kind !== "real") return addDigits(columns, name, values, missing);
  const number = (text, row) => {
    if (isMissing(text)) return 0;
    const value = Number(text);
    if (!NUMBER.test(text.trim()) || !Number.isFinite(value)) {
      throw new DataError(`row ${row + 1} of column \`${name}\` is ${JSON.stringify(text)}, which isn't a number`, {
        column: name,
        row: row + 1,
      });
    }
    return value;
  };
  return addReal(columns, name, values.map(number), missing);
}

function addArray(columns, planned, values, missing) {
  const kinds = new Set();
  for (const value of values) {
    if (!isMissing(value)) kinds.add(typeof value);
  }
  const are = (...allowed) => [...kinds].every((kind) => allowed.includes(kind));
  const { name } = planned;
  if (kinds.size > 0 && are("string")) return addStrings(columns, planned, values, missing);
  if (are("boolean")) return addWhole(columns, name, values, missing);
  if (are("number")) return addNumbers(columns, planned, values, missing);
  if (are("bigint", "number") && values.every((value) => isMissing(value) || typeof value === "bigint" || Number.isSafeInteger(value))) {
    return addDigits(columns, name, values, missing);
  }
  throw new DataError(
    `column \`${name}\` has values of the types ${[...kinds].join(" and ")}: give numbers, bigints, booleans or strings`,
    { column: name },
  );
}

// Adds a column of a plan.
export function addColumn(columns, planned, values) {
  const { name } = planned;
  if (values instanceof Float64Array || values instanceof Float32Array) {
    return addReal(columns, name, values, rowsMissing(values));
  }
  const none = new Uint32Array();
  if (values instanceof BigInt64Array) return columns.addWhole(name, values, none);
  if (values instanceof BigUint64Array) return addDigits(columns, name, values, none);
  if (ArrayBuffer.isView(values) && !(values instanceof DataView)) return addWhole(columns, name, values, none);
  if (typeof values?.[Symbol.iterator] === "function" && typeof values !== "string") {
    const array = Array.from(values);
    return addArray(columns, planned, array, rowsMissing(array));
  }
  throw new DataError(`column \`${name}\` is no array`, { column: name });
}
