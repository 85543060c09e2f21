// The page of a client in the browser: it joins the steps.

import { Engine } from './calls.js';
import { DataStep } from './data.js';
import { Step, get, say } from './elements.js';
import { JobStep } from './job.js';
import { KeyStep } from './keys.js';
import { PlanStep } from './plan.js';
import { ResultStep } from './results.js';
import { Service } from './service.js';
import { failure } from './words.js';

/** Why this browser cannot do what the page needs. */
function unusable() {
  if (!globalThis.isSecureContext || !globalThis.crypto?.subtle) {
    return 'This page needs HTTPS, or an address of this device such as 127.0.0.1: browsers offer encryption nowhere else.';
  }
  if (typeof WebAssembly !== 'object' || typeof Worker !== 'function' || !globalThis.indexedDB) {
    return 'This browser lacks WebAssembly, workers or storage: use a newer one, and no private window.';
  }
  return null;
}

function start() {
  const engine = new Engine();
  const token = new Step('token-step');
  const results = new ResultStep(engine);
  const job = new JobStep(engine, (found) => results.show(found));
  const data = new DataStep(engine, (found) => job.has({ data: found }));
  const keys = new KeyStep(engine, (found) => {
    job.has({ keys: found });
    if (found) {
      data.focus();
    }
  });
  const plan = new PlanStep(engine, (found) => {
    job.has({ plan: found });
    data.offer(found);
    keys.offer(found);
  });

  get('token-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    token.problem('');
    token.done('');
    const entered = get('token').value.trim();
    if (!entered) {
      token.problem('Enter the token that the operator of the server gave you.');
      get('token').focus();
      return;
    }
    token.enable(false);
    say('Asking the server for its plans…');
    try {
      const service = new Service(entered);
      const plans = await service.plans();
      job.has({ service });
      plan.offer(service, plans);
      token.done(`The server accepts the token. It has ${plans.length === 1 ? 'one plan' : `${plans.length} plans`}.`);
      plan.focus();
    } catch (error) {
      token.problem(failure(error));
      token.enable(true);
      get('token').focus();
    } finally {
      token.enable(true);
    }
  });
  globalThis.addEventListener('offline', () => say('This device is offline. What was sent is kept.'));
  globalThis.addEventListener('online', () => say('This device is online again.'));
}

const why = unusable();
if (why) {
  get('unusable').textContent = why;
  get('unusable').hidden = false;
} else {
  start();
}
