// What the bench measures, in a browser's worker and in Node alike.

/** The median milliseconds of some runs. */
function median(runs, work) {
  const times = [];
  for (let run = 0; run < runs; run += 1) {
    const begun = performance.now();
    work();
    times.push(performance.now() - begun);
  }
  times.sort((one, other) => one - other);
  return times[Math.floor(times.length / 2)];
}

/** Measures key generation, the encryption of a column and the decryption of one, in milliseconds. */
export function measure({ Client, Plan }, { plan: planFile, data, files, results, runs }) {
  const plan = Plan.fromBytes(planFile);
  const generate = median(runs, () => Client.generate(plan).free());
  const client = Client.load(plan, files);
  const encrypt = median(runs, () => client.encrypt(data));
  const decrypt = median(runs, () => client.decrypt(results));
  client.free();
  return { generate, encrypt, decrypt };
}
