// The step in which a plan is chosen, and what becomes public is shown.

import { Step, describe, element, get, onFile, say } from './elements.js';
import { bytes, counted, failure, line, seconds } from './words.js';

/** A plan file is smaller than this. */
const MOST_BYTES = 64 << 20;

const KINDS = { whole: 'whole number', decimal: 'decimal', real: 'real number', category: 'text of a list' };

/** An exact number, a fraction perhaps, as a reader has it. */
function end(text) {
  const [above, below] = text.split('/').map(Number);
  return below === undefined ? text : String(above / below);
}

/** What of a plan becomes public of a column: kind and range in words. */
function column({ kind, places, least, most, categories }) {
  const words = KINDS[kind] ?? kind;
  const name = kind === 'decimal' && places > 0 ? `${words}, ${counted(places, 'place')}` : words;
  const range = categories?.length > 0 ? categories.map((text) => line(text, 60)).join(', ') : `${end(least)} to ${end(most)}`;
  return [name, line(range)];
}

function publicFacts(facts) {
  const rows = facts.fewerRows ? `your number of rows, at most ${facts.rows.toLocaleString('en')}` : facts.rows.toLocaleString('en');
  return [
    ['Rows', rows],
    ['Scheme', `${facts.scheme.toUpperCase()}, ${facts.securityBits} bits of security`],
    ['Results', facts.outputs.map(({ name, shape }) => `${line(name, 80)} (${shape === 'column' ? 'each row' : 'one number'})`).join(', ')],
    ['Also', 'sizes and times of what you send, and which keys, inputs and results belong together'],
  ];
}

function secretFacts(facts) {
  const parts = facts.finished.flatMap((one) => one.parts).map((part) => line(part, 80));
  return [
    'Every value of your data, every intermediate value and every result. The server has them only encrypted.',
    'Your secret key and its passphrase. They stay in this browser.',
    'The name of your file, and all columns that the plan does not name. They are not sent.',
    ...(parts.length > 0 ? [`You, and not the server, also see parts of some results: ${parts.join(', ')}.`] : []),
  ];
}

function predictedFacts({ exact, predicted }) {
  const { inputBytes, memoryBytes, precisionBits, evaluateSeconds } = predicted;
  const precision = exact ? 'exact' : `approximate, with a bound${precisionBits === null ? '' : `: ${precisionBits.toFixed(1)} bits`}`;
  return [
    ['Encrypted data', `about ${bytes(inputBytes)} each time`],
    ['Computing', `about ${seconds(evaluateSeconds)} on the machine that made the plan`],
    ['Keys and data', `about ${bytes(memoryBytes)} of memory on the server`],
    ['Results', precision],
  ];
}

function show(facts) {
  const rows = facts.columns.map((one) => {
    const [kind, range] = column(one);
    return element('tr', null, element('th', { scope: 'row' }, line(one.name, 200)), element('td', null, kind), element('td', null, range));
  });
  get('plan-columns').tBodies[0].replaceChildren(...rows);
  describe(get('plan-public'), publicFacts(facts));
  get('plan-program').textContent = facts.program;
  get('plan-secret').replaceChildren(...secretFacts(facts).map((text) => element('li', null, text)));
  describe(get('plan-predicted'), predictedFacts(facts));
  get('plan-facts').hidden = false;
}

export class PlanStep extends Step {
  #engine;
  #listed = [];
  #service;
  #chosen;

  /** `chosen` is called with the facts of a plan, and with nothing when it is given up. */
  constructor(engine, chosen) {
    super('plan-step');
    this.#engine = engine;
    this.#chosen = chosen;
    get('plan-form').addEventListener('submit', (event) => {
      event.preventDefault();
      const digest = get('plan-choice').value;
      this.#open(digest, async () => (await this.#service.plan(digest)).buffer);
    });
    onFile(get('plan-file'), get('plan-drop'), (file) => {
      this.#open(null, async () => {
        if (file.size > MOST_BYTES) {
          throw new Error(`${line(file.name, 80)} is too large for a plan: choose the file that \`asanoha plan\` wrote`);
        }
        return file.arrayBuffer();
      });
    });
  }

  /** Offers the plans of a service. */
  offer(service, plans) {
    this.#service = service;
    this.#listed = plans.map(({ digest }) => digest);
    const options = plans.map(({ digest, name, scheme, bytes: length }) => {
      const title = name === null || name === undefined ? digest.slice(0, 16) : `${line(name, 80)} (${digest.slice(0, 8)})`;
      return element('option', { value: digest }, `${title}, ${line(scheme, 20).toUpperCase()}, ${bytes(length)}`);
    });
    get('plan-choice').replaceChildren(...options);
    this.enable(true);
  }

  async #open(digest, read) {
    this.problem('');
    this.#chosen(null);
    get('plan-facts').hidden = true;
    this.enable(false);
    say('Reading the plan…');
    try {
      const plan = await read();
      const facts = await this.#engine.call('openPlan', { plan, digest }, { transfer: [plan] });
      show(facts);
      const isServed = this.#listed.includes(facts.digest);
      const start = facts.digest.slice(0, 16);
      const checked = isServed ? `The content of the plan has the digest ${start}…, and the server lists it.` : '';
      get('plan-checked').textContent = checked;
      if (!isServed) {
        this.problem(`The server does not have this plan (${start}…), so it cannot compute it. Ask the operator to serve it, or choose a plan of the server.`);
        return;
      }
      say(`${checked} Read below what becomes public.`);
      get('public-title').focus();
      this.#chosen(facts);
    } catch (error) {
      this.problem(failure(error));
    } finally {
      this.enable(true);
    }
  }
}
