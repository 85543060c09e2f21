// The program, and files that it makes: what the tests compare with.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { Plan } from "../index.js";

const PROGRAM = process.env.ASANOHA_PROGRAM;
if (PROGRAM === undefined) throw new Error("ASANOHA_PROGRAM names the program: cargo xtask test sets it");

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

// The seed of the tests, as the program has it and as bytes.
export const SEED = "5eed";
export const SEED_BYTES = Uint8Array.of(0x5e, 0xed, ...new Uint8Array(30));

// A folder in which the program works, with one plan.
export class Folder {
  constructor() {
    this.path = mkdtempSync(join(tmpdir(), "asanoha-"));
    process.once("exit", () => rmSync(this.path, { recursive: true, force: true }));
  }

  at(name) {
    return join(this.path, name);
  }

  read(name) {
    return new Uint8Array(readFileSync(this.at(name)));
  }

  write(name, bytes) {
    writeFileSync(this.at(name), bytes);
    return this.at(name);
  }

  // Calls the program in this folder; its answer, as JSON.
  run(...words) {
    const answer = execFileSync(PROGRAM, [...words, "--json"], {
      cwd: this.path,
      maxBuffer: 1 << 26,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return JSON.parse(answer.toString());
  }

  // Plans a program for data, and reads the plan. A second plan would take the first one's place under keys of the first.
  plan(program, data, ...options) {
    if (existsSync(this.at("plan.json"))) throw new Error("one folder has one plan: make another folder");
    this.write("program.asa", program);
    this.write("data.csv", data);
    this.run("plan", "program.asa", "--data", "data.csv", "--out", "plan.json", ...options);
    return Plan.fromBytes(this.read("plan.json"));
  }

  // Evaluates encrypted inputs with the keys of a client.
  evaluate(keys, inputs) {
    mkdirSync(this.at("server"), { recursive: true });
    this.write("server/evaluation.safetensors", keys);
    this.write("inputs", inputs);
    this.run("evaluate", "--plan", "plan.json", "--keys", "server", "--in", "inputs", "--out", "results", "--insecure");
    return this.read("results");
  }
}

// A file of the examples.
export const example = (name) => readFileSync(join(REPOSITORY, "examples", name));

// The whole file of a client's evaluation keys.
export const evaluationFile = (client) => new Uint8Array(Buffer.concat([...client.evaluationKeys()]));
