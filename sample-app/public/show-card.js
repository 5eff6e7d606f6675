import { element, find, post, put } from './dom.js';

const CROWD = 120;

/** One show: its seats, its sales and its buttons. */
export class ShowCard {
  #card;
  #show;
  #counter;
  #seats = element('ol', { className: 'seats' });
  #counts = element('dl', { className: 'counts' });
  #answer = element('p', { className: 'answer', role: 'status' });
  #capacity = 0;
  #buying = 0;

  constructor(card) {
    this.#card = card;
    this.#show = card.dataset.show;
    this.#counter = card.dataset.counter;
    const actions = element(
      'div',
      { className: 'actions' },
      button('Buy a ticket', () => this.#buy()),
      button(`${CROWD} customers`, () => this.crowd()),
      button('Free all seats', () => this.#reset(), 'quiet'),
    );
    find('.show', card).append(this.#seats, this.#counts, actions, this.#answer);
  }

  /** @param report the response to `GET /shows/:id` */
  render(report) {
    this.#capacity = report.capacity;
    this.#seats.replaceChildren(...report.ticketsPerSeat.map(seat));
    this.#counts.replaceChildren(
      count('tickets sold', `${report.sold} of ${report.capacity}`),
      count('oversold by', report.oversold, report.oversold > 0),
      count('sales lost', report.lost, report.lost > 0),
      count('turned away', report.turnedAway),
    );
    this.#card.classList.toggle('broken', report.oversold > 0 || report.lost > 0);
  }

  /** Sends many customers at once. */
  async crowd() {
    await post(`/${this.#counter}/shows/${this.#show}/crowds`, { customers: CROWD });
    this.#say(`${CROWD} customers are on their way`);
  }

  async #buy() {
    this.#buying += 1;
    if (this.#buying > 1 || this.#counter === 'locked') this.#say(`${this.#buying} requests in progress …`);
    try {
      const { status, body } = await post(`/${this.#counter}/shows/${this.#show}/seats`);
      if (status !== 201) return this.#say(`${status}: ${body.message}`);
      const token = body.fencingToken ? `, under token ${body.fencingToken}` : '';
      this.#say(`201: seat ${body.seat} for customer ${body.customer}${token}`);
    } finally {
      this.#buying -= 1;
    }
  }

  async #reset() {
    await put(`/shows/${this.#show}`, { capacity: this.#capacity });
    this.#say('All seats are free again');
  }

  #say(text) {
    this.#answer.textContent = text;
  }
}

function seat(tickets, index) {
  const state = tickets === 0 ? 'free' : tickets === 1 ? 'sold' : 'shared';
  const title = `Seat ${index + 1}: ${tickets === 0 ? 'free' : `sold ${tickets === 1 ? 'once' : `${tickets} times`}`}`;
  return element('li', { className: state, title }, tickets > 1 ? `×${tickets}` : String(index + 1));
}

function count(what, value, bad = false) {
  return element(
    'div',
    {},
    element('dt', {}, what),
    element('dd', { className: bad ? 'bad' : '' }, String(value)),
  );
}

function button(label, onclick, className = '') {
  return element('button', { type: 'button', onclick, className }, label);
}
