// SPDX-License-Identifier: Apache-2.0
import {Controls} from './controls.js';
import {FIELDS, fromLink, toLink} from './fields.js';

// A dragged slider changes many times a second, and each change starts the measurement over.
const DEBOUNCE_MILLIS = 150;
// For so long after the server has taken our settings, a message with others is from a turn before them.
const STALE_MILLIS = 3000;

/** The settings, set by controls, scenarios and the link, or by another page and told by the server. */
export class Settings {
  values = null;
  #limits;
  #controls;
  #changed;
  #complain;
  #timer = 0;
  #sending = Promise.resolve();
  // Until this time the server may still tell older settings than ours.
  #staleUntil = 0;

  /** Calls `changed` after changes, and `complain` with the text of an error, or with '' if all is well. */
  constructor(changed, complain) {
    this.#changed = changed;
    this.#complain = complain;
    this.#controls = new Controls((name, value) => this.change({[name]: value}), complain);
    addEventListener('hashchange', () => this.#readLink());
  }

  get link() {
    return new URL(toLink(this.values), location.href).href;
  }

  change(some) {
    if (this.values === null) return; // nothing to change until the server has told its own
    const next = {...this.values, ...some};
    if (same(next, this.values)) return;
    this.values = next;
    this.#staleUntil = Infinity;
    clearTimeout(this.#timer);
    // One after the other: an older one must not overtake.
    this.#timer = setTimeout(() => {
      this.#sending = this.#sending.then(() => this.#send());
    }, DEBOUNCE_MILLIS);
    this.#show();
  }

  /** Takes what the server tells, unless it is older than what is set here. */
  receive(settings, limits) {
    const first = this.values === null;
    this.#limits = limits;
    if (!first && same(settings, this.values)) {
      this.#staleUntil = 0;
    } else if (performance.now() < this.#staleUntil) {
      return;
    } else {
      const held = Object.keys(FIELDS).filter(name => !first && this.#controls.holds(name));
      this.values = {...settings, ...Object.fromEntries(held.map(name => [name, this.values[name]]))};
      if (first) this.#readLink();
      this.#writeLink();
    }
    this.#show();
  }

  /** Whether figures of these settings are of those that are set here. */
  fit(settings) {
    return Object.keys(FIELDS).every(name => settings[name] === this.values[name]);
  }

  async #send() {
    const sent = this.values;
    this.#writeLink();
    const error = await post(sent);
    this.#complain(error);
    // Refused: the next message tells what is in force instead.
    if (sent === this.values) this.#staleUntil = error === '' ? performance.now() + STALE_MILLIS : 0;
  }

  #readLink() {
    if (this.values !== null) this.change(fromLink(location.hash, this.#limits));
  }

  #writeLink() {
    const link = toLink(this.values);
    // Browsers refuse this call if it comes too often.
    if (location.hash !== link) history.replaceState(null, '', link);
  }

  #show() {
    this.#controls.show(this.values, this.#limits);
    this.#changed();
  }
}

function same(some, others) {
  return Object.keys(some).every(name => some[name] === others[name]);
}

/** Sends settings; the answer is the text of the error, or ''. */
async function post(settings) {
  try {
    const response = await fetch('/settings',
        {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(settings)});
    return response.ok ? '' : await response.text() || `The server answered ${response.status}.`;
  } catch {
    return 'The server cannot be reached.';
  }
}
