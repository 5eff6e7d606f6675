import { element, find, onClick, post } from './dom.js';

const PAUSE_MS = 4_000;
const SHOWN = 4;

/** The pages of the printer, and the steps of the stale writer. */
export class PrinterCard {
  #card;
  #pages = [];
  /** The current run, with the tokens of writers A and B. */
  #run;

  constructor(card) {
    this.#card = card;
    onClick('[data-action=stale]', card, () => this.#start());
    onClick('[data-action=reset]', card, () => post('/printer/reset'));
  }

  /** @param report the response to `GET /printer` */
  render(report) {
    this.#pages = report.pages;
    find('.highest code', this.#card).textContent = report.highestToken;
    find('.pages', this.#card).replaceChildren(...report.pages.slice(0, SHOWN).map(line));
    this.#updateSteps();
  }

  /** @param event one of `locks.events$` */
  onEvent(event) {
    if (!this.#run || event.resource !== 'printer') return;
    if (event.type === 'acquired' && this.#run.a === undefined) {
      this.#run.a = event.fencingToken;
      this.#done(1, `token ${this.#run.a}`);
      this.#run.aHasLock();
    }
    if (event.type === 'ttlExpired' && event.fencingToken === this.#run.a) {
      this.#done(2, `held for ${Math.round(event.heldMs)} ms`);
    }
    this.#updateSteps();
  }

  async #start() {
    const run = this.#begin();
    try {
      const stale = post('/printer/pages', { text: 'written by A', pauseMs: PAUSE_MS });
      // B must queue behind A. A response before the grant is an error.
      const early = await Promise.race([run.locked, stale]);
      if (early) return this.#end(`A did not get the lock: ${textOf(early)}`);
      const newer = await post('/printer/pages', { text: 'written by B' });
      if (newer.status === 412) return this.#end(`${textOf(newer)}. Reset the printer and try again.`);
      if (newer.status !== 201) return this.#end(`B could not print: ${textOf(newer)}`);
      run.b = newer.body.fencingToken;
      this.#updateSteps();
      const answer = await stale;
      if (answer.status !== 201) this.#say(`Response to A when its ttl had passed: ${textOf(answer)}`);
    } catch (error) {
      this.#end(String(error));
    }
  }

  /** Completes steps 3 and 4 when the printer has printed B and refused A. */
  #updateSteps() {
    if (!this.#run) return;
    const { a, b } = this.#run;
    const outcomeOf = (token) => this.#pages.find(({ fencingToken }) => fencingToken === token)?.outcome;
    if (outcomeOf(b) === 'printed') this.#done(3, `token ${b}`);
    if (outcomeOf(a) === 'refused' && b !== undefined) {
      this.#done(4, `refused: ${a} is smaller`, 'refused');
      this.#end();
    }
    if (outcomeOf(a) === 'printed') this.#end('A resumed before B had printed: try again.');
  }

  #begin() {
    find('[data-action=stale]', this.#card).disabled = true;
    this.#say('');
    for (const step of this.#card.querySelectorAll('.steps li')) {
      step.className = '';
      find('output', step).textContent = '';
    }
    const run = {};
    run.locked = new Promise((resolve) => (run.aHasLock = resolve));
    return (this.#run = run);
  }

  #end(text) {
    this.#run = undefined;
    find('[data-action=stale]', this.#card).disabled = false;
    if (text !== undefined) this.#say(text);
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

function textOf({ status, body }) {
  return `${status} ${body.code ?? body.message}`;
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
