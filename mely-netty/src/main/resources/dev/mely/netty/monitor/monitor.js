// SPDX-License-Identifier: Apache-2.0
import {setText} from './dom.js';
import {GroupView} from './group.js';

// The server sends a message per second. After this time without one the connection counts as dead, also if
// the browser believes in it or has given it up.
const SILENCE_MILLIS = 5000;

const {base} = document.body.dataset;
const byId = id => document.getElementById(id);
const views = new Map();
let stream = null;
let silence = 0;
let paused = false;

function open() {
  close();
  // The query string may hold the token that lets this page in.
  stream = new EventSource(`${base}events${location.search}`);
  stream.onmessage = message => {
    awaitMessage();
    show(JSON.parse(message.data));
    setState('live');
  };
  stream.onerror = () => setState('reconnecting');
  awaitMessage();
}

/** The server measures only while somebody looks. */
function close() {
  clearTimeout(silence);
  stream?.close();
  stream = null;
}

function awaitMessage() {
  clearTimeout(silence);
  silence = setTimeout(() => {
    setState('reconnecting');
    open();
  }, SILENCE_MILLIS);
}

function setState(state) {
  setText(byId('state'), state);
  byId('state').dataset.state = state;
}

function show({at, cpus, processCpus, groups}) {
  const time = new Date(at);
  setText(byId('at'), time.toLocaleTimeString());
  byId('at').dateTime = time.toISOString();
  setText(byId('cpus'), `This process uses ${processCpus?.toFixed(2) ?? 'an unknown share'} of ${cpus} CPUs`);
  byId('empty').hidden = groups.length > 0;
  showGroups(groups, at);
}

function showGroups(groups, at) {
  const byKey = new Map();
  for (const group of groups) {
    let key = `${group.kind} ${group.name}`;
    while (byKey.has(key)) key += ' again'; // two groups may have one name
    byKey.set(key, group);
  }
  for (const [key, view] of views) {
    if (!byKey.has(key)) {
      view.element.remove();
      views.delete(key);
    }
  }
  const parent = byId('groups');
  let place = 0;
  for (const [key, group] of byKey) {
    if (!views.has(key)) views.set(key, new GroupView(group));
    const view = views.get(key);
    // Only what is out of place is moved: moving takes the focus away.
    const there = parent.children[place++] ?? null;
    if (there !== view.element) parent.insertBefore(view.element, there);
    view.update(group, at);
  }
}

function togglePause() {
  paused = !paused;
  setText(byId('pause'), paused ? 'Resume' : 'Pause');
  setState(paused ? 'paused' : 'connecting');
  if (paused) close();
  else open();
}

byId('pause').addEventListener('click', togglePause);
document.addEventListener('keydown', event => {
  const typing = event.target.closest('input, textarea, select, [contenteditable]');
  const alone = !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === 'p' && alone && !typing) togglePause();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) close();
  else if (!paused) open();
});
byId('json').search = location.search;
if (!document.hidden) open();
