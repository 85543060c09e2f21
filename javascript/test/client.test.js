// A client alone: data, passphrases, records, publications, and what is refused.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { before, beforeEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";

import { CheckError, Client, DataError, FileDigest, FormatError, Plan, SecretError, WrongKeysError, init, version } from "../index.js";
import { Folder, evaluationFile } from "./program.js";

const PROGRAM = "cost = price * pieces\ntotal = sum(price * pieces)\nnorth = sum(region == 'north')\n";
const DATA = "price,pieces,region\n1.25,3,north\n0.75,12,south\n199.99,1,north\n";
const OPTIONS = ["--scheme", "bgv", "--rows", "5", "--range", "price=0:200", "--range", "pieces=0:15"];
const COLUMNS = {
  price: new Float64Array([1.25, 0.75, 199.99]),
  pieces: [3, 12, 1],
  region: ["north", "south", "north"],
};

describe("a client", () => {
  const folder = new Folder();
  let plan, client, keys;

  before(async () => {
    await init();
    plan = folder.plan(PROGRAM, DATA, ...OPTIONS);
    client = Client.generate(plan);
    keys = evaluationFile(client);
  });

  const round = (data, options) => {
    const inputs = client.encrypt(data, options);
    return client.decrypt(folder.evaluate(keys, inputs.bytes), { of: inputs });
  };

  it("reads what is public", () => {
    assert.deepEqual(
      plan.columns.map(({ name, kind, places }) => [name, kind, places]),
      [
        ["price", "decimal", 2],
        ["pieces", "whole", 0],
        ["region", "category", 0],
      ],
    );
    assert.deepEqual(plan.columns[2].categories, ["north", "south"]);
    assert.deepEqual([plan.columns[1].least, plan.columns[1].most], ["0", "15"]);
    assert.deepEqual([plan.rows, plan.fewerRows, plan.exact], [5, true, true]);
    assert.ok(plan.predicted.inputBytes > 0 && plan.predicted.precisionBits === null);
    assert.match(plan.toString(), /BGV/u);
    assert.deepEqual(plan.roundedConstants, {});
  });

  it("names the constants that a program rounds", () => {
    const rounds = new Folder().plan("y = x * sqrt(2) + sqrt(2.25)\n", "x\n1\n2\n");
    assert.deepEqual(rounds.roundedConstants, { "sqrt(2)": Math.SQRT2 });
    assert.match(rounds.toString(), /sqrt\(2\) to 1\.4142135623730951/u);
  });

  it("takes columns and CSV text, compressed too", () => {
    const sources = [COLUMNS, new Map(Object.entries(COLUMNS)), DATA, new TextEncoder().encode(DATA), gzipSync(DATA)];
    for (const data of sources) plan.check(data);
    const exact = { price: ["1.25", "0.75", "199.99"], pieces: [3n, 12n, 1n], region: COLUMNS.region };
    for (const data of [sources[0], exact]) {
      const results = round(data);
      assert.deepEqual([...results.get("cost").values], [3.75, 9, 199.99]);
      assert.deepEqual(results.get("cost").fractions, ["15/4", "9", "19999/100"]);
      assert.deepEqual(results.get("cost").texts, ["3.75", "9", "199.99"]);
      assert.equal(results.get("total").value, 212.74);
      assert.deepEqual(results.get("north").texts, ["2"]);
    }
  });

  it("leaves rows out that miss a value", () => {
    const missing = { ...COLUMNS, price: [1.25, null, 199.99] };
    assert.throws(() => client.encrypt(missing), (error) => error instanceof DataError && /missing: "mask"/u.test(error.message));
    const results = round(missing, { missing: "mask" });
    assert.deepEqual([...results.get("cost").values], [3.75, Number.NaN, 199.99]);
    assert.deepEqual(results.leftOut, [1]);
    assert.equal(results.get("total").value, 203.74);
    assert.equal(results.csv(), "cost,total,north\n3.75,203.74,2\n,,\n199.99,,\n");
    assert.equal(results.csv({ errors: true }).split("\n")[1], "3.75,0,203.74,0,2,0");
  });

  it("knows after it was loaded which rows were left out", () => {
    const [first, second] = [null, 12].map((pieces) => ({ ...COLUMNS, pieces: [3, pieces, pieces === null ? 1 : null] }));
    const inputs = client.encrypt(first, { missing: "mask" });
    const results = folder.evaluate(keys, inputs.bytes);
    assert.ok(results.length <= plan.mostResultBytes() && plan.mostResultBytes() < results.length + 2 ** 25);
    const again = Client.load(plan, client.save());
    again.encrypt(first, { missing: "mask" });
    assert.deepEqual(again.decrypt(results, { of: inputs }).leftOut, [1]);
    again.encrypt(second, { missing: "mask" });
    assert.throws(() => again.decrypt(results), DataError);
    assert.deepEqual(again.decrypt(results, { of: inputs }).leftOut, [1]);
    again.free();
    const { [inputs.record.name]: record, ...others } = client.save();
    const without = Client.load(plan, others);
    for (const of of [inputs, inputs.digest, inputs.bytes]) {
      assert.throws(() => without.decrypt(results, { of }), (error) => error instanceof DataError && /no record/u.test(error.message));
    }
    without.free();
    assert.deepEqual(Client.load(plan, { ...others, [inputs.record.name]: record }).decrypt(results, { of: inputs }).leftOut, [1]);
  });

  it("refuses data that the plan doesn't take", () => {
    const refused = (data, says, figures = {}) => {
      assert.throws(
        () => client.encrypt(data),
        (error) => {
          assert.ok(error instanceof DataError, error);
          assert.equal(error.code, "ASANOHA_DATA");
          assert.match(error.message, says);
          for (const [name, value] of Object.entries(figures)) assert.equal(error.figures[name], value);
          return true;
        },
      );
    };
    refused({ ...COLUMNS, pieces: [3, 16, 1] }, /row 2 of column `pieces` is outside of 0\.\.15/u, { row: 2, column: "pieces" });
    refused({ ...COLUMNS, pieces: [3, 1.5, 1] }, /real in the data and whole in the plan/u);
    refused({ ...COLUMNS, price: [1.255, 1, 2] }, /decimal of at most 2 places/u, { row: 1 });
    refused({ ...COLUMNS, price: ["1", "1e-3", "2"] }, /row 2 of column `price` is "1e-3", which isn't a number of digits/u, { row: 2 });
    refused({ ...COLUMNS, pieces: ["1", "0x2", "3"] }, /"0x2"/u, { row: 2 });
    refused({ ...COLUMNS, region: ["north", "west", "north"] }, /west/u, { row: 2 });
    refused({ ...COLUMNS, pieces: [1, "2", 3] }, /number and string/u);
    refused({ ...COLUMNS, pieces: [1] }, /has 3 rows, and column `pieces` has 1/u);
    refused({ price: COLUMNS.price }, /no column `pieces`/u, { column: "pieces" });
    refused("price,pieces\n1,2\n", /region/u);
    refused("price,pieces,region\n1;2,3,north\n", /^data, line 2, column 1/u);
    refused({ price: new Float64Array(6), pieces: new Int32Array(6), region: new Array(6).fill("north") }, /6/u);
    refused(7, /columns by their names/u);
  });

  it("reports progress, and stops if that throws", () => {
    const seen = [];
    client.encrypt(COLUMNS, { progress: (done, all) => seen.push([done, all]) });
    assert.deepEqual(seen.at(-1), [3, 3]);
    const stop = new Error("enough");
    const progress = () => {
      throw stop;
    };
    assert.throws(() => client.encrypt(COLUMNS, { progress }), (error) => error === stop);
    assert.throws(() => Client.generate(plan, { progress }), (error) => error === stop);
  });

  it("refuses results of other inputs, and altered files", () => {
    const [first, second] = [client.encrypt(COLUMNS), client.encrypt({ ...COLUMNS, pieces: [1, 1, 1] })];
    const results = folder.evaluate(keys, first.bytes);
    assert.throws(() => client.decrypt(results, { of: second }), (error) => error instanceof DataError && /other inputs/u.test(error.message));
    assert.equal(client.decrypt(results, { of: first.bytes }).get("total").value, 212.74);
    for (const at of [results.length - 9, results.length >> 1]) {
      const altered = results.slice();
      altered[at] ^= 1;
      assert.throws(() => client.decrypt(altered, { of: first }), (error) => error instanceof FormatError && /digest/u.test(error.message));
    }
    assert.throws(() => client.decrypt(results.slice(0, -8), { of: first }), FormatError);
    assert.throws(() => client.decrypt(new Uint8Array(10)), FormatError);
    assert.throws(() => client.decrypt("results"), FormatError);
    const stranger = Client.generate(plan);
    assert.throws(() => stranger.decrypt(results), WrongKeysError);
    const { [`secret.safetensors`]: secret } = stranger.save();
    const mixed = { ...client.save(), "secret.safetensors": secret };
    assert.throws(() => Client.load(plan, mixed), (error) => error instanceof WrongKeysError && /key generation/u.test(error.message));
    stranger.free();
  });

  it("notices canaries with wrong results", () => {
    const inputs = client.encrypt(COLUMNS, { canaries: 2 });
    const results = folder.evaluate(keys, inputs.bytes);
    // Their record counts the results that are decrypted, so it has to be kept.
    assert.throws(() => client.decrypt(results, { of: inputs }), SecretError);
    const kept = [];
    const save = (name, bytes) => kept.push([name, bytes]);
    assert.equal(client.decrypt(results, { of: inputs, save }).get("total").value, 212.74);
    assert.deepEqual(kept.map(([name]) => name), [inputs.record.name]);
    assert.equal(client.decrypt(results, { of: inputs, save }).get("total").value, 212.74);
    assert.equal(kept.length, 1);
    assert.throws(() => client.encrypt(COLUMNS, { canaries: 0 }), DataError);
    assert.ok(CheckError.prototype instanceof Error);
  });

  it("is saved under a passphrase and loaded", () => {
    const inputs = client.encrypt(COLUMNS);
    const results = folder.evaluate(keys, inputs.bytes);
    const files = client.save({ passphrase: "Straße é" });
    assert.ok("secret.sealed" in files && !("secret.safetensors" in files));
    assert.ok(inputs.record.name in files);
    const again = Client.load(plan, files, { passphrase: "Straße e\u0301" });
    assert.equal(again.keyId, client.keyId);
    assert.equal(again.decrypt(results, { of: inputs }).get("total").value, 212.74);
    assert.throws(() => again.evaluationKeys(), SecretError);
    assert.throws(() => Client.load(plan, files, { passphrase: "Strasse" }), (error) => error instanceof FormatError && /passphrase/u.test(error.message));
    assert.throws(() => Client.load(plan, files), /passphrase, which is needed/u);
    assert.throws(() => client.save({ passphrase: "" }), SecretError);
    assert.throws(() => JSON.stringify(client), SecretError);
    // The program reads the same folder.
    mkdirSync(folder.at("saved"));
    for (const [name, bytes] of Object.entries(client.save())) writeFileSync(folder.at(`saved/${name}`), bytes);
    folder.write("inputs", inputs.bytes);
    folder.write("results", results);
    const decrypted = folder.run("decrypt", "--plan", "plan.json", "--keys", "saved", "--in", "results", "--in-of", "inputs");
    assert.equal(decrypted.outputs.total[0], 212.74);
  });

  it("reads keys that the program made", () => {
    folder.write("passphrase", "a phrase\n");
    folder.run("keygen", "--plan", "plan.json", "--out", "made", "--passphrase-file", "passphrase");
    const files = { "secret.sealed": folder.read("made/secret.sealed"), "published.json": folder.read("made/published.json") };
    const made = Client.load(plan, files, { passphrase: "a phrase" });
    assert.equal(made.publicKey(), null);
    assert.equal(made.encrypt(COLUMNS).rows, 3);
    // What the program encrypted is decrypted by its record.
    folder.write("gaps.csv", DATA.replace("0.75", "NA"));
    const encrypted = folder.run("encrypt", "--plan", "plan.json", "--keys", "made", "--data", "gaps.csv", "--missing", "mask", "--out", "in");
    const results = folder.evaluate(folder.read("made/evaluation.safetensors"), folder.read("in"));
    assert.throws(() => made.decrypt(results, { of: encrypted.inputs_digest }), (error) => error instanceof DataError && /load its records/u.test(error.message));
    const record = folder.read(`made/${encrypted.record}`);
    const knows = Client.load(plan, { ...files, [encrypted.record]: record }, { passphrase: "a phrase" });
    assert.deepEqual(knows.decrypt(results).get("cost").texts, ["3.75", null, "199.99"]);
  });

  it("hands evaluation keys out in chunks, as a stream too", async () => {
    const stream = client.evaluationKeys().stream();
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    assert.ok(chunks.slice(0, -1).every((chunk) => chunk.length === 1 << 20));
    assert.ok(Buffer.concat(chunks).equals(Buffer.from(keys)));
    client.dropEvaluationKeys();
    assert.throws(() => client.evaluationKeys(), SecretError);
  });
});

describe("the package", () => {
  it("names files by their BLAKE3", async () => {
    await init();
    const digest = new FileDigest().update(new TextEncoder().encode("ab")).update(new TextEncoder().encode("c").buffer).digest();
    assert.equal(digest, "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85");
    assert.throws(() => new FileDigest().update("abc"), FormatError);
  });

  it("has one version", async () => {
    await init();
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    assert.equal(version(), manifest.version);
  });
});

describe("plans", () => {
  let folder;

  before(init);

  beforeEach(() => {
    folder = new Folder();
  });

  it("are refused if they are broken", () => {
    const plan = folder.plan("double = x + x\n", "x\n1\n2\n");
    const text = new TextDecoder().decode(plan.toBytes());
    const refused = (altered, says) =>
      assert.throws(() => Plan.fromBytes(new TextEncoder().encode(altered)), (error) => error instanceof FormatError && says.test(error.message));
    refused(text.slice(0, 200), /^plan:/u);
    refused("{}", /no version/u);
    refused(text.replace(/"version": \d+/u, '"version": 99'), /99/u);
    refused(text.replace(/"ring_degree": \d+/u, '"ring_degree": 1024'), /^plan: /u);
    assert.throws(() => Plan.fromBytes("{}"), FormatError);
  });

  it("for real numbers take texts that are numbers of the program", () => {
    const plan = folder.plan("y = x * x\n", "x\n0.5\n-0.123456789012345678\n", "--scheme", "ckks", "--range", "x=-20:20");
    assert.equal(plan.columns[0].kind, "real");
    for (const text of ["1e1", " 2 ", "+.5", "-7.", "1.25E-2"]) plan.check({ x: [text, "1"] });
    for (const text of ["0x10", "0b11", "1_0", "", ".", "1e", "Infinity", "1e999"]) {
      const refused = (error) => error instanceof DataError && error.figures.row === 2 && error.figures.column === "x";
      assert.throws(() => plan.check({ x: ["1", text] }), refused, text);
    }
  });

  it("whose output has no value for the data say why, and nothing else", () => {
    const plan = folder.plan("r = corr(a, b)\nt = sum(a)\n", "a,b\n1,2\n3,4\n", "--scheme", "bgv", "--range", "a=0:15", "--range", "b=0:15");
    const client = Client.generate(plan);
    const inputs = client.encrypt({ a: [1, 3], b: [5, 5] });
    const results = client.decrypt(folder.evaluate(evaluationFile(client), inputs.bytes), { of: inputs });
    const { missing, values, texts, value } = results.get("r");
    assert.match(missing, /the same in every row/u);
    assert.deepEqual([values.length, texts, value], [0, [], null]);
    assert.equal(results.csv(), "r,t\n,4\n");
  });

  it("whose column has no values for the data have a place for every row", () => {
    const plan = folder.plan("z = (a - mean(a)) / std(a)\nt = sum(a)\n", "a\n1\n3\n5\n", "--scheme", "bgv", "--rows", "9", "--range", "a=0:15");
    const client = Client.generate(plan);
    const inputs = client.encrypt({ a: [9, null, 9] }, { missing: "mask" });
    const results = client.decrypt(folder.evaluate(evaluationFile(client), inputs.bytes), { of: inputs });
    const { missing, values, texts, fractions, value } = results.get("z");
    assert.match(missing, /the divisor is 0/u);
    assert.deepEqual([Array.from(values), texts, fractions, value], [[NaN, NaN, NaN], [null, null, null], null, null]);
    assert.equal(results.csv(), "z,t\n,18\n,\n,\n");
  });

  it("for publication count what is published", async () => {
    const plan = folder.plan("mean_x = mean(x)\n", "x\n0.5\n0.25\n0.125\n", "--scheme", "ckks", "--publish", "30", "--precision-bits", "6", "--range", "x=0:1");
    const client = Client.generate(plan);
    const inputs = client.encrypt({ x: [0.5, 0.25, 0.125] });
    const results = folder.evaluate(evaluationFile(client), inputs.bytes);
    await assert.rejects(client.publish(results, { statisticalBits: 30 }), SecretError);
    const kept = {};
    const save = (name, bytes) => {
      kept[name] = bytes;
    };
    for (const grounds of [{}, { sameAs: results, trustServer: true }, { sameAs: results }]) {
      await assert.rejects(client.publish(results, { statisticalBits: 30, of: inputs, save, ...grounds }), SecretError);
    }
    const others = folder.evaluate(evaluationFile(client), client.encrypt({ x: [0.5, 0.25, 0.125] }).bytes);
    const differs = client.publish(results, { statisticalBits: 30, of: inputs, save, sameAs: others });
    await assert.rejects(differs, (error) => error instanceof CheckError && /second evaluation/u.test(error.message));
    assert.deepEqual(kept, {});
    const sameAs = folder.evaluate(evaluationFile(client), inputs.bytes);
    const published = await client.publish(results, { statisticalBits: 30, of: inputs, save, sameAs });
    const { value, errorBound } = published.get("mean_x");
    assert.ok(Math.abs(value - 0.875 / 3) <= errorBound && errorBound < 0.02);
    assert.equal(published.published.count, 1);
    assert.deepEqual(Object.keys(kept), ["published.json"]);
    const files = client.save();
    assert.deepEqual(files["published.json"], kept["published.json"]);
    const edited = { ...files, "published.json": new TextEncoder().encode(new TextDecoder().decode(files["published.json"]).replace(/"published":\[[^\]]*\]/u, '"published":[]')) };
    assert.throws(() => Client.load(plan, edited), (error) => error instanceof FormatError && /damaged or was edited/u.test(error.message));
    delete files["published.json"];
    const without = Client.load(plan, files);
    await assert.rejects(without.publish(results, { statisticalBits: 30, of: inputs, save, sameAs }), SecretError);
  });
});
