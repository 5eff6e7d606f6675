import { setTimeout as sleep } from 'node:timers/promises';
import type { Direction, FrameInfo } from './zookeeper-frames.js';

/** What can happen to a request, to the reply to it, or to a notification. */
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
  /** Which frame of that operation, counted from the call of the rule. @default 1 */
  readonly occurrence?: number;
  /** Time between the frame's arrival and a cut, reset or drop; how long a hold lasts if nobody releases it. */
  readonly delayMs?: number;
  /** Only frames this is true of count. */
  readonly where?: (frame: FrameInfo) => boolean;
}

/** A rule that has been set. */
export interface Fault {
  /** Resolves when it has happened: the frame is dropped, held, or the connection cut. */
  readonly fired: Promise<void>;
  /** The same promise; reads better of a hold. */
  readonly held: Promise<void>;
  /** Lets a held frame, and all that queued behind it, go on. Before the frame has come: it will not be held. */
  release(): void;
  /** Takes back a rule that has not happened. */
  cancel(): void;
}

/** A frame on its way through the proxy, and what can be done with it there. */
export interface PassingFrame {
  forward(): void | Promise<void>;
  /** With other bytes in its place, its length in front included. */
  forwardAs(change: (frame: Buffer) => Buffer): void | Promise<void>;
  /** Only the first bytes. */
  forwardPart(bytes: number): void;
  /** FIN to both sides. */
  cut(): void;
  /** RST to both sides. */
  reset(): void;
  /** From now on nothing passes on this connection, in neither direction, not even its end. */
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

/** Happens once, to the n-th frame it matches. */
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

  /** The actions that can happen to frames of a direction. */
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

  /** Pings come at times no test knows: they do not count as the next reply. */
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

  /** Counts the frame; true if it is the one. */
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

/** The rules of one proxy that have not happened yet. */
export class FaultRules {
  #rules: FaultRule[] = [];

  add(rule: FaultRule): Fault {
    this.#rules.push(rule);
    const { fired } = rule;
    return { fired, held: fired, release: () => rule.release(), cancel: () => this.#remove(rule) };
  }

  /** The rule that strikes this frame, if any does. */
  take(frame: FrameInfo): FaultRule | undefined {
    const struck = this.#rules.find((rule) => rule.strikes(frame));
    if (struck) this.#remove(struck);
    return struck;
  }

  #remove(rule: FaultRule): void {
    this.#rules = this.#rules.filter((other) => other !== rule);
  }
}
