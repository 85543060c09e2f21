// From the same seed the program makes the same keys and ciphertexts, byte for byte; and a whole round has its results.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";

import { Client, init } from "../index.js";
import { Folder, SEED, SEED_BYTES, evaluationFile, example } from "./program.js";

const SHOP = "price,pieces\n1.25,3\n0.75,12\n199.99,1\n";

const CASES = {
  "CKKS, means of real numbers": {
    program: example("risk.asa"),
    data: example("data/diabetes.csv"),
    options: ["--scheme", "ckks", "--range", "bmi=10:70", "--range", "bp=40:200", "--range", "s5=2:8"],
    scheme: "ckks",
  },
  "BGV, sums of products of decimals": {
    program: "cost = price * pieces\ntotal = sum(price * pieces)\n",
    data: SHOP,
    options: ["--scheme", "bgv", "--range", "price=0:200", "--range", "pieces=0:15"],
    scheme: "bgv",
  },
  "BGV, conditions of real numbers": {
    program: "above = x >= 0.57\ncount = count(x == 0.57 or x < -8.0001)\n",
    data: "x\n5.7e-1\n1e-300\n-8.00010001e0\n5.6999e-1\n",
    options: ["--range", "x=-9:9"],
    scheme: "bgv",
  },
  "BGV, dates": {
    program: "due = day + 30\nlast = max(day)\nn = count(day > 2024-01-31)\n",
    data: "day\n2024-01-31\n2024-02-03\n2023-12-31\n",
    options: ["--range", "day=2023-12-01:2024-02-29"],
    scheme: "bgv",
  },
  "BFV, up to a number of rows": {
    program: "total = sum(pieces * pieces)\n",
    data: SHOP,
    options: ["--scheme", "bfv", "--rows", "100", "--range", "pieces=0:15"],
    scheme: "bfv",
  },
  "TFHE, comparisons": {
    program: "most = max(pieces, limit)\n",
    data: "pieces,limit\n3,4\n12,9\n",
    options: ["--scheme", "tfhe", "--range", "pieces=0:15", "--range", "limit=0:15"],
    scheme: "tfhe",
  },
};

for (const [name, { program, data, options, scheme }] of Object.entries(CASES)) {
  describe(name, () => {
    const folder = new Folder();
    const secrets = ["--seed", SEED, "--insecure"];
    let plan, client, inputs;

    before(async () => {
      await init();
      plan = folder.plan(program, data, ...options);
      folder.run("keygen", "--plan", "plan.json", "--out", "keys", "--no-passphrase", ...secrets);
      folder.run("encrypt", "--plan", "plan.json", "--keys", "keys", "--data", "data.csv", "--out", "inputs", ...secrets);
    });

    it("the plan says what the program says", () => {
      assert.equal(plan.scheme, scheme);
      assert.ok(plan.securityBits >= 128);
      assert.deepEqual(Buffer.from(plan.toBytes()), Buffer.from(folder.read("plan.json")));
    });

    it("the keys are the program's", () => {
      client = Client.generate(plan, { insecureSeed: SEED_BYTES });
      const files = client.save();
      for (const [file, bytes] of Object.entries(files)) {
        assert.ok(Buffer.from(bytes).equals(Buffer.from(folder.read(`keys/${file}`))), file);
      }
      assert.equal(Object.keys(files).length, scheme === "tfhe" ? 2 : 3);
      const keys = evaluationFile(client);
      assert.ok(Buffer.from(keys).equals(Buffer.from(folder.read("keys/evaluation.safetensors"))));
      assert.equal(client.evaluationKeys().byteLength, keys.length);
    });

    it("the ciphertexts are the program's", () => {
      inputs = client.encrypt(data, { name: "data.csv" });
      assert.ok(Buffer.from(inputs.bytes).equals(Buffer.from(folder.read("inputs"))));
    });

    it("results have the numbers and bounds of the program", () => {
      const results = folder.evaluate(evaluationFile(client), inputs.bytes);
      const own = client.decrypt(results, { of: inputs });
      const decrypted = folder.run("decrypt", "--plan", "plan.json", "--keys", "keys", "--in", "results", "--in-of", "inputs", "--insecure");
      assert.deepEqual(own.names, Object.keys(decrypted.outputs));
      own.names.forEach((output, at) => {
        const { values, texts, kind, errorBound, exact } = own.get(output);
        assert.equal(exact, scheme !== "ckks");
        assert.equal(values.length, decrypted.outputs[output].length);
        values.forEach((value, row) => {
          if (kind === "date") {
            const written = new Date(value * 86_400_000).toISOString().slice(0, 10);
            assert.deepEqual([texts[row], decrypted.outputs[output][row]], [written, written]);
            return;
          }
          assert.ok(Math.abs(value - decrypted.outputs[output][row]) <= 1e-12 + errorBound, `${output} ${row}`);
        });
        assert.ok(exact || errorBound <= decrypted.error_bounds[at]);
      });
    });
  });
}
