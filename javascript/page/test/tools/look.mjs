// What a reader would stumble over: text that is too small or too faint, controls without a name, a page that scrolls sideways.

const LOOK = `(() => {
  const problems = [];
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) {
    problems.push('the page scrolls sideways: ' + page.scrollWidth + ' of ' + page.clientWidth);
  }
  const channels = (colour) => colour.match(/[0-9.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if ((channels(backgroundColor)[3] ?? 1) > 0) {
        return backgroundColor;
      }
    }
    return 'rgb(255, 255, 255)';
  };
  const isSeen = (element) => element.checkVisibility() && !element.closest('.hidden, .skip, fieldset:disabled');
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (!own || !isSeen(element)) {
      continue;
    }
    const { color, fontSize } = getComputedStyle(element);
    const [bright, dark] = [light(color), light(paper(element))].sort((a, b) => b - a);
    const contrast = (bright + 0.05) / (dark + 0.05);
    const words = element.innerText.slice(0, 40);
    if (contrast < 4.5) {
      problems.push('too faint, ' + contrast.toFixed(1) + ': ' + words);
    }
    if (parseFloat(fontSize) < 13) {
      problems.push('too small, ' + fontSize + ': ' + words);
    }
    const { left, right } = element.getBoundingClientRect();
    if (!element.closest('.wide, pre') && (left < -1 || right > page.clientWidth + 1)) {
      problems.push('outside of the page: ' + words);
    }
  }
  for (const control of document.querySelectorAll('input, select, button, progress')) {
    if (control.tagName !== 'BUTTON' && !control.labels?.length) {
      problems.push('without a label: ' + control.id);
    }
    const { height } = control.getBoundingClientRect();
    if (isSeen(control) && control.tagName !== 'PROGRESS' && height < 24) {
      problems.push('too small to touch: ' + control.id);
    }
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size !== ids.length) {
    problems.push('an id stands twice');
  }
  return problems;
})()`;

/** The problems of a page as it is now. */
export function look(page) {
  return page.evaluate(LOOK);
}
