// The step that encrypts, sends, waits and decrypts.

import { Step, element, get, say } from './elements.js';
import { Failure } from './failure.js';
import { download, persist, poll, upload } from './transfer.js';
import { bytes, counted, failure, line, percent, seconds } from './words.js';

export class JobStep extends Step {
  #engine;
  #done;
  #has = { service: null, plan: null, keys: null, data: null };
  #running = null;
  #job = null;

  /** `done` is called with results, and with nothing before new ones. */
  constructor(engine, done) {
    super('job-step');
    this.#engine = engine;
    this.#done = done;
    get('job-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#start((signal) => this.#compute(signal));
    });
    get('job-resume-form').addEventListener('submit', (event) => {
      event.preventDefault();
      const id = get('job-choice').value;
      this.#start((signal) => this.#finish(id, signal));
    });
    get('job-forget').addEventListener('click', () => this.#forget(get('job-choice').value));
    get('job-cancel').addEventListener('click', () => this.#cancel());
  }

  /** Takes note of what there is: a service, a plan, keys, data. */
  async has(more) {
    Object.assign(this.#has, more);
    if (this.#running && (more.plan === null || more.keys === null)) {
      this.#running.abort();
    }
    this.#update();
    if ('keys' in more) {
      await this.#list();
    }
  }

  #update() {
    const { service, plan, keys, data } = this.#has;
    const isBusy = this.#running !== null;
    get('job-form').querySelector('fieldset').disabled = !isBusy && !(service && plan && keys && data);
    get('job-start').disabled = isBusy;
    get('job-cancel').hidden = !isBusy;
    get('job-resume-form').querySelector('fieldset').disabled = isBusy || !(service && keys);
  }

  /** Offers the jobs whose results were not read. */
  async #list() {
    const jobs = this.#has.keys ? await this.#engine.call('listJobs') : [];
    const options = jobs.map(({ id, name, sent }) => {
      const when = new Date(sent).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
      return element('option', { value: id }, `${line(name, 60)}, sent ${when}`);
    });
    get('job-choice').replaceChildren(...options);
    get('job-resume-form').hidden = jobs.length === 0;
  }

  async #start(work) {
    const running = new AbortController();
    this.#running = running;
    this.problem('');
    this.done('');
    this.#done(null);
    this.#update();
    get('job-cancel').focus();
    try {
      await work(running.signal);
    } catch (error) {
      if (error.kind === 'cancelled') {
        this.done('Cancelled. Nothing more is sent.');
      } else {
        this.problem(failure(error));
      }
    } finally {
      this.#running = null;
      this.#job = null;
      this.progress(null);
      this.#update();
      await this.#list();
      if ([document.body, get('job-cancel')].includes(document.activeElement)) {
        this.focus();
      }
    }
  }

  /** What a transfer of bytes tells, and what it waits for. */
  #transfer(what, signal) {
    say(`${what}…`);
    this.progress(what);
    return {
      signal,
      onProgress: (done, all) => this.progress(`${what}: ${bytes(done)} of ${bytes(all)}, ${percent(done, all)}`, done / all),
      onWait: (error, wait) => {
        const why = error.kind === 'offline' ? 'The connection broke off.' : failure(error);
        this.progress(`${why} The page tries again in ${seconds(wait)}.`);
        say(`${why} The page tries again in ${seconds(wait)}.`);
      },
    };
  }

  async #compute(signal) {
    const { service, plan, keys, data } = this.#has;
    await this.#send('Sending the keys', 'keys', keys, signal);
    say('Encrypting…');
    const onProgress = (done, all) => this.progress(`Encrypting: ${percent(done, all)}`, all > 0 ? done / all : undefined);
    this.progress('Encrypting');
    const inputs = await this.#engine.call('encrypt', {}, { onProgress });
    if (signal.aborted) {
      throw new Failure('cancelled', 'cancelled');
    }
    await this.#send('Sending the encrypted data', 'inputs', inputs, signal);
    const submission = { plan: plan.digest, keys: keys.digest, inputs: inputs.digest };
    const job = await persist(() => service.submit(submission, inputs.digest, signal), this.#transfer('Submitting the job', signal));
    await this.#engine.call('keepJob', { job: job.id, name: data.name });
    await this.#finish(job.id, signal);
  }

  #send(what, kind, { digest, bytes: length }, signal) {
    const { service, plan } = this.#has;
    const read = (offset, most) => this.#engine.call('piece', { kind, offset, most });
    return upload(service, { kind, plan: plan.digest, digest, bytes: length }, read, this.#transfer(what, signal));
  }

  /** Waits for a job and decrypts its results. */
  async #finish(id, signal) {
    const { service } = this.#has;
    this.#job = id;
    const job = await this.#wait(id, signal);
    const { mostBytes } = await this.#engine.call('limits');
    if (!Number.isSafeInteger(job.bytes) || job.bytes < 0 || job.bytes > mostBytes) {
      throw new Failure('results', 'the server has more results than such a plan gives');
    }
    const results = await download(service, id, job.bytes, this.#transfer('Fetching the results', signal));
    say('Decrypting…');
    const onProgress = (done, all) => this.progress(`Decrypting: ${percent(done, all)}`, all > 0 ? done / all : undefined);
    this.progress('Decrypting');
    const argument = { job: id, digest: job.digest, results: results.buffer };
    const decrypted = await this.#engine.call('decrypt', argument, { onProgress, transfer: [results.buffer] });
    const time = typeof job.seconds === 'number' ? `, after ${seconds(job.seconds)} of computing` : '';
    this.done(`The results are here${time}.`);
    await this.#clean(id);
    this.#done(decrypted);
  }

  async #wait(id, signal) {
    const { service } = this.#has;
    const transfer = this.#transfer('Waiting for the server', signal);
    let last = 'waiting';
    const ask = async (wait) => {
      const job = await persist(() => service.job(id, wait, signal), transfer);
      if (job.state === 'running' && last !== 'running') {
        say('The server computes…');
      }
      last = job.state;
      switch (job.state) {
        case 'done':
          return job;
        case 'failed':
          await this.#engine.call('forgetJob', { job: id });
          throw new Failure('job', `the server could not compute the job. It says: ${line(job.message)}`);
        case 'cancelled':
          await this.#engine.call('forgetJob', { job: id });
          throw new Failure('job', 'the job was cancelled: send it again if you need its results');
        case 'waiting':
          this.progress(`Waiting: ${counted(job.ahead, 'job')} before this one, begins in about ${seconds(job.wait_s)}`);
          return undefined;
        case 'running':
          this.progress(`Computing: ${percent(job.fraction, 1)}, about ${seconds(job.remaining_s)} left`, job.fraction);
          return undefined;
        default:
          throw new Failure('answer', 'the server says how the job stands in a way that this page does not know: load the page again');
      }
    };
    return poll(ask, { signal });
  }

  /** Removes a job that was decrypted from the server; what stays there expires. */
  async #clean(id) {
    const { service, plan } = this.#has;
    const { inputs } = await this.#engine.call('forgetJob', { job: id });
    try {
      await service.removeJob(id);
      await service.removeInputs(plan.digest, inputs);
    } catch {
      // Another job has the same inputs, or the server is gone.
    }
  }

  async #cancel() {
    const [running, job] = [this.#running, this.#job];
    running?.abort();
    if (job) {
      try {
        await this.#has.service.cancel(job);
        await this.#engine.call('forgetJob', { job });
        await this.#list();
      } catch (error) {
        this.problem(`The page stopped, but the job was not cancelled. ${failure(error)}`);
      }
    }
  }

  async #forget(job) {
    try {
      await this.#engine.call('forgetJob', { job });
      await this.#list();
      say('The job is forgotten.');
      this.focus();
    } catch (error) {
      this.problem(failure(error));
    }
  }
}
