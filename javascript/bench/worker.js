// Measures in a browser's worker what the page asks for.

import * as library from '../index.js';
import { measure } from './measure.js';

addEventListener('message', async ({ data: { names, values, files, runs } }) => {
  try {
    const read = async (name) => new Uint8Array(await (await fetch(`/files/${name}`)).arrayBuffer());
    await library.init();
    const [plan, results] = await Promise.all(['plan', 'results'].map((kind) => read(names[kind])));
    const secrets = Object.fromEntries(await Promise.all(files.map(async (name) => [name, await read(`${names.keys}/${name}`)])));
    postMessage({ times: measure(library, { plan, values, files: secrets, results, runs }) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
});
