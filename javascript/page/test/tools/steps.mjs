// What a person does on the page, step by step.

export const PASSPHRASE = 'four words that rhyme';

const shown = (selector) => `(document.querySelector('${selector}').checkVisibility() && document.querySelector('${selector}').innerText)`;

/** Waits for what a step says: that it is done, or what is wrong. */
export async function outcome(page, step, seconds) {
  const [done, problem] = [shown(`#${step} > .done`), shown(`#${step} > .problem`)];
  return page.until(`!document.querySelector('#${step} .progress:not([hidden])') && (${problem} || ${done})`, seconds);
}

export async function enterToken(page, token) {
  await page.evaluate(`document.querySelector('#token').value = ''`);
  await page.fill('#token', token);
  await page.click('#token-form button');
  await page.until(`!document.querySelector('#token-form fieldset').disabled`);
  return outcome(page, 'token-step');
}

/** Chooses the plan of a name; what is said about it. */
export async function choosePlan(page, name) {
  await page.evaluate(`(() => {
    const choice = document.querySelector('#plan-choice');
    choice.value = [...choice.options].find((option) => option.text.includes(${JSON.stringify(name)})).value;
  })()`);
  await page.click('#plan-form button');
  return planOutcome(page);
}

export async function planOutcome(page) {
  await page.until(`!document.querySelector('#plan-form fieldset').disabled`);
  return page.until(`${shown('#plan-step > .problem')} || ${shown('#plan-checked')}`);
}

export async function makeKeys(page, passphrase = PASSPHRASE) {
  await page.until(`!document.querySelector('#key-make-form fieldset').disabled`);
  await page.fill('#new-passphrase', passphrase);
  await page.fill('#again-passphrase', passphrase);
  await page.click('#key-make-form button');
  return outcome(page, 'key-step');
}

export async function openKeys(page, passphrase = PASSPHRASE) {
  await page.until(`${shown('#key-open-form')} && !document.querySelector('#key-open-form fieldset').disabled`);
  await page.fill('#open-passphrase', passphrase);
  await page.click('#key-open-form button');
  return outcome(page, 'key-step');
}

export async function chooseData(page, file) {
  await page.until(`!document.querySelector('#data-form fieldset').disabled`);
  // As a click on the input, and what was said of another file is gone first.
  await page.evaluate(`(() => {
    document.querySelector('#data-file').value = '';
    document.querySelectorAll('#data-step > .done, #data-step > .problem').forEach((line) => { line.hidden = true; });
  })()`);
  await page.choose('#data-file', [file]);
  return outcome(page, 'data-step');
}

export async function start(page) {
  await page.until(`!document.querySelector('#job-form fieldset').disabled && !document.querySelector('#job-start').disabled`);
  await page.click('#job-start');
}

/** Encrypts, sends, waits and decrypts; what is said at the end. */
export async function compute(page, seconds) {
  await start(page);
  return outcome(page, 'job-step', seconds);
}

/** Everything up to the data. */
export async function prepare(page, { token, plan, data }) {
  await enterToken(page, token);
  await choosePlan(page, plan);
  await makeKeys(page);
  return chooseData(page, data);
}
