import type { RunHistory } from '../history/run-history.js';
import { milliseconds, nanoseconds } from '../history/moments.js';
import { colorOf, FAINT, MODES } from './palette.js';
import { LEFT, PLOT_WIDTH, type Panel } from './panel.js';
import { element, label, title } from './svg.js';

const SERVER_BAR = 9;

/** Draws the time axis, the names of processes, and the modes of the servers. */
export function* drawFrame(panel: Panel, history: RunHistory): Generator<string> {
  yield* axis(panel, history);
  yield* phases(panel, history);
  for (let server = 1; server <= panel.shape.servers; server += 1)
    yield* serverRow(panel, `s${server}`, history);
  for (const process of panel.shape.processes) yield* processBlock(panel, process, history);
}

function* axis(panel: Panel, { run }: RunHistory): Generator<string> {
  const second = nanoseconds(1_000);
  const first = Math.ceil(milliseconds(panel.from - run.startedAt) / 1_000);
  for (let s = first; run.startedAt + BigInt(s) * second <= panel.to; s += 1) {
    const x = panel.x(run.startedAt + BigInt(s) * second);
    const strong = s % 5 === 0;
    yield element('line', {
      x1: x,
      x2: x,
      y1: panel.axisY + 3,
      y2: panel.bottom,
      stroke: strong ? '#d5d5d5' : '#eee',
    });
    if (strong) yield label(x, panel.axisY, `${s} s`, { class: 'faint', 'text-anchor': 'middle' });
  }
}

function* phases(panel: Panel, { run }: RunHistory): Generator<string> {
  for (const [at, text] of [
    [run.quietFrom, 'quiet'],
    [run.finishAt, 'finish'],
  ] as const) {
    if (!panel.shows(at, at)) continue;
    const x = panel.x(at);
    yield element('line', {
      x1: x,
      x2: x,
      y1: panel.axisY - 8,
      y2: panel.bottom,
      stroke: FAINT,
      'stroke-dasharray': '4 3',
    });
    yield label(x + 3, panel.axisY - 10, text, { class: 'faint' });
  }
}

function* serverRow(panel: Panel, server: string, { serverEvents, run }: RunHistory): Generator<string> {
  const y = panel.serverY(server);
  yield label(LEFT - 8, y + SERVER_BAR - 1, server, { class: 'name', 'text-anchor': 'end' });
  const changes = serverEvents.filter((event) => event.server === server);
  for (const [index, { at, mode }] of changes.entries()) {
    const until = changes[index + 1]?.at ?? run.endedAt;
    if (!panel.shows(at, until)) continue;
    const bar = {
      ...panel.span(at, until),
      y,
      height: SERVER_BAR,
      fill: MODES[mode],
      stroke: '#b9c6cf',
      'stroke-width': 0.5,
    };
    yield element('rect', bar, title(`${server} is ${mode}`));
  }
}

function* processBlock(panel: Panel, process: string, { run, incarnations }: RunHistory): Generator<string> {
  const y = panel.processY(process);
  const ofProcess = incarnations.filter((incarnation) => `p${incarnation.process}` === process);
  yield label(LEFT - 8, y + 9, process, { class: 'name', 'text-anchor': 'end' });
  yield label(LEFT - 8, y + 20, `T ${(ofProcess[0]?.sessionTimeout ?? 0) / 1_000} s`, {
    class: 'faint',
    'text-anchor': 'end',
  });
  yield element('rect', {
    x: LEFT,
    y: y - 1,
    width: PLOT_WIDTH,
    height: panel.blockHeight + 2,
    fill: 'none',
    stroke: '#cfcfcf',
  });
  for (const resource of run.resources)
    yield element('rect', {
      x: LEFT - 5,
      y: panel.laneY(process, resource) + 1,
      width: 4,
      height: 6,
      fill: colorOf(resource, run.resources),
    });
  for (const [index, { to, end }] of ofProcess.entries()) {
    const next = ofProcess[index + 1]?.from ?? run.endedAt;
    if (end !== 'killed' || !panel.shows(to, next)) continue;
    const dead = { ...panel.span(to, next), y, height: panel.blockHeight, fill: 'url(#dead)' };
    yield element('rect', dead, title(`${process} is not running`));
  }
}
