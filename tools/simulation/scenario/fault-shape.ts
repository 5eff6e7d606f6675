import type { Fault, FaultKind, QueueChange } from './fault.js';
import { flag, listOf, number, objectOf, oneOf, text, type Shape } from './shape.js';

type OfKind<K extends FaultKind> = Extract<Fault, { kind: K }>;

const QUEUE_CHANGES: readonly QueueChange[] = ['join', 'takeOver', 'leave', 'giveUp'];

const link = { from: text, to: text };

const SHAPES: { readonly [K in FaultKind]: Shape<OfKind<K>> } = {
  stall: objectOf<OfKind<'stall'>>({ kind: oneOf('stall'), ...link, ms: number }),
  slow: objectOf<OfKind<'slow'>>({ kind: oneOf('slow'), ...link, by: number, ms: number }),
  narrow: objectOf<OfKind<'narrow'>>({ kind: oneOf('narrow'), ...link, bytesPerMs: number, ms: number }),
  reset: objectOf<OfKind<'reset'>>({ kind: oneOf('reset'), ...link }),
  forget: objectOf<OfKind<'forget'>>({ kind: oneOf('forget'), ...link }),
  cut: objectOf<OfKind<'cut'>>({ kind: oneOf('cut'), ...link, bytes: number }),
  refuse: objectOf<OfKind<'refuse'>>({ kind: oneOf('refuse'), ...link, ms: number }),
  swallowFin: objectOf<OfKind<'swallowFin'>>({ kind: oneOf('swallowFin'), ...link, ms: number }),
  pause: objectOf<OfKind<'pause'>>({ kind: oneOf('pause'), host: text, ms: number }),
  block: objectOf<OfKind<'block'>>({ kind: oneOf('block'), host: text, ms: number }),
  preempt: objectOf<OfKind<'preempt'>>({ kind: oneOf('preempt'), host: text, ms: number, reads: number }),
  wallStep: objectOf<OfKind<'wallStep'>>({ kind: oneOf('wallStep'), host: text, by: number }),
  kill: objectOf<OfKind<'kill'>>({ kind: oneOf('kill'), host: text, ms: number }),
  close: objectOf<OfKind<'close'>>({ kind: oneOf('close'), host: text, ms: number }),
  isolate: objectOf<OfKind<'isolate'>>({ kind: oneOf('isolate'), host: text, ms: number }),
  lose: objectOf<OfKind<'lose'>>({
    kind: oneOf('lose'),
    host: text,
    what: oneOf('requests', 'replies'),
    ms: number,
  }),
  partition: objectOf<OfKind<'partition'>>({ kind: oneOf('partition'), hosts: listOf(text), ms: number }),
  partitionHolder: objectOf<OfKind<'partitionHolder'>>({
    kind: oneOf('partitionHolder'),
    resource: text,
    ms: number,
  }),
  slowDisk: objectOf<OfKind<'slowDisk'>>({ kind: oneOf('slowDisk'), host: text, by: number, ms: number }),
  throttle: objectOf<OfKind<'throttle'>>({ kind: oneOf('throttle'), host: text, share: number, ms: number }),
  loseQuorum: objectOf<OfKind<'loseQuorum'>>({ kind: oneOf('loseQuorum'), hosts: listOf(text), ms: number }),
  killLeader: objectOf<OfKind<'killLeader'>>({ kind: oneOf('killLeader'), ofSecond: flag, ms: number }, [
    'ofSecond',
  ]),
  restartAll: objectOf<OfKind<'restartAll'>>({ kind: oneOf('restartAll'), ms: number, keepsData: flag }),
  cutOffHolder: objectOf<OfKind<'cutOffHolder'>>({ kind: oneOf('cutOffHolder'), resource: text, ms: number }),
  lateTouch: objectOf<OfKind<'lateTouch'>>({
    kind: oneOf('lateTouch'),
    resource: text,
    ms: number,
    late: number,
    away: number,
  }),
  pauseHolder: objectOf<OfKind<'pauseHolder'>>({ kind: oneOf('pauseHolder'), resource: text, ms: number }),
  killHolder: objectOf<OfKind<'killHolder'>>({ kind: oneOf('killHolder'), resource: text, ms: number }),
  preemptNext: objectOf<OfKind<'preemptNext'>>({
    kind: oneOf('preemptNext'),
    resource: text,
    ms: number,
    reads: number,
  }),
  abortUnheard: objectOf<OfKind<'abortUnheard'>>({
    kind: oneOf('abortUnheard'),
    resource: text,
    change: oneOf(...QUEUE_CHANGES),
    ms: number,
  }),
  loseAnswer: objectOf<OfKind<'loseAnswer'>>({
    kind: oneOf('loseAnswer'),
    resource: text,
    change: oneOf(...QUEUE_CHANGES),
    ms: number,
    away: number,
  }),
  pauseUnheard: objectOf<OfKind<'pauseUnheard'>>({
    kind: oneOf('pauseUnheard'),
    resource: text,
    change: oneOf(...QUEUE_CHANGES),
    ms: number,
    stopped: number,
    away: number,
  }),
  deleteContender: objectOf<OfKind<'deleteContender'>>(
    { kind: oneOf('deleteContender'), resource: text, away: number },
    ['away'],
  ),
  foreign: objectOf<OfKind<'foreign'>>(
    { kind: oneOf('foreign'), resource: text, name: text, isPrivate: flag, ms: number },
    ['isPrivate'],
  ),
};

export const fault: Shape<Fault> = (value, where) => {
  const kinds = Object.keys(SHAPES) as FaultKind[];
  const kind = oneOf(...kinds)((value as Partial<Fault> | null)?.kind, `${where}.kind`);
  return SHAPES[kind](value, where);
};
