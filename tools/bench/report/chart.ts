import { element, label, title } from '../../picture/svg.js';
import { ratio } from '../measure/result.js';
import type { SetupResults } from '../run-bench.js';
import { REFERENCE, type Subject } from '../subjects.js';
import { STYLE, subjectColor } from './chart-style.js';
import { digits } from './columns.js';
import { LogScale } from './log-scale.js';
import { SETUP_TITLES } from './markdown.js';

const NAMES_WIDTH = 300;
const PANEL_WIDTH = 250;
const PANEL_GAP = 60;
const TOP = 64;
const GROUP_TITLE = 22;
const BAR = 13;
const GROUP_GAP = 10;

/** One bar, with the speed as a ratio to the reference. */
interface Bar {
  readonly subject: Subject;
  readonly group: number;
  readonly panel: number;
  readonly row: number;
  readonly ratio: number;
}

/** Draws the ratios to Curator: a panel for each kind of server, a group of bars for each workload. */
export function drawChart(setups: readonly SetupResults[]): string {
  const groups = setups[0]!.workloads;
  const rows = groups.map(({ results }) => results.length);
  const tops = rows.map(
    (_, group) => TOP + rows.slice(0, group).reduce((y, count) => y + groupHeight(count), 0),
  );
  const height = tops.at(-1)! + groupHeight(rows.at(-1)!);
  const width = NAMES_WIDTH + setups.length * (PANEL_WIDTH + PANEL_GAP);
  const bars = allBars(setups);
  const scale = LogScale.of(
    bars.map((bar) => bar.ratio),
    PANEL_WIDTH,
  );
  const rowY = (group: number, row: number): number => tops[group]! + GROUP_TITLE + row * BAR;
  const content = [
    element('style', {}, STYLE),
    label(16, 26, 'Speed as a ratio to Curator (logarithmic)', { class: 'title' }),
    ...groups.flatMap(({ workload, results }, group) => [
      label(16, tops[group]! + 14, `${workload.name}: ${workload.about}`, { class: 'name' }),
      ...results.map(({ subject }, row) => label(24, rowY(group, row) + 10, subject.title)),
    ]),
    ...setups.flatMap(({ setup }, panel) => drawAxis(SETUP_TITLES[setup], panelX(panel), scale, height)),
    ...bars.map((bar) => drawBar(bar, rowY(bar.group, bar.row), scale)),
  ];
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  return `${element('svg', { xmlns: 'http://www.w3.org/2000/svg', role: 'img', ...size }, ...content)}\n`;
}

function allBars(setups: readonly SetupResults[]): Bar[] {
  return setups.flatMap(({ workloads }, panel) =>
    workloads.flatMap(({ results }, group) => {
      const reference = results.find(({ subject }) => subject.name === REFERENCE);
      return results.flatMap((result, row) => {
        const found = ratio(result, reference);
        return found ? [{ subject: result.subject, group, panel, row, ratio: found.median }] : [];
      });
    }),
  );
}

function drawAxis(name: string, x: number, scale: LogScale, height: number): string[] {
  return [
    label(x, TOP - 22, name, { class: 'name' }),
    ...scale.decades.flatMap((decade) => [
      element('line', {
        class: decade === 1 ? 'one' : 'grid',
        x1: x + scale.x(decade),
        x2: x + scale.x(decade),
        y1: TOP,
        y2: height,
      }),
      label(x + scale.x(decade), TOP - 6, `${decade}×`, { 'text-anchor': 'middle' }),
    ]),
  ];
}

function drawBar({ subject, panel, ratio }: Bar, y: number, scale: LogScale): string {
  const [from, to] = [scale.x(1), scale.x(ratio)];
  const x = panelX(panel) + Math.min(from, to);
  const bar = { x, y, width: Math.max(1, Math.abs(to - from)), height: BAR - 3, fill: subjectColor(subject) };
  return (
    element('rect', bar, title(`${subject.title}: ${digits(ratio)}×`)) +
    label(panelX(panel) + Math.max(from, to) + 4, y + 9, `${digits(ratio)}×`)
  );
}

function panelX(panel: number): number {
  return NAMES_WIDTH + panel * (PANEL_WIDTH + PANEL_GAP);
}

function groupHeight(rows: number): number {
  return GROUP_TITLE + rows * BAR + GROUP_GAP;
}
