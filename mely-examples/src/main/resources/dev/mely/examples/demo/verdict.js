// SPDX-License-Identifier: Apache-2.0
import {setText} from '/monitor/dom.js';

// Closer to 1 than this is no difference: two runs of the same server differ by so much.
const SAME_RATE = 0.05;
const SAME_LATENCY = 0.1;

/** Shows what comes out; with null instead of a message, that there are no figures of these settings yet. */
export function showVerdict(message) {
  const root = document.getElementById('verdict');
  const ratio = message?.ratio ?? {};
  const rate = ratio.perSecond ?? null;
  root.dataset.ratio = rate ?? '';
  root.dataset.outcome = rate === null ? 'unknown' : outcome(rate, SAME_RATE);
  setText(root.querySelector('.headline'), rate === null ? reason(message) : rateText(rate));
  setText(root.querySelector('.also'), [
    latencyText('The p99 of busy requests', ratio.p99),
    latencyText('The p99 of light connections', ratio.lightP99),
  ].join(' ').trim());
}

/** Why there is no ratio. */
function reason(message) {
  if (message?.progress) return `${message.progress}…`;
  const {busy, streams} = message?.settings ?? {};
  const none = Math.round(message?.limits.connections * busy / 100) === 0;
  return none && streams === 0 ? 'No busy connections to compare' : 'measuring…';
}

function outcome(ratio, same) {
  if (Math.abs(ratio - 1) <= same) return 'same';
  return ratio > 1 ? 'more' : 'less';
}

function rateText(ratio) {
  const times = ratio.toFixed(2);
  return {
    more: `Mely answers ${times} times as many requests`,
    same: `Mely answers as many requests (${times} times)`,
    less: `Mely answers fewer requests: ${times} times as many`,
  }[outcome(ratio, SAME_RATE)];
}

function latencyText(what, ratio) {
  if (ratio === null || ratio === undefined) return '';
  const times = ratio.toFixed(2);
  return {
    more: `${what} is longer on Mely: ${times} times.`,
    same: `${what} is about the same (${times} times).`,
    less: `${what} is shorter on Mely: ${times} times.`,
  }[outcome(ratio, SAME_LATENCY)];
}
