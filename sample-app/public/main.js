import { find, onClick } from './dom.js';
import { EventCard } from './event-card.js';
import { PrinterCard } from './printer-card.js';
import { QueueCard } from './queue-card.js';
import { ShowCard } from './show-card.js';

const shows = new Map(
  [...document.querySelectorAll('[data-show]')].map((card) => [card.dataset.show, new ShowCard(card)]),
);
const queue = new QueueCard(find('#queue'));
const printer = new PrinterCard(find('#printer'));
const events = new EventCard(find('#events'));

onClick('[data-action=both]', document, () => {
  for (const show of shows.values()) void show.crowd();
});

const stream = new EventSource('/live');

// The server repeats recent events whenever the stream is opened.
stream.addEventListener('open', () => events.clear());
stream.addEventListener('lock', ({ data }) => {
  const event = JSON.parse(data);
  events.onEvent(event);
  printer.onEvent(event);
});
stream.addEventListener('state', ({ data }) => {
  const state = JSON.parse(data);
  showConnection(state.connection);
  find('#owner').textContent = state.owner;
  for (const report of state.shows) shows.get(report.show)?.render(report);
  queue.render(
    state.locks?.find(({ resource }) => resource === 'show:evening'),
    state.owner,
  );
  printer.render(state.printer);
});
stream.addEventListener('error', () => showConnection('this process does not respond'));

function showConnection(state) {
  const pill = find('#connection');
  pill.textContent = state;
  pill.dataset.state = state;
}
