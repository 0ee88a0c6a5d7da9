// SPDX-License-Identifier: Apache-2.0
import {drawing, element, setAttributes, setText} from '/monitor/dom.js';
import {rate} from './side.js';

// A turn takes about 1.1 s, so these are about a minute. Turns are counted, not timed: so a pause does not
// empty the chart, but the lines break there.
const LENGTH = 54;
const PAUSE_MILLIS = 6000;

/** The chart of the last minute: the requests per second of both sides, a line each. */
export class Rates {
  #turns = [];
  #sides;
  #chart = drawing('svg', {viewBox: `0 0 ${LENGTH - 1} 100`, preserveAspectRatio: 'none', role: 'img'});
  #changes = line('change');
  #scale = [1, 0.5, 0].map(() => element('span'));

  constructor(parent, sides) {
    this.#sides = sides.map(({id, title}) => ({id, title, path: line(id), figure: element('b')}));
    for (const y of [0, 50, 100]) {
      const grid = drawing('path', {class: 'grid', d: `M 0 ${y} H ${LENGTH - 1}`});
      setAttributes(grid, {'vector-effect': 'non-scaling-stroke'});
      this.#chart.append(grid);
    }
    this.#chart.append(this.#changes, ...this.#sides.map(({path}) => path));
    const keys = [
      ...this.#sides.map(({id, title, figure}) => element('li', {}, key(id), `${title}: `, figure)),
      element('li', {}, key('change'), 'settings changed'),
    ];
    parent.append(element('figure', {class: 'history group'},
        element('figcaption', {}, 'Requests per second, last minute'),
        element('div', {class: 'chart'},
            element('div', {class: 'scale', 'aria-hidden': 'true'}, ...this.#scale), this.#chart),
        element('ul', {}, ...keys)));
  }

  /** Adds the turn of one side. A message that is sent again, to a page that connects again, adds nothing. */
  add(id, perSecond, settings) {
    const last = this.#turns.at(-1);
    if (perSecond === null || (last?.id === id && last.perSecond === perSecond)) return;
    const {paused, ...measured} = settings;
    this.#turns.push({id, perSecond, at: performance.now(), settings: JSON.stringify(measured)});
    if (this.#turns.length > LENGTH) this.#turns.shift();
    this.#draw();
  }

  #draw() {
    const turns = this.#turns;
    const top = roundUp(Math.max(1, ...turns.map(({perSecond}) => perSecond)));
    const start = LENGTH - turns.length; // the newest one is at the right edge
    const facts = this.#sides.map(({id, title, path, figure}) => {
      let before = -Infinity;
      let d = '';
      turns.forEach((turn, i) => {
        if (turn.id !== id) return;
        const y = 100 - 100 * turn.perSecond / top;
        d += `${turn.at - before > PAUSE_MILLIS ? 'M' : 'L'} ${start + i} ${y.toFixed(1)} `;
        before = turn.at;
      });
      setAttributes(path, {d});
      setText(figure, rate(turns.findLast(turn => turn.id === id)?.perSecond));
      return `${title} ${figure.textContent} now`;
    });
    const changes = turns.map((turn, i) =>
      i > 0 && turn.settings !== turns[i - 1].settings ? `M ${start + i - 0.5} 0 V 100` : '');
    setAttributes(this.#changes, {d: changes.join(' ')});
    this.#scale.forEach((text, i) => setText(text, rate(top * (2 - i) / 2)));
    setAttributes(this.#chart, {'aria-label': `Requests per second: ${facts.join('; ')}`});
  }
}

function line(name) {
  return drawing('path', {class: `line ${name}`, 'vector-effect': 'non-scaling-stroke'});
}

function key(name) {
  return drawing('svg', {class: 'key', viewBox: '0 0 28 8', 'aria-hidden': 'true'},
      drawing('path', {class: `line ${name}`, d: 'M 0 4 H 28'}));
}

/** The end of a scale: 1, 2, 4, 6 or 8 times a power of ten, so that its half is a round number too. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 4, 6, 8, 10].find(digit => digit * power >= value);
}
