// SPDX-License-Identifier: Apache-2.0

// Building blocks of the page. Many strings come from clients of the monitored server and are hostile: they
// get into the page as text or as the value of an attribute only, never as HTML.

/** An HTML element with attributes, and with children that are elements or text. */
export function element(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** An element of an SVG drawing. */
export function drawing(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function furnish(node, attributes, children) {
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
}

/** Sets a text only if it is new, so that selections stay and screen readers are not told again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets a text that may be cut off on the screen: the whole of it is in the tooltip. */
export function setLongText(node, text) {
  setText(node, text);
  node.title = text;
}

/** A box in which wide content scrolls, so that the page itself does not. */
export function scrollBox(label, content) {
  const box = element('div', {class: 'scroll', role: 'region', 'aria-label': label}, content);
  // The keyboard has to reach a box only if there is something to scroll.
  new ResizeObserver(() => { box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1; }).observe(content);
  return box;
}

/** A share of 1; a dash for what is not known. */
export function percent(share) {
  return share === null ? '–' : `${Math.round(100 * share)} %`;
}

const COMPACT = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});

/** At most three digits, such as 0.12, 3.2, 120 or 12.3K; a dash for what is not known. */
export function number(value) {
  return value === null ? '–' : COMPACT.format(value);
}

export function duration(millis) {
  return millis < 1000 ? `${Math.round(millis)} ms` : `${(millis / 1000).toFixed(1)} s`;
}
