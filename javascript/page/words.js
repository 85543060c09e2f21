// Numbers and failures in words.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(count) {
  let [value, unit] = [count, 0];
  while (value >= 1024 && unit + 1 < UNITS.length) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

export function seconds(time) {
  if (time < 1) {
    return time < 0.001 ? 'less than 1 ms' : `${Math.round(time * 1000)} ms`;
  }
  if (time < 120) {
    return `${time < 10 ? time.toFixed(1) : Math.round(time)} s`;
  }
  return time < 7200 ? `${Math.round(time / 60)} min` : `${(time / 3600).toFixed(1)} h`;
}

export function percent(done, all) {
  return `${all > 0 ? Math.floor((100 * done) / all) : 0} %`;
}

export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Text from outside, for one line: without control characters and not longer than `most`. */
export function line(text, most = 500) {
  const clean = String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
  return clean.length > most ? `${clean.slice(0, most)}…` : clean;
}

/** What went wrong and what to do, of any failure. */
export function failure(error) {
  switch (error?.kind) {
    case 'refused':
      return refused(error);
    case 'offline':
      return navigator.onLine
        ? 'The server does not answer. What was sent is kept: try again later.'
        : 'This device is offline. What was sent is kept: connect, then try again.';
    case 'storage':
      return `The browser has no space left for the keys (${line(error.message)}). Forget keys that you do not need, or free space on this device, then try again.`;
    case 'results':
      return `${sentence(line(error.message))} These results are not shown. Make new keys before you send data to this server again, and do not tell the server why you refuse them.`;
    case 'InternalError':
      return `${sentence(line(error.message))} Load this page again.`;
    default:
      return sentence(line(error?.message ?? error));
  }
}

/** Text as a sentence; the name of a file at its beginning stays as it is. */
function sentence(text) {
  const begun = /^[a-z]+[ ,']/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

function refused({ status, message, wait }) {
  const says = `It says: ${sentence(line(message))}`;
  switch (status) {
    case 401:
      return `The server does not accept the token. ${says} Ask the operator for a new token and enter it in step 1.`;
    case 404:
      return `The server does not have this. ${says}`;
    case 413:
      return `The server does not take so much. ${says}`;
    case 429:
    case 503:
      return `The server has too much to do. ${says} Try again${wait ? ` in ${seconds(wait)}` : ' later'}.`;
    case 507:
      return `The server has no space left for you. ${says} Ask the operator, or wait until older files expire.`;
    default:
      return status >= 500
        ? `The server failed. ${says} Try again later, or tell the operator.`
        : `The server refused the request. ${says}`;
  }
}
