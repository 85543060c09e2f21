// The results: single numbers, a table of rows, and a file.

import { Step, describe, element, get, say } from './elements.js';
import { counted, failure, line } from './words.js';

/** How many rows are shown at first, and how many more each time. */
const FIRST = 20;
const MORE = 200;

function heading({ name, exact }) {
  return `${line(name, 80)} (${exact ? 'exact' : '± error bound'})`;
}

export class ResultStep extends Step {
  #engine;
  #outputs = [];
  #shown = 0;

  constructor(engine) {
    super('result-step');
    this.#engine = engine;
    get('result-more').addEventListener('click', () => this.#more());
    get('result-save').addEventListener('click', () => this.#save());
  }

  /** Shows results, or nothing. */
  show(results) {
    this.section.hidden = results === null;
    this.#outputs = results?.outputs ?? [];
    this.#shown = 0;
    if (!results) {
      get('result-values').replaceChildren();
      get('result-table').tBodies[0].replaceChildren();
      return;
    }
    const { rows, leftOut } = results;
    const left = leftOut.length > 0 ? ` ${counted(leftOut.length, 'row')} with missing values ${leftOut.length === 1 ? 'is' : 'are'} left out.` : '';
    get('result-note').textContent = `Computed from ${counted(rows, 'row')}.${left} Keep these results to yourself: a server that does not do what the plan says can put parts of your secret key into them.`;
    const single = this.#outputs.filter(({ shape, missing }) => shape !== 'column' || missing !== null);
    describe(
      get('result-values'),
      single.map((output) => [
        line(output.name, 80),
        output.missing === null ? `${output.texts[0]}${output.exact ? ', exact' : ''}` : `no result: ${line(output.missing)}`,
      ]),
    );
    this.#table();
    this.focus();
  }

  #columns() {
    return this.#outputs.filter(({ shape, missing }) => shape === 'column' && missing === null);
  }

  #table() {
    const columns = this.#columns();
    get('result-rows').hidden = columns.length === 0;
    get('result-more').hidden = true;
    if (columns.length === 0) {
      return;
    }
    const names = ['Row', ...columns.map(heading)];
    const heads = names.map((name) => element('th', { scope: 'col', class: 'number' }, name));
    get('result-table').tHead.replaceChildren(element('tr', null, ...heads));
    get('result-table').tBodies[0].replaceChildren();
    this.#more();
  }

  #more() {
    const columns = this.#columns();
    const all = columns[0].texts.length;
    const end = Math.min(all, this.#shown + (this.#shown === 0 ? FIRST : MORE));
    const rows = [];
    for (let row = this.#shown; row < end; row += 1) {
      const cells = columns.map(({ texts }) => element('td', { class: 'number' }, texts[row] ?? 'missing'));
      rows.push(element('tr', null, element('th', { scope: 'row', class: 'number' }, String(row + 1)), ...cells));
    }
    get('result-table').tBodies[0].append(...rows);
    this.#shown = end;
    get('result-table').caption.textContent = `Rows 1 to ${end.toLocaleString('en')} of ${all.toLocaleString('en')}`;
    get('result-more').hidden = end === all;
    say(`Rows 1 to ${end} of ${all} are shown.`);
  }

  async #save() {
    this.problem('');
    try {
      const text = await this.#engine.call('csv');
      const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
      const link = element('a', { href: address, download: 'results.csv' });
      link.click();
      URL.revokeObjectURL(address);
      say('The results are saved as results.csv. That file is not encrypted.');
    } catch (error) {
      this.problem(failure(error));
    }
  }
}
