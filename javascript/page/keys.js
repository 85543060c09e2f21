// The step in which keys are made, opened and forgotten.

import { Step, element, get, say } from './elements.js';
import { bytes, counted, failure, percent } from './words.js';

const LEAST_PASSPHRASE = 12;

/** Takes the passphrase out of an input. */
function take(id) {
  const input = get(id);
  const { value } = input;
  input.value = '';
  return value;
}

export class KeyStep extends Step {
  #engine;
  #opened;
  #plan = null;

  /** `opened` is called with the keys that are open, and with nothing when there are none any more. */
  constructor(engine, opened) {
    super('key-step');
    this.#engine = engine;
    this.#opened = opened;
    get('key-make-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#make();
    });
    get('key-open-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#open();
    });
    get('key-forget').addEventListener('click', () => this.#forget());
  }

  /** Offers the keys of a plan, or nothing without a plan. */
  async offer(plan) {
    this.#plan = plan;
    this.done('');
    this.problem('');
    this.#opened(null);
    this.enable(false);
    if (plan) {
      await this.#work(null, () => this.#list());
    }
  }

  async #list() {
    const keys = await this.#engine.call('listKeys');
    const options = keys.map(({ id, made, bytes: length }) => {
      const when = new Date(made).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
      return element('option', { value: id }, `made ${when}, ${bytes(length)} (${id.slice(0, 8)})`);
    });
    get('key-choice').replaceChildren(...options);
    get('key-open-form').hidden = keys.length === 0;
  }

  async #work(text, work) {
    this.problem('');
    this.enable(false);
    if (text) {
      this.progress(text);
      say(text);
    }
    const plan = this.#plan;
    try {
      await work();
    } catch (error) {
      if (plan === this.#plan) {
        this.problem(failure(error));
      }
    } finally {
      this.progress(null);
      this.enable(this.#plan !== null);
    }
  }

  #make() {
    const [passphrase, again] = [take('new-passphrase'), take('again-passphrase')];
    if ([...passphrase].length < LEAST_PASSPHRASE) {
      this.problem(`The passphrase has ${counted([...passphrase].length, 'character')}: enter at least ${LEAST_PASSPHRASE}.`);
      get('new-passphrase').focus();
      return;
    }
    if (passphrase !== again) {
      this.problem('The two passphrases differ: enter the same one twice.');
      get('new-passphrase').focus();
      return;
    }
    this.#work('Making keys…', async () => {
      const plan = this.#plan;
      const onProgress = (done, all) => this.progress(`Making keys: ${percent(done, all)}`, all > 0 ? done / all : undefined);
      const keys = await this.#engine.call('makeKeys', { passphrase }, { onProgress });
      await this.#list();
      this.#use(plan, keys, `Keys are made: ${bytes(keys.bytes)} for the server. The secret key is stored here, encrypted.`);
    });
  }

  #open() {
    const [id, passphrase] = [get('key-choice').value, take('open-passphrase')];
    this.#work('Opening keys…', async () => {
      const plan = this.#plan;
      this.#use(plan, await this.#engine.call('openKeys', { id, passphrase }), 'The keys are open.');
    });
  }

  #use(plan, keys, text) {
    if (plan !== this.#plan) {
      return;
    }
    this.done(text);
    this.#opened(keys);
  }

  #forget() {
    const id = get('key-choice').value;
    const sure = 'Forget these keys? Nobody can open results under them afterwards. This cannot be undone.';
    if (!globalThis.confirm(sure)) {
      return;
    }
    this.#work('Forgetting keys…', async () => {
      const { wasOpen } = await this.#engine.call('forgetKeys', { id });
      await this.#list();
      if (wasOpen) {
        this.#opened(null);
      }
      this.done('The keys are forgotten. This browser has them no more.');
      this.focus();
    });
  }
}
