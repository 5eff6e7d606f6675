import { element, find, timeOf } from './dom.js';

const KEPT = 150;

const TONES = {
  acquired: 'good',
  ready: 'good',
  resumed: 'good',
  waiting: 'wait',
  ttlWarning: 'wait',
  busy: 'wait',
  timedOut: 'danger',
  failed: 'danger',
  ttlExpired: 'danger',
  lost: 'danger',
  workRejected: 'danger',
  suspended: 'danger',
  sessionExpired: 'danger',
  authenticationFailed: 'danger',
};

/** The event stream, newest first. */
export class EventCard {
  #body;
  #pending = [];

  constructor(card) {
    this.#body = find('tbody', card);
  }

  clear() {
    this.#pending = [];
    this.#body.replaceChildren();
  }

  /** @param event one of `locks.events$` */
  onEvent(event) {
    this.#pending.push(event);
    // Renders events once per frame: a crowd causes hundreds at a time.
    if (this.#pending.length === 1) requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    const rows = this.#pending.splice(0).slice(-KEPT).map(row);
    this.#body.prepend(...rows.toReversed());
    while (this.#body.rows.length > KEPT) this.#body.lastElementChild.remove();
  }
}

function row(event) {
  const cell = (className, ...children) => element('td', { className }, ...children);
  return element(
    'tr',
    {},
    cell('time', timeOf(new Date(event.at))),
    cell('type', element('span', { className: `chip ${TONES[event.type] ?? ''}` }, event.type)),
    cell('resource', event.resource ?? ''),
    cell('token', event.fencingToken ?? ''),
    cell('detail', detailOf(event)),
  );
}

function detailOf(event) {
  const parts = [];
  if (event.ahead !== undefined) parts.push(`${event.ahead} ahead${event.requeued ? ', queued again' : ''}`);
  if (event.waitedMs !== undefined) parts.push(`waited ${Math.round(event.waitedMs)} ms`);
  if (event.heldMs !== undefined) parts.push(`held ${Math.round(event.heldMs)} ms`);
  if (event.remainingMs !== undefined) parts.push(`${Math.round(event.remainingMs)} ms left`);
  if (event.server !== undefined) parts.push(`${event.server}, session ${event.session}`);
  const why = event.error ?? event.reason;
  if (why !== undefined) parts.push(String(why));
  return parts.join(' · ');
}
