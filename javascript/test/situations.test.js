// The situations of clients that the program, the Python package and this package answer or refuse alike.

import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { before, describe, it } from "node:test";

import { Client, init } from "../index.js";
import { Folder } from "./program.js";

const { plans, data, situations } = JSON.parse(
  readFileSync(new URL("../../crates/testkit/situations/client.json", import.meta.url)),
);

const csv = (columns) => {
  const cell = (value) => (value === null ? '""' : String(value));
  const lists = Object.values(columns);
  const rows = lists[0].map((_, row) => lists.map((list) => cell(list[row])).join(","));
  return [Object.keys(columns).join(","), ...rows, ""].join("\n");
};

// Carries out the steps of a situation in a folder with a plan and keys.
class Stage {
  constructor({ program, data, options }) {
    this.folder = new Folder();
    this.plan = this.folder.plan(program, data, ...options.split(" "));
    this.program({ call: "keygen --no-passphrase --plan plan.json --out keys" });
    // The records of inputs by the inputs' names.
    this.records = {};
  }

  // A client with the files of a folder of keys.
  client(keys) {
    const names = readdirSync(this.folder.at(keys)).filter((name) => !name.startsWith("evaluation"));
    return Client.load(this.plan, new Map(names.map((name) => [name, this.folder.read(`${keys}/${name}`)])));
  }

  take(step) {
    return this[step.do](step);
  }

  program({ call }) {
    this.folder.run(...call.split(" "));
  }

  encrypt({ data: name, as, keys = "keys", missing, canaries }) {
    const client = this.client(keys);
    try {
      const { bytes, record } = client.encrypt(csv(data[name]), { missing, canaries });
      this.folder.write(as, bytes);
      this.records[as] = `${keys}/${record.name}`;
      this.folder.write(this.records[as], record.bytes);
    } finally {
      client.free();
    }
  }

  evaluate({ inputs, as, keys = "keys" }) {
    this.program({ call: `evaluate --plan plan.json --keys ${keys} --in ${inputs} --out ${as}` });
  }

  decrypt({ results, keys = "keys", of }) {
    const client = this.client(keys);
    try {
      const save = (name, bytes) => this.folder.write(`${keys}/${name}`, bytes);
      const named = of === undefined ? undefined : this.folder.read(of);
      return client.decrypt(this.folder.read(results), { of: named, save });
    } finally {
      client.free();
    }
  }

  copy({ from, to, records }) {
    const filter = (path) => records || !/inputs-[^/]*$/u.test(path);
    cpSync(this.folder.at(from), this.folder.at(to), { recursive: true, filter });
  }

  cut({ file }) {
    this.folder.write(file, this.folder.read(file).slice(0, -8));
  }

  forget({ inputs }) {
    rmSync(this.folder.at(this.records[inputs]));
  }

  edit({ inputs, cut, set }) {
    const text = new TextDecoder().decode(this.folder.read(this.records[inputs]));
    const edited = set === undefined ? text.slice(0, -cut) : JSON.stringify({ ...JSON.parse(text), ...set });
    this.folder.write(this.records[inputs], edited);
  }
}

describe("situations of clients", () => {
  before(() => init());

  for (const { name, plan, steps, answers, refused } of situations) {
    it(name, () => {
      const stage = new Stage(plans[plan]);
      steps.slice(0, -1).forEach((step) => stage.take(step));
      const last = () => stage.take(steps.at(-1));
      if (refused !== undefined) {
        assert.throws(last, (error) => error.name === refused.class && error.message.includes(refused.says));
        return;
      }
      const results = last();
      for (const [output, expected] of Object.entries(answers)) {
        const { values } = results.get(output);
        const cells = [expected].flat();
        assert.equal(values.length, cells.length);
        cells.forEach((cell, row) => {
          const isRight = cell === null ? Number.isNaN(values[row]) : Math.abs(values[row] - cell) < 1e-3;
          assert.ok(isRight, `${output} ${row}: ${values[row]}`);
        });
      }
    });
  }
});
