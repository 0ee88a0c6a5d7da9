// SPDX-License-Identifier: Apache-2.0
import {setText} from '/monitor/dom.js';
import {Rates} from './rates.js';
import {Scenarios} from './scenarios.js';
import {Settings} from './settings.js';
import {SideView} from './side.js';
import {showVerdict} from './verdict.js';

// The server sends a message after each turn, of about a second. After this time without one the connection
// counts as dead, also if the browser believes in it or has given it up.
const SILENCE_MILLIS = 15_000;
const COPIED_MILLIS = 2000;

const byId = id => document.getElementById(id);
const views = new Map();
let rates = null;
let last = null;
let stream = null;
let silence = 0;
let connection = 'connecting';

const settings = new Settings(showSettings, text => setText(byId('error'), text));
const scenarios = new Scenarios(values => settings.change(values));

function open() {
  close();
  stream = new EventSource('/events');
  stream.onopen = () => {
    if (settings.values !== null) setConnection('live');
  };
  stream.onmessage = message => {
    setConnection('live');
    show(JSON.parse(message.data));
    awaitMessage();
  };
  stream.onerror = () => {
    setConnection('reconnecting');
    awaitMessage();
  };
  awaitMessage();
}

function close() {
  clearTimeout(silence);
  stream?.close();
  stream = null;
}

function awaitMessage() {
  clearTimeout(silence);
  // A server that pauses has no turns to tell of; if it goes away, the browser notices.
  if (settings.values?.paused && connection === 'live') return;
  silence = setTimeout(() => {
    setConnection('reconnecting');
    open();
  }, SILENCE_MILLIS);
}

function setConnection(value) {
  connection = value;
  showState();
}

function showState() {
  const state = settings.values?.paused && connection === 'live' ? 'paused' : connection;
  setText(byId('state'), state);
  byId('state').dataset.state = state;
}

function showSettings() {
  scenarios.show(settings.values);
  byId('pause').disabled = false;
  byId('copy-link').disabled = false;
  setText(byId('pause'), settings.values.paused ? 'Resume' : 'Pause');
  showState();
  // Figures of other settings than those on the page would mislead.
  showVerdict(settings.fit(last.settings) ? last : null);
}

function show(message) {
  last = message;
  settings.receive(message.settings, message.limits);
  const {sides, turn} = message;
  // The turn that the message tells of is over, so now it is the other one's.
  const waiting = message.progress || settings.values.paused || !turn;
  const loaded = waiting ? null : sides.find(({id}) => id !== turn);
  for (const side of sides) {
    if (!views.has(side.id)) {
      views.set(side.id, new SideView(side));
      byId('sides').append(views.get(side.id).element);
    }
    views.get(side.id).update(side, side === loaded);
  }
  setText(byId('turn'), loaded ? `Under load now: ${loaded.title}.` : '');

  rates ??= new Rates(byId('rates'), sides);
  const measured = sides.find(({id}) => id === turn);
  if (measured) rates.add(turn, measured.perSecond, message.settings);
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(settings.link);
    setText(byId('copy-link'), 'Copied');
    setTimeout(() => setText(byId('copy-link'), 'Copy link'), COPIED_MILLIS);
  } catch {
    setText(byId('error'), 'This browser does not let pages copy: take the link from the address bar.');
  }
}

function togglePause() {
  if (settings.values !== null) settings.change({paused: !settings.values.paused});
}

byId('pause').addEventListener('click', togglePause);
byId('copy-link').addEventListener('click', copyLink);
document.addEventListener('keydown', event => {
  // Sliders take neither letters nor digits, a number field does.
  const typing = event.target.closest('input[type="number"]');
  if (typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'p') togglePause();
  else if (/^[1-9]$/.test(event.key)) scenarios.choose(event.key - 1);
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) close();
  else open();
});
showVerdict(null);
if (!document.hidden) open();
