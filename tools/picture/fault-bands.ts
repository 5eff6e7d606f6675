import type { FaultRecord } from '../history/fault-record.js';
import type { RunHistory } from '../history/run-history.js';
import { milliseconds, moment } from '../history/moments.js';
import { FAULTS, SERVER_FAULT } from './palette.js';
import type { Panel } from './panel.js';
import { element, label, title } from './svg.js';

const INSTANT_MS = 20;
const NAME_WIDTH = 34;

/** Draws faults as bands over their targets, and those without a duration as flags. */
export class FaultBands {
  /** The first free x coordinate for a name, by target. */
  readonly #free = new Map<string, number>();

  constructor(
    private readonly panel: Panel,
    private readonly history: RunHistory,
  ) {}

  *draw(): Generator<string> {
    for (const fault of this.history.faults) {
      if (!fault.struck || !this.panel.shows(fault.from, fault.to)) continue;
      for (const target of fault.targets) {
        if (target.startsWith('s')) yield* this.#onServer(target, fault);
        else if (milliseconds(fault.to - fault.from) < INSTANT_MS) yield this.#flag(target, fault);
        else yield* this.#onProcess(target, fault);
      }
    }
  }

  *#onServer(server: string, fault: FaultRecord): Generator<string> {
    const band = {
      ...this.panel.span(fault.from, fault.to),
      y: this.panel.serverY(server) - 1,
      height: 11,
      fill: FAULTS[fault.kind] ?? SERVER_FAULT,
      opacity: 0.45,
    };
    yield element('rect', band, this.#describe(fault));
    yield* this.#name(server, fault.kind, band.x + 3, band.y + 8.5);
  }

  *#onProcess(process: string, fault: FaultRecord): Generator<string> {
    const y = this.panel.processY(process);
    const band = {
      ...this.panel.span(fault.from, fault.to),
      y: y - 5,
      height: this.panel.blockHeight + 5,
      fill: FAULTS[fault.kind] ?? SERVER_FAULT,
      opacity: 0.16,
    };
    yield element('rect', band, this.#describe(fault));
    yield element('rect', { ...band, height: 2, opacity: 0.9 });
    yield* this.#name(process, fault.kind, band.x + 1, y - 6);
  }

  #flag(process: string, fault: FaultRecord): string {
    const color = FAULTS[fault.kind] ?? SERVER_FAULT;
    const [x, y] = [this.panel.x(fault.from), this.panel.processY(process)];
    const flag = `M${x} ${y + this.panel.blockHeight}V${y - 5}l5 2l-5 2`;
    const path = { d: flag, stroke: color, fill: color, 'stroke-width': 0.8 };
    return element('path', path, this.#describe(fault));
  }

  *#name(target: string, kind: string, x: number, y: number): Generator<string> {
    if (x < (this.#free.get(target) ?? 0)) return;
    this.#free.set(target, x + NAME_WIDTH);
    yield label(x, y, kind, { class: 'fault' });
  }

  #describe({ kind, targets, detail, from, to }: FaultRecord): string {
    const when = `${moment(from, this.history)} to ${moment(to, this.history)}`;
    return title(`${kind} on ${targets.join(', ')} ${detail} (${when})`);
  }
}
