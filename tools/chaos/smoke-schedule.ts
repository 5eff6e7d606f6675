import type { AttemptPlan } from './schedule/attempt-plan.js';
import type { ModulePlan } from './schedule/module-plan.js';
import type { Schedule } from './schedule/schedule.js';

const LONG = 'long';
const BUSY = 'busy';
const SHORT = 'short';
const SESSION_TIMEOUT = 3_000;
/** The holder is cut off for so long that its session expires, and a rival is granted the lock, with time to spare. */
const CUT_OFF = 8_000;

const MODULE: ModulePlan = {
  place: 'root',
  connectTimeout: 5_000,
  drainTimeout: 1_000,
  lazy: true,
  defaults: {},
  credentials: 0,
  acl: 'open',
};
const PLAN: AttemptPlan = {
  pause: 0,
  resource: BUSY,
  verb: 'lock',
  wait: 10_000,
  ttl: 0,
  namedBy: 'owner',
  hold: 0,
  heedsSignal: false,
  ending: 'release',
  staleAfter: 0,
  locked: { key: 'text' },
};

/**
 * A schedule without chance, in which every sabotaged lock must let two in, and the real one must not. Three processes, each
 * with three flows:
 *
 * - the first process holds one lock longer than it is cut off; its rivals come when its session has expired;
 * - all of them want the next lock all the time: with names for numbers, a latecomer is soon before the holder;
 * - and all want the last one, some with a ttl that their work outlasts: they release what another one holds by then.
 */
export const GAUNTLET: Schedule = {
  options: { seed: 0, durationMs: CUT_OFF + 1_000, servers: 1, processes: 3, resources: [LONG, BUSY, SHORT] },
  setting: {
    tickTime: 300,
    processes: [1, 2, 3].map((process) => ({
      sessionTimeout: SESSION_TIMEOUT,
      module: MODULE,
      seed: process,
      script: [
        [
          process === 1
            ? { ...PLAN, resource: LONG, hold: CUT_OFF + 1_000 }
            : { ...PLAN, resource: LONG, hold: 300, pause: 2 * SESSION_TIMEOUT },
          { ...PLAN, pause: 10 * CUT_OFF },
        ],
        [{ ...PLAN, hold: 40 }],
        [
          { ...PLAN, resource: SHORT, hold: 250, ttl: 100 },
          { ...PLAN, resource: SHORT, hold: 200 },
        ],
      ],
    })),
  },
  calmAt: CUT_OFF + 1_000,
  faults: [
    {
      at: 500,
      lane: 'holders',
      fault: { on: 'holder', kind: 'holderBlackHole', resource: LONG, ms: CUT_OFF },
    },
  ],
};
