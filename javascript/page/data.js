// The step in which a CSV file is chosen and checked.

import { Step, get, onFile, say } from './elements.js';
import { bytes, failure, line } from './words.js';

/** A larger file does not fit a browser's memory together with its ciphertexts. */
const MOST_BYTES = 512 << 20;

export class DataStep extends Step {
  #engine;
  #checked;
  #file = null;

  /** `checked` is called with data that the plan takes, and with nothing when there are none any more. */
  constructor(engine, checked) {
    super('data-step');
    this.#engine = engine;
    this.#checked = checked;
    onFile(get('data-file'), get('data-drop'), (file) => this.#read(file));
    get('data-missing').addEventListener('change', () => {
      if (this.#file) {
        this.#read(this.#file);
      }
    });
  }

  /** Takes data once there is a plan. */
  offer(plan) {
    this.done('');
    this.problem('');
    get('data-file').value = '';
    this.#file = null;
    this.enable(plan !== null);
    this.#checked(null);
  }

  async #read(file) {
    this.#file = file;
    this.done('');
    this.problem('');
    this.#checked(null);
    this.enable(false);
    say('Checking the file…');
    try {
      if (file.size > MOST_BYTES) {
        throw new Error(`${line(file.name, 80)} has ${bytes(file.size)}, and this page takes ${bytes(MOST_BYTES)}: split the file, or use the program`);
      }
      const data = await file.arrayBuffer();
      const argument = { data, name: line(file.name, 80), missing: get('data-missing').value };
      const found = await this.#engine.call('checkData', argument, { transfer: [data] });
      const columns = found.columns.map((name) => line(name, 80)).join(', ');
      this.done(`${line(file.name, 80)} fits the plan. Of its columns only these are encrypted and sent: ${columns}.`);
      this.#checked({ name: file.name });
    } catch (error) {
      this.problem(failure(error));
    } finally {
      this.enable(true);
    }
  }
}
