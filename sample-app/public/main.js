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

// The stream begins with the events that have been, also when it is opened again.
stream.addEventListener('open', () => events.clear());
stream.addEventListener('lock', ({ data }) => {
  const event = JSON.parse(data);
  events.hear(event);
  printer.hear(event);
});
stream.addEventListener('board', ({ data }) => {
  const board = JSON.parse(data);
  say(board.connection);
  find('#owner').textContent = board.owner;
  for (const report of board.shows) shows.get(report.show)?.render(report);
  queue.render(
    board.locks?.find(({ resource }) => resource === 'show:evening'),
    board.owner,
  );
  printer.render(board.printer);
});
stream.addEventListener('error', () => say('this process does not answer'));

function say(state) {
  const pill = find('#connection');
  pill.textContent = state;
  pill.dataset.state = state;
}
