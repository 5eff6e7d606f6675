import { element, find, onClick, post, put } from './dom.js';

const PAUSE_MS = 4_000;

/** The printer's paper, and the stale writer step by step. */
export class PrinterCard {
  #card;
  #pages = [];
  /** Tokens of writers A and B of the run that is on. */
  #a;
  #b;
  #running = false;

  constructor(card) {
    this.#card = card;
    onClick('[data-action=stale]', card, () => this.#run());
    onClick('[data-action=paper]', card, () => put('/printer/paper'));
  }

  /** @param report what `GET /printer` answers */
  render(report) {
    this.#pages = report.pages;
    find('.highest code', this.#card).textContent = report.highestToken;
    find('.paper', this.#card).replaceChildren(...report.pages.slice(0, 6).map(line));
    this.#follow();
  }

  /** @param event one of `locks.events$` */
  hear(event) {
    if (!this.#running || event.resource !== 'printer') return;
    if (event.type === 'acquired') {
      if (this.#a === undefined) {
        this.#a = event.fencingToken;
        this.#done(1, `token ${this.#a}`);
      } else this.#b ??= event.fencingToken;
    }
    if (event.type === 'ttlExpired' && event.fencingToken === this.#a) {
      this.#done(2, `held for ${Math.round(event.heldMs)} ms`);
    }
    this.#follow();
  }

  async #run() {
    this.#begin();
    const stale = post('/printer/pages', { text: 'written by A', pauseMs: PAUSE_MS });
    // B stands behind A in the queue because it asks later.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const newer = await post('/printer/pages', { text: 'written by B' });
    if (newer.status === 409) {
      this.#say(
        'It refused B, too: it has seen tokens of another ZooKeeper. Put in new paper and try again.',
      );
    }
    const { status, body } = await stale;
    if (newer.status === 201) this.#say(`A was told at once: ${status} ${body.code}`);
    setTimeout(() => this.#end(), PAUSE_MS);
  }

  /** Steps 3 and 4 are over when the printer says so. */
  #follow() {
    if (!this.#running) return;
    const page = (token, outcome) =>
      this.#pages.some((it) => it.fencingToken === token && it.outcome === outcome);
    if (page(this.#b, 'printed')) this.#done(3, `token ${this.#b}`);
    if (page(this.#a, 'refused')) {
      this.#done(4, `refused: ${this.#a} is smaller`, 'refused');
      this.#end();
    }
  }

  #begin() {
    this.#a = this.#b = undefined;
    this.#running = true;
    find('[data-action=stale]', this.#card).disabled = true;
    this.#say('');
    for (const step of this.#card.querySelectorAll('.steps li')) {
      step.className = '';
      find('output', step).textContent = '';
    }
  }

  #end() {
    this.#running = false;
    find('[data-action=stale]', this.#card).disabled = false;
  }

  #done(step, text, className = 'done') {
    const item = find(`[data-step="${step}"]`, this.#card);
    item.className = className;
    find('output', item).textContent = text;
  }

  #say(text) {
    find('.answer', this.#card).textContent = text;
  }
}

function line({ number, outcome, text, fencingToken, pid }) {
  return element(
    'li',
    { className: outcome },
    element('span', { className: 'number' }, `#${number}`),
    element('code', { className: 'token' }, fencingToken),
    element('span', { className: 'text' }, text),
    element('span', { className: 'pid' }, `pid ${pid}`),
    element('span', { className: 'outcome' }, outcome),
  );
}
