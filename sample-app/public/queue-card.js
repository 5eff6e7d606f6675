import { element, find, pidOf, onClick, post } from './dom.js';

const SHOWN = 6;

/** The holder of one lock and its waiters, in order. */
export class QueueCard {
  #card;
  #owner = '';

  constructor(card) {
    this.#card = card;
    onClick('[data-action=hold]', card, () =>
      post(`/locks/${encodeURIComponent(card.dataset.resource)}/holds`, { seconds: 8 }),
    );
    setInterval(() => this.#age(), 100);
  }

  /** @param snapshot the response to `GET /locks/:resource`, or undefined if ZooKeeper does not respond */
  render(snapshot, owner) {
    this.#owner = owner;
    const holder = find('.holder', this.#card);
    holder.classList.toggle('held', Boolean(snapshot?.holder));
    const nobody = snapshot ? 'Not held' : 'ZooKeeper does not respond';
    holder.replaceChildren(
      ...(snapshot?.holder
        ? [element('span', { className: 'badge' }, 'holder'), ...this.#member(snapshot.holder)]
        : [nobody]),
    );
    const waiters = snapshot?.waiters ?? [];
    find('.waiters', this.#card).replaceChildren(
      ...waiters.slice(0, SHOWN).map((waiter) => element('li', {}, ...this.#member(waiter))),
    );
    const more = waiters.length - SHOWN;
    find('.more', this.#card).textContent =
      more > 0 ? `… and ${more} more` : snapshot && waiters.length === 0 ? 'No waiters' : '';
    this.#age();
  }

  #member({ owner, fencingToken }) {
    const mine = owner?.owner === this.#owner;
    return [
      element('code', { className: 'token', title: 'fencing token' }, fencingToken),
      element('span', { className: 'purpose' }, owner?.purpose ?? 'no owner record'),
      element(
        'span',
        {
          className: 'pid',
          title: `${mine ? 'this process' : 'another process'}: ${owner?.owner ?? 'unknown'}`,
          data: { mine: String(mine) },
        },
        `pid ${pidOf(owner?.owner)}`,
      ),
      element('time', {
        className: 'age',
        dateTime: owner?.since ?? '',
        title: `joined the queue at ${owner?.since}`,
      }),
    ];
  }

  /** Updates how long ago each contender joined the queue. */
  #age() {
    for (const time of this.#card.querySelectorAll('time')) {
      if (!time.dateTime) continue;
      const seconds = Math.max(0, (Date.now() - Date.parse(time.dateTime)) / 1_000);
      time.textContent = `${seconds.toFixed(1)} s ago`;
    }
  }
}
