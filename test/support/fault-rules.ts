import { setTimeout as sleep } from 'node:timers/promises';
import type { Direction, FrameInfo } from './zookeeper-frames.js';

/** The faults of a request, of its reply, or of a notification. */
export type FaultAction =
  | 'cutBeforeForward'
  | 'rst'
  | 'dropRequest'
  | 'holdRequest'
  | 'blackHoleBeforeForward'
  | 'forwardThenCutBeforeReply'
  | 'cutWithinReply'
  | 'dropReply'
  | 'holdReply'
  | 'blackHoleBeforeReply'
  | 'cutBeforeNotification'
  | 'dropNotification'
  | 'holdNotification';

export interface FaultOptions {
  /** The number of the frame of that operation, counted from the time the rule was set. @default 1 */
  readonly occurrence?: number;
  /** The delay before a cut, reset or drop; the maximum duration of a hold. */
  readonly delayMs?: number;
  /** Only frames for which this returns true count. */
  readonly where?: (frame: FrameInfo) => boolean;
}

/** A rule of a proxy. */
export interface Fault {
  /** Resolves when the rule has been applied: the frame is dropped or held, or the connection is cut. */
  readonly fired: Promise<void>;
  /** The same promise, named for holds. */
  readonly held: Promise<void>;
  /** Forwards the held frame and all that are queued after it. If the frame has not arrived, it will not be held. */
  release(): void;
  /** Removes the rule if it has not been applied. */
  cancel(): void;
}

/** A frame in the proxy, and the operations on it. */
export interface PassingFrame {
  forward(): void | Promise<void>;
  /** Forwards other bytes instead, which include the length. */
  forwardAs(change: (frame: Buffer) => Buffer): void | Promise<void>;
  /** Forwards only the first bytes. */
  forwardPart(bytes: number): void;
  /** Sends FIN to both sides. */
  cut(): void;
  /** Sends RST to both sides. */
  reset(): void;
  /** From now on drops everything on this connection in both directions, including FIN and RST. */
  swallow(): void;
}

type Effect = (frame: PassingFrame, rule: FaultRule) => void | Promise<void>;

/** The length and half of a reply's header. */
const BYTES_BEFORE_CUT = 10;

const drop: Effect = () => {};
const cut: Effect = (frame) => frame.cut();
const swallow: Effect = (frame) => frame.swallow();
const cutWithin: Effect = (frame) => (frame.forwardPart(BYTES_BEFORE_CUT), frame.cut());
const hold: Effect = async (frame, rule) => {
  rule.happened();
  await rule.released;
  await frame.forward();
};

const EFFECTS: Record<FaultAction, { direction: Direction; effect: Effect }> = {
  cutBeforeForward: { direction: 'request', effect: cut },
  rst: { direction: 'request', effect: (frame) => frame.reset() },
  dropRequest: { direction: 'request', effect: drop },
  holdRequest: { direction: 'request', effect: hold },
  forwardThenCutBeforeReply: { direction: 'reply', effect: cut },
  blackHoleBeforeForward: { direction: 'request', effect: swallow },
  cutWithinReply: { direction: 'reply', effect: cutWithin },
  dropReply: { direction: 'reply', effect: drop },
  holdReply: { direction: 'reply', effect: hold },
  blackHoleBeforeReply: { direction: 'reply', effect: swallow },
  cutBeforeNotification: { direction: 'notification', effect: cut },
  dropNotification: { direction: 'notification', effect: drop },
  holdNotification: { direction: 'notification', effect: hold },
};

/** Applied once, to the n-th matching frame. */
export class FaultRule {
  #seen = 0;
  happened!: () => void;
  release!: () => void;
  readonly fired = new Promise<void>((resolve) => (this.happened = resolve));
  readonly released = new Promise<void>((resolve) => (this.release = resolve));

  constructor(
    private readonly matches: (frame: FrameInfo) => boolean,
    private readonly effect: Effect,
    private readonly options: FaultOptions,
  ) {}

  /** The actions that apply to frames of a direction. */
  static actionsOn(direction: Direction): FaultAction[] {
    const actions = Object.keys(EFFECTS) as FaultAction[];
    return actions.filter((action) => EFFECTS[action].direction === direction);
  }

  static of(operation: string, action: FaultAction, options: FaultOptions): FaultRule {
    const { direction, effect } = EFFECTS[action];
    return new FaultRule(
      (frame) => frame.direction === direction && frame.type === operation,
      effect,
      options,
    );
  }

  /** Pings come at unpredictable times, so they do not count as the next reply. */
  static cutReplyAfter(bytes: number): FaultRule {
    const effect: Effect = (frame) => (frame.forwardPart(bytes), frame.cut());
    return new FaultRule((frame) => frame.direction === 'reply' && frame.type !== 'ping', effect, {});
  }

  static rewritingReply(
    operation: string,
    change: (frame: Buffer) => Buffer,
    options: FaultOptions,
  ): FaultRule {
    return new FaultRule(
      (frame) => frame.direction === 'reply' && frame.type === operation,
      (frame) => frame.forwardAs(change),
      options,
    );
  }

  /** Counts the frame; returns true if the rule applies to it. */
  strikes(frame: FrameInfo): boolean {
    const { occurrence = 1, where = () => true } = this.options;
    if (this.matches(frame) && where(frame)) this.#seen += 1;
    return this.#seen === occurrence;
  }

  async apply(frame: PassingFrame): Promise<void> {
    const { delayMs } = this.options;
    if (delayMs !== undefined && this.effect === hold) setTimeout(() => this.release(), delayMs);
    else if (delayMs !== undefined) await sleep(delayMs);
    await this.effect(frame, this);
    this.happened();
  }
}

/** The rules of one proxy that have not been applied yet. */
export class FaultRules {
  #rules: FaultRule[] = [];

  add(rule: FaultRule): Fault {
    this.#rules.push(rule);
    const { fired } = rule;
    return { fired, held: fired, release: () => rule.release(), cancel: () => this.#remove(rule) };
  }

  /** The rule that applies to this frame, if any. */
  take(frame: FrameInfo): FaultRule | undefined {
    const struck = this.#rules.find((rule) => rule.strikes(frame));
    if (struck) this.#remove(struck);
    return struck;
  }

  #remove(rule: FaultRule): void {
    this.#rules = this.#rules.filter((other) => other !== rule);
  }
}
