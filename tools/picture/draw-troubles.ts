import type { Violation } from '../checker/violation.js';
import type { RunHistory } from '../history/run-history.js';
import { groupBy } from '../history/group-by.js';
import { processOf } from '../history/names.js';
import type { ProcessEventOf } from '../history/process-event.js';
import { LOST } from './palette.js';
import type { Panel } from './panel.js';
import { element, label, title } from './svg.js';

/** Underlines the time without a connection, from `suspended` to `ready` or `resumed`. */
export function* drawContactLost(panel: Panel, { events, incarnations, run }: RunHistory): Generator<string> {
  const connections = events.filter(
    (event): event is ProcessEventOf<'connection'> => event.what === 'connection',
  );
  for (const [actor, ofActor] of groupBy(connections, ({ actor }) => actor)) {
    const end = incarnations.find((incarnation) => incarnation.actor === actor)?.to ?? run.endedAt;
    for (const [index, { at, state, detail }] of ofActor.entries()) {
      if (state !== 'suspended') continue;
      const back = ofActor.slice(index).find((later) => later.state === 'ready' || later.state === 'resumed');
      const until = back?.at ?? end;
      if (!panel.shows(at, until)) continue;
      const y = panel.processY(processOf(actor)) + panel.blockHeight + 1;
      const line = { ...panel.span(at, until), y, height: 2, fill: LOST };
      yield element('rect', line, title(`${actor} has no connection: ${detail}`));
    }
  }
}

export function* drawViolations(panel: Panel, violations: readonly Violation[]): Generator<string> {
  for (const { at, invariant, sentence } of violations) {
    if (!panel.shows(at, at)) continue;
    const x = panel.x(at);
    const line = { x1: x, x2: x, y1: panel.axisY, y2: panel.bottom, stroke: LOST, 'stroke-width': 1.5 };
    yield element('line', line, title(sentence));
    yield label(x + 2, panel.bottom + 9, invariant, { fill: LOST, 'font-weight': 700 });
  }
}
