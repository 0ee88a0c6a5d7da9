// SPDX-License-Identifier: Apache-2.0
import {
  drawing, duration, element, number, percent, setAttributes, setLongText, setText,
} from './dom.js';

// Lengths in drawings are sixteenths of a rem: so they grow with the reader's font, as the rows do.
const ARC_WIDTH = 112;
// In a large group the arcs of all pairs would hide each other: the heaviest are drawn, and some are named.
const MOST_ARCS = 100;
const MOST_NAMED = 4;
// A bar of waiting events is relative to the longest one, but a single waiting event must not fill it.
const SMALLEST_QUEUE = 5;

/** Draws the cores of one group: a row each, and at the right an arc from each victim to its thief. */
export class CoresView {
  #title;
  #root;
  #caption = element('caption');
  #heading = element('th', {scope: 'col', class: 'name'});
  #body = element('tbody');
  #drawing = drawing('svg', {class: 'arcs', preserveAspectRatio: 'none', role: 'img'});
  #text = element('p', {class: 'steal-text'});
  #rows = [];
  #arcs = new Map();

  constructor(parent, title) {
    this.#title = title;
    const heading = (name, ...text) => element('th', {scope: 'col', class: name}, ...text);
    const headings = [heading('busy', 'Busy'), heading('waiting', 'Queue'),
      heading('events', 'Events', element('wbr'), '/s'), heading('steals', 'Steals', element('wbr'), '/s'),
      heading('now', 'Now')];
    const table = element('table', {}, this.#caption,
        element('thead', {}, element('tr', {}, this.#heading, ...headings)), this.#body);
    this.#root = element('div', {class: 'cores'},
        element('div', {class: 'rows'}, table, this.#drawing), this.#text);
    parent.append(this.#root);
  }

  /** Shows a group as the server describes it. */
  update(group) {
    const {cores} = group;
    const size = rowSize(cores.length);
    this.#root.dataset.kind = group.kind;
    this.#root.style.setProperty('--row', `${size / 16}rem`);
    this.#root.classList.toggle('dense', size < 20);
    setText(this.#caption, this.#title);
    setText(this.#heading, group.kind === 'Mely' ? 'Core' : 'Loop');

    while (this.#rows.length > cores.length) this.#rows.pop().element.remove();
    while (this.#rows.length < cores.length) this.#rows.push(new Row(this.#body, this.#rows.length));
    const longest = Math.max(SMALLEST_QUEUE, ...cores.map(core => core.waiting));
    cores.forEach((core, i) => this.#rows[i].update(core, longest));
    this.#showSteals(group, size);
  }

  #showSteals({cores, steals}, size) {
    const heaviest = [...steals].sort((a, b) => b.count - a.count);
    const texts = heaviest.map(({victim, thief, count}) =>
      `${cores[thief].name} took ${number(count)} from ${cores[victim].name}`);

    const height = Math.max(1, cores.length) * size;
    this.#drawing.style.height = `${height / 16}rem`;
    const drawn = new Map();
    heaviest.slice(0, MOST_ARCS).forEach((steal, i) => {
      const key = `${steal.victim} ${steal.thief}`;
      const arc = this.#arcs.get(key) ?? new Arc(this.#drawing, steal);
      arc.update(steal.count, size, texts[i]);
      drawn.set(key, arc);
    });
    for (const [key, arc] of this.#arcs) {
      if (!drawn.has(key)) arc.element.remove();
    }
    this.#arcs = drawn;

    const rest = texts.length - MOST_NAMED;
    const summary = texts.length === 0 ? 'No steals now.'
      : `Steals: ${texts.slice(0, MOST_NAMED).join('; ')}${rest > 0 ? `; and ${rest} more pairs` : ''}.`;
    setAttributes(this.#drawing, {viewBox: `0 0 ${ARC_WIDTH} ${height}`, 'aria-label': summary});
    setText(this.#text, summary);
  }
}

/** Many cores get low rows, so that one still sees them at once. */
function rowSize(cores) {
  if (cores <= 8) return 28;
  return cores <= 32 ? 20 : 14;
}

class Row {
  // The end of a thread's name tells it from the others: bdi and the style sheet cut off its start.
  #name = element('bdi');
  #heading = element('th', {scope: 'row', class: 'name'}, this.#name);
  #busy = new Bar('busy');
  #waiting = new Bar('waiting');
  #events = element('td', {class: 'events'});
  #steals = element('td', {class: 'steals'});
  #now = element('td', {class: 'now'});

  constructor(body, index) {
    this.element = element('tr', {class: 'core', 'data-core': index}, this.#heading,
        this.#busy.element, this.#waiting.element, this.#events, this.#steals, this.#now);
    body.append(this.element);
  }

  update(core, longest) {
    this.element.dataset.busy = core.busy;
    this.element.dataset.waiting = core.waiting;
    setText(this.#name, core.name);
    this.#heading.title = core.name;
    this.#busy.update(core.busy, percent(core.busy));
    this.#waiting.update(core.waiting / longest, number(core.waiting));
    setText(this.#events, number(core.events));
    setText(this.#steals, number(core.steals));
    const stuck = core.stuckMillis > 0;
    this.element.classList.toggle('is-stuck', stuck);
    const warning = stuck ? `⚠ stuck for ${duration(core.stuckMillis)}: ` : '';
    setLongText(this.#now, warning + (core.now ?? 'idle'));
  }
}

/** A cell with a bar and its figure. */
class Bar {
  #fill = element('div', {class: 'fill'});
  #figure = element('span', {class: 'figure'});

  constructor(className) {
    const track = element('div', {class: 'track'}, this.#fill);
    this.element = element('td', {class: className}, element('div', {class: 'bar'}, track, this.#figure));
  }

  update(share, text) {
    this.#fill.style.width = `${(100 * Math.min(1, share)).toFixed(1)}%`;
    setText(this.#figure, text);
  }
}

/** A dot at the victim, an arrow head at the thief, and between them a line: the wider, the more steals. */
class Arc {
  #title = drawing('title');
  #line = drawing('path', {class: 'arc'});
  #dot = drawing('circle', {cx: 4});
  #head = drawing('path');

  constructor(parent, {victim, thief}) {
    this.victim = victim;
    this.thief = thief;
    this.element = drawing('g', {class: 'steal', 'data-victim': victim, 'data-thief': thief},
        this.#title, this.#line, this.#dot, this.#head);
    parent.append(this.element);
  }

  update(count, size, text) {
    // Arcs leave in the lower half of a row and arrive in its upper half: so both directions can be seen.
    const from = (this.victim + 0.7) * size;
    const to = (this.thief + 0.3) * size;
    const head = size / 5;
    const span = Math.abs(to - from);
    // The farther apart, the farther out, but within the drawing: an arc reaches three quarters of the way to
    // its control points.
    const reach = ARC_WIDTH * 1.25 * span / (span + 60) + head;
    // Logarithmic: a wide arc must not hide the others.
    const width = Math.min(size / 4, 1 + Math.log2(count) / 2);
    this.element.dataset.count = count;
    setText(this.#title, text);
    setAttributes(this.#line,
        {d: `M 4 ${from} C ${reach} ${from} ${reach} ${to} ${2 * head} ${to}`, 'stroke-width': width});
    setAttributes(this.#dot, {cy: from, r: Math.min(3, size / 7)});
    setAttributes(this.#head, {d: `M 0 ${to} l ${2 * head} ${-head} v ${2 * head} z`});
  }
}
