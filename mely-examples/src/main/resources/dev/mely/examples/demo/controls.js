// SPDX-License-Identifier: Apache-2.0
import {setAttributes, setText} from '/monitor/dom.js';
import {FIELDS, UNUSED_WITH_STREAMS} from './fields.js';

/** The sliders and number fields. */
export class Controls {
  #inputs = new Map(Object.keys(FIELDS).map(name => [name, document.getElementById(name)]));
  // The fields that somebody drags or types into just now: nothing may change under the hand.
  #held = new Set();

  /** Tells `change` the name and the value of what somebody sets, and `complain` what is wrong with it. */
  constructor(change, complain) {
    for (const [name, input] of this.#inputs) {
      input.addEventListener('input', () => {
        this.#held.add(name);
        complain(input.validity.valid ? '' : `${input.labels[0].textContent}: ${input.validationMessage}`);
        if (input.validity.valid) change(name, valueOf(name, input));
      });
      input.addEventListener('pointerdown', () => this.#held.add(name));
      for (const end of ['pointerup', 'pointercancel', 'change', 'blur']) {
        input.addEventListener(end, () => this.#held.delete(name));
      }
    }
    this.#inputs.get('cores').required = true;
  }

  holds(name) {
    return this.#held.has(name);
  }

  show(settings, limits) {
    document.getElementById('controls').disabled = false;
    this.#inputs.get('cores').max = limits.cores;
    for (const [name, input] of this.#inputs) {
      const field = FIELDS[name];
      const value = settings[name];
      const unused = settings.streams > 0 && UNUSED_WITH_STREAMS.includes(name);
      const text = field.text(value, limits) + (unused ? ' (not used)' : '');
      // A value that has no place on the slider, from a link, must not become another by being shown.
      if (!this.holds(name)) input.value = field.position?.(value) ?? value;
      if (input.type === 'range') setAttributes(input, {'aria-valuetext': text});
      setText(input.parentElement.querySelector('.value'), text);
    }
  }
}

function valueOf(name, input) {
  const value = input.valueAsNumber;
  return FIELDS[name].value?.(value) ?? value;
}
