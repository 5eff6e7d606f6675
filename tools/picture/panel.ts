import { milliseconds } from '../history/moments.js';

export const LEFT = 84;
export const PLOT_WIDTH = 1_500;
export const LANE_HEIGHT = 8;
const SERVER_HEIGHT = 12;
const BLOCK_GAP = 12;
const AXIS_HEIGHT = 26;

export interface PanelShape {
  readonly servers: number;
  readonly processes: readonly string[];
  readonly resources: readonly string[];
}

/** A strip of the picture for a period of the run: a row per server, and per process a block with a lane per resource. */
export class Panel {
  constructor(
    readonly from: bigint,
    readonly to: bigint,
    readonly top: number,
    readonly shape: PanelShape,
  ) {}

  static height({ servers, processes, resources }: PanelShape): number {
    const block = resources.length * LANE_HEIGHT + BLOCK_GAP;
    return AXIS_HEIGHT + servers * SERVER_HEIGHT + BLOCK_GAP + processes.length * block + 2 * BLOCK_GAP;
  }

  get bottom(): number {
    return this.top + Panel.height(this.shape) - 2 * BLOCK_GAP;
  }

  get axisY(): number {
    return this.top + AXIS_HEIGHT - 8;
  }

  get blockHeight(): number {
    return this.shape.resources.length * LANE_HEIGHT;
  }

  /** Whether the period overlaps this panel. */
  shows(from: bigint, to: bigint): boolean {
    return from < this.to && to >= this.from;
  }

  /** The x coordinate of a time, clamped to the panel. */
  x(at: bigint): number {
    const clamped = at < this.from ? this.from : at > this.to ? this.to : at;
    return LEFT + (milliseconds(clamped - this.from) / milliseconds(this.to - this.from)) * PLOT_WIDTH;
  }

  /** The top of the row of a server: `s1`, `s2`, ... */
  serverY(server: string): number {
    return this.top + AXIS_HEIGHT + (Number(server.slice(1)) - 1) * SERVER_HEIGHT;
  }

  /** The top of the block of a process. */
  processY(process: string): number {
    const above = this.top + AXIS_HEIGHT + this.shape.servers * SERVER_HEIGHT + BLOCK_GAP;
    return above + this.shape.processes.indexOf(process) * (this.blockHeight + BLOCK_GAP);
  }

  laneY(process: string, resource: string): number {
    return this.processY(process) + this.shape.resources.indexOf(resource) * LANE_HEIGHT;
  }

  /** The extent of a bar, with a minimum width that is visible. */
  span(from: bigint, to: bigint): { x: number; width: number } {
    const x = this.x(from);
    return { x, width: Math.max(this.x(to) - x, 1.5) };
  }
}
