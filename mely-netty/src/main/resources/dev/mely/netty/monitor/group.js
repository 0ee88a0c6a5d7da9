// SPDX-License-Identifier: Apache-2.0
import {CoresView} from './cores.js';
import {duration, element, number, percent, setLongText, setText} from './dom.js';
import {History} from './history.js';
import {Table} from './table.js';

const WEIGHT_COLUMNS = [
  ['Name', item => item.name],
  ['Share of a core', item => percent(item.share)],
  ['Time queued', item => percent(item.queued)],
  ['Pending', item => number(item.pending)],
  ['Cost µs', item => number(item.costMicros)],
  ['Penalty', item => number(item.penalty)],
];

/** The section of one event loop group. */
export class GroupView {
  #name = element('h2');
  #facts = element('p', {class: 'facts'});
  #verdict = element('p', {class: 'verdict'});
  #stuck = new StuckList();
  #handlers = new Table('handlers', 'Heaviest handlers', WEIGHT_COLUMNS);
  #memory = new Table('memory', 'Memory', [
    ['Core', core => core.name],
    ['Used', core => kibibytes(core.used)],
    ['Size', core => kibibytes(core.size)],
    ['Fallbacks', core => number(core.fallbacks)],
  ]);
  #colors;
  #cores;
  #history;

  constructor({name, kind}) {
    const mely = kind === 'Mely';
    const left = element('div');
    const right = element('div');
    this.#cores = new CoresView(left, mely ? 'Cores' : 'Event loops');
    this.#history = new History(right);
    right.append(this.#memory.element);
    this.#colors = new Table('colors', mely ? 'Heaviest colors' : 'Heaviest channels', WEIGHT_COLUMNS);
    this.element = element('section',
        {class: 'group', 'data-name': name, 'data-kind': kind, 'aria-label': name},
        element('header', {}, this.#name, this.#facts),
        this.#verdict, this.#stuck.element,
        element('div', {class: 'pair'}, left, right),
        element('div', {class: 'pair even'}, this.#colors.element, this.#handlers.element));
    setLongText(this.#name, name);
  }

  update(group, at) {
    const {kind, channels, cores, sharing, stealCostMicros} = group;
    const busy = cores.reduce((sum, core) => sum + core.busy, 0) / Math.max(1, cores.length);
    this.#history.add({...sharing, at, busy});
    setText(this.#facts, `${kind === 'Netty' ? 'Netty’s own group' : kind} · ${number(channels)} channels`
      + (stealCostMicros === null ? '' : ` · a steal costs ${number(stealCostMicros)}\u00a0µs`));
    setText(this.#verdict, kind === 'Mely' ? melyVerdict(sharing) : nettyVerdict(sharing, this.#history));
    this.#stuck.update(cores);
    this.#cores.update(group);
    this.#colors.update(group.colors);
    this.#handlers.update(group.handlers);
    this.#memory.update(group.memory);
  }
}

function melyVerdict({queued}) {
  return `A color waited for its core while another core was idle: ${percent(queued)} of the time.`;
}

function nettyVerdict({queued}, history) {
  const running = history.mean('running');
  const more = history.mean('more');
  const win = running > 0 && more >= 0.1 * running
    ? `Loops that share would have run about ${(1 + more / running).toFixed(1)} times as much at once.`
    : 'There is little to win by moving channels.';
  return `A channel waited for its loop while another loop was idle: ${percent(queued)} of the time `
    + `(last minute ${percent(history.mean('queued'))}). ${win}`;
}

function kibibytes(bytes) {
  return `${Math.round(bytes / 1024).toLocaleString('en')} KiB`;
}

/** The handlers that have run for so long that their core is stuck, with their stacks. */
class StuckList {
  element = element('div', {class: 'stuck-list'});
  #entries = new Map();

  update(cores) {
    cores.forEach((core, i) => {
      if (core.stuckMillis > 0) this.#show(core, i);
    });
    for (const [i, entry] of this.#entries) {
      if (!(cores[i]?.stuckMillis > 0)) this.#release(i, entry);
    }
  }

  #show(core, i) {
    let entry = this.#entries.get(i);
    if (entry === undefined) {
      entry = {summary: element('summary'), now: element('p'), stack: element('pre')};
      entry.details = element('details', {class: 'stuck'}, entry.summary, entry.now, entry.stack);
      this.#entries.set(i, entry);
      this.element.append(entry.details);
    }
    entry.ended = `${core.name} was in one handler for at least ${duration(core.stuckMillis)}`;
    setText(entry.summary, `⚠ ${core.name} has been in one handler for ${duration(core.stuckMillis)}`);
    setText(entry.now, core.now ?? '');
    setText(entry.stack, core.stack.join('\n'));
  }

  /** What somebody reads, or has the focus on, stays although it has ended. */
  #release(i, entry) {
    if (entry.details.open || entry.details.contains(document.activeElement)) {
      setText(entry.summary, entry.ended);
    } else {
      entry.details.remove();
      this.#entries.delete(i);
    }
  }
}
