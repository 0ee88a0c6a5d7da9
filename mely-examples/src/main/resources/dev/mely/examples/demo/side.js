// SPDX-License-Identifier: Apache-2.0
import {CoresView} from '/monitor/cores.js';
import {element, number, setLongText, setText} from '/monitor/dom.js';

const FIGURES = [
  ['per-second', 'Requests/s, last turn', side => rate(side.perSecond)],
  ['minute-per-second', 'Requests/s, last minute', side => rate(side.minute?.perSecond)],
  ['cpus', 'CPUs used', side => side.cpus?.toFixed(2) ?? '–'],
  ['p50', 'p50, last minute', side => millis(side.minute?.p50Millis)],
  ['p99', 'p99, last minute', side => millis(side.minute?.p99Millis)],
  ['light-p99', 'p99 of light ones', side => millis(side.minute?.lightP99Millis)],
];

/** The panel of one server. */
export class SideView {
  #title = element('h2');
  #load = element('p', {class: 'load'});
  #figures = FIGURES.map(([name]) => element('dd', {class: name}));
  #cores = element('div');
  #view;

  constructor({id, title}) {
    this.#view = new CoresView(this.#cores, id === 'mely' ? 'Cores' : 'Event loops');
    const list = FIGURES.map(([, label], i) =>
      element('div', {}, element('dt', {}, label), this.#figures[i]));
    this.element = element('section', {class: 'side group', 'data-side': id, 'aria-label': title},
        element('header', {}, this.#title, this.#load),
        element('dl', {}, ...list), this.#cores);
  }

  update(side, loaded) {
    setLongText(this.#title, side.title);
    setText(this.#load, loaded ? 'under load' : 'waits');
    this.element.classList.toggle('is-loaded', loaded);
    FIGURES.forEach(([, , text], i) => setText(this.#figures[i], text(side)));
    this.#cores.hidden = side.group === null;
    if (side.group !== null) this.#view.update(side.group);
  }
}

export function rate(value) {
  return value === null || value === undefined ? '–' : Math.round(value).toLocaleString('en');
}

function millis(value) {
  if (value === null || value === undefined) return '–';
  return value < 1000 ? `${number(value)} ms` : `${number(value / 1000)} s`;
}
