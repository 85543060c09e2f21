// What the bench measures, in a browser's worker and in Node alike.

export function median(times) {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
}

/** The median milliseconds of some runs. */
function timed(runs, work) {
  const times = [];
  for (let run = 0; run < runs; run += 1) {
    const begun = performance.now();
    work();
    times.push(performance.now() - begun);
  }
  return median(times);
}

/** Measures key generation, the encryption of a column and the decryption of one, in milliseconds. */
export function measure({ Client, Plan }, { plan: planFile, values, files, results, runs }) {
  const data = { x: values };
  const plan = Plan.fromBytes(planFile);
  const generate = timed(runs, () => Client.generate(plan).free());
  const client = Client.load(plan, files);
  const encrypt = timed(runs, () => client.encrypt(data));
  const decrypt = timed(runs, () => client.decrypt(results));
  client.free();
  return { generate, encrypt, decrypt };
}
