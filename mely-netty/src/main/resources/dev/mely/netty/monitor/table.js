// SPDX-License-Identifier: Apache-2.0
import {element, scrollBox, setLongText, setText} from './dom.js';

/** A table whose first column holds names, and the others figures; it is hidden while it is empty. */
export class Table {
  #body = element('tbody');
  #columns;

  /** The columns: pairs of a heading, and a function from an item to the text of its cell. */
  constructor(className, label, columns) {
    this.#columns = columns;
    const headings = columns.map(([heading]) => element('th', {scope: 'col'}, heading));
    this.element = scrollBox(label, element('table', {class: className}, element('caption', {}, label),
        element('thead', {}, element('tr', {}, ...headings)), this.#body));
  }

  /** Row i shows item i: rows are written over, not moved, since nothing in them can be open or focused. */
  update(items) {
    const rows = this.#body.rows;
    while (rows.length > items.length) rows[items.length].remove();
    while (rows.length < items.length) this.#body.append(this.#newRow());
    items.forEach((item, i) => {
      this.#columns.forEach(([, text], column) => {
        const cell = rows[i].cells[column];
        (column === 0 ? setLongText : setText)(cell, text(item));
      });
    });
    this.element.hidden = items.length === 0;
  }

  #newRow() {
    const cells = this.#columns.map((_, i) => i === 0 ? element('th', {scope: 'row'}) : element('td'));
    return element('tr', {}, ...cells);
  }
}
