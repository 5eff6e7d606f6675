import type { Verdict } from '../checker/verdict.js';
import type { RunHistory } from '../history/run-history.js';
import { colorOf, END_COLORS, EXPIRED, FAINT, FAULTS, LOST, MODES, SERVER_FAULT } from './palette.js';
import { LEFT, PLOT_WIDTH } from './panel.js';
import { element, label } from './svg.js';

export const LEGEND_HEIGHT = 92;
const FIRST_ROW = 44;
const ROW_HEIGHT = 16;
const LETTER = 5.3;
const SAMPLE = 16;

interface Sample {
  readonly text: string;
  readonly mark: (x: number, y: number) => string;
}

/** Draws the title of the run, and what the colours mean. */
export function* drawLegend(
  { attempts, violations }: Verdict,
  { run, incarnations }: RunHistory,
): Generator<string> {
  const grants = attempts.filter(({ grant }) => grant !== undefined).length;
  const processes = new Set(incarnations.map(({ process }) => process)).size;
  const what = `Seed ${run.seed}, ${run.lock} lock: ${processes} processes on ${run.servers} servers, ${grants} grants, ${violations.length} violations`;
  yield label(LEFT, 22, what, { class: 'title', ...(violations.length > 0 ? { fill: LOST } : {}) });
  let [x, y] = [LEFT, FIRST_ROW];
  for (const { text, mark } of samples(run.resources)) {
    const width = SAMPLE + 18 + text.length * LETTER;
    if (x + width > LEFT + PLOT_WIDTH) [x, y] = [LEFT, y + ROW_HEIGHT];
    yield mark(x, y);
    yield label(x + SAMPLE + 4, y + 1, text);
    x += width;
  }
}

function samples(resources: readonly string[]): Sample[] {
  const bar =
    (fill: string, opacity = 1, stroke = 'none') =>
    (x: number, y: number): string =>
      element('rect', { x, y: y - 6, width: SAMPLE, height: 7, fill, opacity, stroke });
  const dot =
    (fill: string) =>
    (x: number, y: number): string =>
      element('circle', { cx: x + SAMPLE / 2, cy: y - 3, r: 2.5, fill });
  const cross = (x: number, y: number): string =>
    element('path', { d: `M${x + 5} ${y - 6}l6 7m-6 0l6 -7`, stroke: LOST, 'stroke-width': 1.4 });
  const line =
    (stroke: string, width: number) =>
    (x: number, y: number): string =>
      element('line', { x1: x, x2: x + SAMPLE, y1: y - 3, y2: y - 3, stroke, 'stroke-width': width });
  return [
    ...resources.map((resource) => ({ text: `holds ${resource}`, mark: bar(colorOf(resource, resources)) })),
    { text: 'waits', mark: line(FAINT, 1.2) },
    { text: 'busy', mark: dot(END_COLORS.busy) },
    { text: 'timed out', mark: dot(END_COLORS.timedOut) },
    { text: 'aborted', mark: dot(END_COLORS.aborted) },
    { text: 'unavailable', mark: dot(END_COLORS.unavailable) },
    { text: 'works after its ttl', mark: bar('url(#expired)', 1, EXPIRED) },
    { text: 'works after a loss', mark: bar('url(#lost)', 1, LOST) },
    { text: 'stale write rejected', mark: cross },
    { text: 'no connection', mark: line(LOST, 2) },
    { text: 'not running', mark: bar('url(#dead)') },
    { text: 'network', mark: bar(FAULTS['blackHole']!, 0.35) },
    { text: 'stopped', mark: bar(FAULTS['stop']!, 0.35) },
    { text: 'session expired', mark: bar(FAULTS['sessionExpiry']!) },
    { text: 'leader', mark: bar(MODES.leader) },
    { text: 'follower', mark: bar(MODES.follower) },
    { text: 'server down', mark: bar(SERVER_FAULT, 0.45) },
    { text: 'link stalled', mark: bar(FAULTS['linkStall']!, 0.6) },
  ];
}
