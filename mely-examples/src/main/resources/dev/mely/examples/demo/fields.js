// SPDX-License-Identifier: Apache-2.0

// Three decades of work, from 10 µs to 10 ms, on one slider: so its positions are logarithms.
const LEAST_WORK = 10;
const POSITIONS_PER_DECADE = 20;

/**
 * The settings that have a control and a place in the link: which values the server takes, the text of a
 * value, and for a control whose position is not its value, how one becomes the other.
 */
export const FIELDS = {
  busy: {
    least: 0,
    most: () => 100,
    text: (value, {connections}) => `${Math.round(connections * value / 100)} of ${connections}`,
  },
  uneven: {
    least: 0,
    most: () => 100,
    text: value => ({0: '0 %: spread evenly', 100: '100 %: on one loop'})[value] ?? `${value} %`,
  },
  work: {
    least: LEAST_WORK,
    most: () => 10_000,
    text: value => value < 1000 ? `${value} µs` : `${value / 1000} ms`,
    position: value => Math.round(POSITIONS_PER_DECADE * Math.log10(value / LEAST_WORK)),
    // Two digits: nobody wants to read 1995 µs.
    value: position => Number((LEAST_WORK * 10 ** (position / POSITIONS_PER_DECADE)).toPrecision(2)),
  },
  cores: {
    least: 1,
    most: ({cores}) => cores,
    text: (value, {cores}) => `at most ${cores}`,
  },
  block: {
    least: 0,
    most: () => 1000,
    text: value => value === 0 ? 'none' : `sleeps ${value} ms`,
  },
  streams: {
    least: 0,
    most: () => 200,
    text: value => value === 0 ? 'none' : `${value}`,
  },
};

/** With streams there are no other connections: these settings wait until there are. */
export const UNUSED_WITH_STREAMS = ['busy', 'uneven', 'block'];

/** The part of a link that tells the settings. */
export function toLink(settings) {
  return '#' + Object.keys(FIELDS).map(name => `${name}=${settings[name]}`).join('&');
}

/** The settings that such a link tells. Links are typed and mailed: what is wrong in one is left out. */
export function fromLink(hash, limits) {
  const settings = {};
  for (const [name, text] of new URLSearchParams(hash.slice(1))) {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : null;
    const value = Number(text);
    if (field !== null && /^\d+$/.test(text) && value >= field.least && value <= field.most(limits)) {
      settings[name] = value;
    }
  }
  return settings;
}
