import type { Verdict } from '../checker/verdict.js';
import type { RunHistory } from '../history/run-history.js';
import { nanoseconds } from '../history/moments.js';
import { drawAttempts } from './draw-attempts.js';
import { drawFrame } from './draw-frame.js';
import { drawContactLost, drawViolations } from './draw-troubles.js';
import { FaultBands } from './fault-bands.js';
import { drawLegend, LEGEND_HEIGHT } from './legend.js';
import { EXPIRED, LOST, STYLE } from './palette.js';
import { LEFT, Panel, PLOT_WIDTH, type PanelShape } from './panel.js';
import { element } from './svg.js';

const PANEL_SPAN = nanoseconds(30_000);
const MARGIN = 20;

/** Draws the run as an SVG, in strips of half a minute. Elements have tooltips. */
export function drawTimeline(verdict: Verdict, history: RunHistory): string {
  const panels = panelsOf(history);
  const width = LEFT + PLOT_WIDTH + MARGIN;
  const height = (panels.at(-1)?.bottom ?? 0) + 2 * MARGIN;
  const content = panels.flatMap((panel) => [
    ...drawFrame(panel, history),
    ...drawAttempts(panel, verdict, history),
    ...new FaultBands(panel, history).draw(),
    ...drawContactLost(panel, history),
    ...drawViolations(panel, verdict.violations),
  ]);
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}` },
    element('style', {}, STYLE),
    element('defs', {}, hatch('lost', LOST, 2), hatch('expired', EXPIRED, 2), hatch('dead', '#777777', 3)),
    element('rect', { width, height, fill: 'white' }),
    ...drawLegend(verdict, history),
    ...content,
  );
}

function panelsOf({ run, incarnations }: RunHistory): Panel[] {
  const shape: PanelShape = {
    servers: run.servers,
    processes: [...new Set(incarnations.map(({ process }) => `p${process}`))],
    resources: run.resources,
  };
  const panels: Panel[] = [];
  for (let from = run.startedAt; from < run.endedAt; from += PANEL_SPAN) {
    const top = LEGEND_HEIGHT + panels.length * Panel.height(shape);
    panels.push(new Panel(from, from + PANEL_SPAN, top, shape));
  }
  return panels;
}

function hatch(id: string, color: string, distance: number): string {
  const pattern = {
    id,
    width: distance * 2,
    height: distance * 2,
    patternUnits: 'userSpaceOnUse',
    patternTransform: 'rotate(45)',
  };
  const line = { width: distance * 0.7, height: distance * 2, fill: color };
  return element('pattern', pattern, element('rect', line));
}
