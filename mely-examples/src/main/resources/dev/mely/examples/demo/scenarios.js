// SPDX-License-Identifier: Apache-2.0
import {element, setAttributes, setText} from '/monitor/dom.js';

const SCENARIOS = [
  {
    id: 'even',
    label: 'Even load',
    settings: {busy: 100, uneven: 0, work: 500, block: 0, streams: 0},
    text: 'All connections are equally busy, so there is nothing to steal. '
      + 'Mely wins nothing here, and may lose a little.',
  },
  {
    id: 'skewed',
    label: 'Skewed load',
    settings: {busy: 25, uneven: 100, work: 500, block: 0, streams: 0},
    text: 'The busy connections lie on one event loop, and Netty’s others idle; on Mely idle cores take '
      + 'connections over: clearly more requests, up to twice as many on two cores. '
      + 'Light connections that had a core for themselves may get slower, as busy ones move there.',
  },
  {
    id: 'blocking',
    label: 'One blocking handler',
    settings: {busy: 25, uneven: 0, work: 500, block: 100, streams: 0},
    text: 'The handler of one more connection sleeps 100 ms in each request. On Netty all connections of its '
      + 'loop wait; on Mely other cores take them over after some milliseconds: look at the p99. '
      + 'The blocked connection waits on both: such handlers belong on other threads.',
  },
  {
    id: 'neighbor',
    label: 'Noisy neighbor',
    settings: {busy: 10, uneven: 100, work: 2000, block: 0, streams: 0},
    text: 'A few connections with long requests lie on one event loop, and light ones wait behind them: look '
      + 'at the p99 of the light ones. Mely moves busy ones to idle cores, '
      + 'where they are in the way of other light ones, which may get slower than on Netty.',
  },
  {
    id: 'connection',
    label: 'One HTTP/2 connection',
    settings: {work: 500, block: 0, streams: 64},
    text: 'One connection carries 64 streams at once. Netty runs all of them on one event loop; on Mely idle '
      + 'cores steal single streams: clearly more requests, up to twice as many on two cores.',
  },
];

/** The buttons of the scenarios: each of them only changes settings. */
export class Scenarios {
  #choose;
  #buttons;

  constructor(choose) {
    this.#choose = choose;
    this.#buttons = SCENARIOS.map(({id, label}, i) => {
      const button = element('button', {
        type: 'button', class: 'scenario', 'data-scenario': id, 'aria-pressed': 'false',
        'aria-keyshortcuts': i + 1, title: `Key: ${i + 1}`, disabled: '',
      }, label);
      button.addEventListener('click', () => this.choose(i));
      return button;
    });
    document.querySelector('.scenarios').append(...this.#buttons);
  }

  /** Chooses the scenario of that number, if there is one. */
  choose(i) {
    if (i in SCENARIOS) this.#choose(SCENARIOS[i].settings);
  }

  show(settings) {
    let text = 'Settings of your own.';
    SCENARIOS.forEach((scenario, i) => {
      const inForce = Object.entries(scenario.settings).every(([name, value]) => settings[name] === value);
      if (inForce) ({text} = scenario);
      this.#buttons[i].disabled = false;
      setAttributes(this.#buttons[i], {'aria-pressed': inForce});
    });
    const alone = settings.cores === 1 ? ' With one event loop there is nobody to steal: add one.' : '';
    setText(document.getElementById('expectation'), text + alone);
  }
}
