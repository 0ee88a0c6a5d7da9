// SPDX-License-Identifier: Apache-2.0
import {drawing, element, percent, setAttributes, setText} from './dom.js';

// One measurement per second. They are counted, not timed: so a long pause does not empty the chart.
const LENGTH = 60;
// A longer time between two measurements is a pause: the lines break there.
const PAUSE_MILLIS = 3000;

const LINES = [
  {field: 'busy', label: 'busy, mean of all', className: 'line busy'},
  {field: 'queued', label: 'queued while another was idle', className: 'line queued'},
];

/** The last minute of a group: keeps the measurements, and draws two shares of time as lines. */
export class History {
  #samples = [];
  #chart = drawing('svg', {viewBox: `0 0 ${LENGTH - 1} 100`, preserveAspectRatio: 'none', role: 'img'});
  #paths = LINES.map(({className}) =>
    drawing('path', {class: className, 'vector-effect': 'non-scaling-stroke'}));
  #figures = LINES.map(() => element('b'));

  constructor(parent) {
    for (const y of [0, 50, 100]) {
      this.#chart.append(drawing('line',
          {class: 'grid', x1: 0, x2: LENGTH - 1, y1: y, y2: y, 'vector-effect': 'non-scaling-stroke'}));
    }
    this.#chart.append(...this.#paths);
    const scale = element('div', {class: 'scale', 'aria-hidden': 'true'},
        ...['100 %', '50 %', '0 %'].map(text => element('span', {}, text)));
    const legend = LINES.map(({className, label}, i) => element('li', {},
        drawing('svg', {class: 'key', viewBox: '0 0 28 8', 'aria-hidden': 'true'},
            drawing('path', {class: className, d: 'M 0 4 H 28'})),
        `${label}: `, this.#figures[i]));
    parent.append(element('figure', {class: 'history'}, element('figcaption', {}, 'Last minute'),
        element('div', {class: 'chart'}, scale, this.#chart), element('ul', {}, ...legend)));
  }

  /** Adds what one second brought: the time `at`, and a number for each other field. */
  add(sample) {
    this.#samples.push(sample);
    if (this.#samples.length > LENGTH) this.#samples.shift();
    const facts = LINES.map(({field, label}, i) => {
      this.#paths[i].setAttribute('d', this.#line(field));
      setText(this.#figures[i], percent(sample[field]));
      return `${label} ${percent(sample[field])} now, ${percent(this.mean(field))} on average`;
    });
    setAttributes(this.#chart, {'aria-label': `Last minute: ${facts.join('; ')}`});
  }

  mean(field) {
    return this.#samples.reduce((sum, sample) => sum + sample[field], 0) / this.#samples.length;
  }

  /** The newest measurement is at the right edge. */
  #line(field) {
    const start = LENGTH - this.#samples.length;
    return this.#samples.map((sample, i) => {
      const broken = i === 0 || sample.at - this.#samples[i - 1].at > PAUSE_MILLIS;
      return `${broken ? 'M' : 'L'} ${start + i} ${(100 - 100 * sample[field]).toFixed(1)}`;
    }).join(' ');
  }
}
