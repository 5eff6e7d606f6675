import type { Verdict } from '../checker/verdict.js';
import { eventsOf, type Attempt } from '../checker/attempt.js';
import type { RunHistory } from '../history/run-history.js';
import { moment } from '../history/moments.js';
import { colorOf, END_COLORS, EXPIRED, LOST } from './palette.js';
import { LANE_HEIGHT, type Panel } from './panel.js';
import { element, title } from './svg.js';

const BAR = LANE_HEIGHT - 1.5;

/** Draws waits as thin lines, which end in a dot unless granted, and holds as bars, hatched where they were lost. */
export function* drawAttempts(panel: Panel, { attempts }: Verdict, history: RunHistory): Generator<string> {
  for (const attempt of attempts) {
    const over = lastOf(attempt, history);
    if (!panel.shows(attempt.asked.at, over)) continue;
    yield* wait(panel, attempt, attempt.end?.at ?? over, history);
    yield* hold(panel, attempt, over, history);
  }
  const named = new Map(attempts.map((attempt) => [attempt.name, attempt]));
  for (const { at, attempt: name, resource, moment: when, accepted } of history.writes) {
    if (accepted || !panel.shows(at, at)) continue;
    const attempt = named.get(name);
    if (attempt === undefined) continue;
    const [x, y] = [panel.x(at), panel.laneY(attempt.process, resource)];
    const cross = `M${x - 2.5} ${y}l5 ${BAR}m-5 0l5 -${BAR}`;
    yield element(
      'path',
      { d: cross, stroke: LOST, 'stroke-width': 1.4 },
      title(`${name}: write '${when}' rejected`),
    );
  }
}

/** The end of an attempt: its work may continue after its hold was lost. */
function lastOf(attempt: Attempt, { run }: RunHistory): bigint {
  const [worked] = eventsOf(attempt, 'releasing');
  if (worked !== undefined) return worked.at;
  if (attempt.grant === undefined && attempt.end !== undefined) return attempt.end.at;
  return attempt.incarnation?.to ?? run.endedAt;
}

function* wait(panel: Panel, attempt: Attempt, until: bigint, history: RunHistory): Generator<string> {
  const { asked, end, process, resource, name } = attempt;
  if (!panel.shows(asked.at, until)) return;
  const y = panel.laneY(process, resource) + LANE_HEIGHT / 2;
  const color = colorOf(resource, panel.shape.resources);
  const [x1, x2] = [panel.x(asked.at), panel.x(until)];
  const outcome = end?.what === 'ended' ? end.outcome : end?.what;
  const text = title(
    `${name} ${asked.verb} '${resource}' from ${moment(asked.at, history)}: ${outcome ?? 'no end'}`,
  );
  yield element(
    'line',
    { x1, x2: Math.max(x2, x1 + 0.5), y1: y, y2: y, stroke: color, 'stroke-width': 1.2, opacity: 0.55 },
    text,
  );
  if (end?.what === 'ended' && panel.shows(end.at, end.at))
    yield element('circle', { cx: x2, cy: y, r: 2, fill: END_COLORS[end.outcome] }, text);
}

function* hold(panel: Panel, attempt: Attempt, over: bigint, history: RunHistory): Generator<string> {
  const { valid, grant, process, resource, name } = attempt;
  if (grant === undefined) return;
  const y = panel.laneY(process, resource) + 0.5;
  const lostFrom = valid?.to ?? grant.at;
  if (valid !== undefined && panel.shows(valid.from, valid.to)) {
    const bar = {
      ...panel.span(valid.from, valid.to),
      y,
      height: BAR,
      fill: colorOf(resource, panel.shape.resources),
    };
    yield element(
      'rect',
      bar,
      title(
        `${name} holds '${resource}' from ${moment(valid.from, history)} to ${moment(valid.to, history)}, token ${grant.token}`,
      ),
    );
  }
  const [worked] = eventsOf(attempt, 'releasing');
  if (worked?.held === true || !panel.shows(lostFrom, over)) return;
  const ttl = eventsOf(attempt, 'signalled').some(({ detail }) => detail.includes('(ttl)'));
  const [fill, stroke] = ttl ? ['url(#expired)', EXPIRED] : ['url(#lost)', LOST];
  const bar = { ...panel.span(lostFrom, over), y, height: BAR, fill, stroke, 'stroke-width': 0.4 };
  const text = `${name} continues without '${resource}' until ${moment(over, history)}`;
  yield element('rect', bar, title(ttl ? `${text}: its ttl has passed` : text));
}
