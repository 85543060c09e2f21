// Elements of the page. Text is set as text, never as HTML.

export function get(id) {
  return document.getElementById(id);
}

/** Returns a new element with attributes and children; strings become text. */
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Replaces the terms and descriptions of a list. */
export function describe(list, pairs) {
  list.replaceChildren(...pairs.flatMap(([term, text]) => [element('dt', null, term), element('dd', null, text)]));
}

/** Says what the page does, in the live region. */
export function say(text) {
  get('status').textContent = text;
}

/** A section of the page that is one step of the client. */
export class Step {
  #focused = null;

  constructor(id) {
    this.section = get(id);
    this.heading = this.section.querySelector('h2');
  }

  /** Lets the controls be used, or not. A control that has the focus gets it again afterwards, unless it was moved. */
  enable(isEnabled) {
    if (!isEnabled && this.section.contains(document.activeElement)) {
      this.#focused = document.activeElement;
    }
    for (const fieldset of this.section.querySelectorAll('fieldset')) {
      fieldset.disabled = !isEnabled;
    }
    if (isEnabled) {
      if (document.activeElement === document.body) {
        this.#focused?.focus();
      }
      this.#focused = null;
    }
  }

  /** Shows that the step is done; an empty text hides it. */
  done(text) {
    const line = this.section.querySelector(':scope > .done');
    line.textContent = text;
    line.hidden = !text;
    if (text) {
      this.problem('');
      say(text);
    }
  }

  /** Shows what is wrong and what to do; an empty text hides it. */
  problem(text) {
    const line = this.section.querySelector(':scope > .problem');
    line.textContent = text;
    line.hidden = !text;
    if (text) {
      say('');
    }
  }

  /** Shows how far something is, from 0 to 1, or that it is under way; without a text it is hidden. */
  progress(text, fraction) {
    const block = this.section.querySelector('.progress');
    const bar = block.querySelector('progress');
    block.hidden = !text;
    block.querySelector('label').textContent = text ?? '';
    if (fraction === undefined) {
      bar.removeAttribute('value');
    } else {
      bar.value = fraction;
    }
  }

  /** Moves the focus to the step's heading, for keyboards and screen readers. */
  focus() {
    this.heading.focus();
  }
}

/** Calls back with a file that is chosen by an input or dropped on a block. */
export function onFile(input, block, take) {
  // The same file can be chosen again after it was changed.
  input.addEventListener('click', () => {
    input.value = '';
  });
  input.addEventListener('change', () => {
    if (input.files.length > 0) {
      take(input.files[0]);
    }
  });
  const isAllowed = () => !input.disabled && !input.closest('fieldset').disabled;
  block.addEventListener('dragover', (event) => {
    event.preventDefault();
    block.classList.toggle('over', isAllowed());
  });
  block.addEventListener('dragleave', () => block.classList.remove('over'));
  block.addEventListener('drop', (event) => {
    event.preventDefault();
    block.classList.remove('over');
    if (isAllowed() && event.dataTransfer.files.length > 0) {
      take(event.dataTransfer.files[0]);
    }
  });
}
