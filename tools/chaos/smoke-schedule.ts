import type { AttemptPlan } from '../attempts/attempt-plan.js';
import type { ModulePlan } from './schedule/module-plan.js';
import type { Schedule } from './schedule/schedule.js';

const LONG = 'long';
const BUSY = 'busy';
const SHORT = 'short';
const SESSION_TIMEOUT = 3_000;
/** How long the holder is cut off: its session expires, and a rival is granted the lock, ms. */
const CUT_OFF_MS = 8_000;

const MODULE: ModulePlan = {
  place: 'root',
  connectTimeout: 5_000,
  drainTimeout: 1_000,
  lazy: true,
  // The broken locks have none: each call has a place of its own, and the checker expects their order.
  localQueue: false,
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
 * A fixed schedule in which every broken lock must violate mutual exclusion, and the real one must not. Three processes,
 * each with three flows:
 *
 * - `long`: the first process holds it longer than it is cut off; its rivals ask after its session has expired;
 * - `busy`: all processes want it all the time, so that a lock that sorts by name soon sorts a newcomer before the holder;
 * - `short`: all processes want it, and some work longer than their ttl, so that a lock that releases by key releases the
 *   hold of another process.
 */
export const SMOKE_SCHEDULE: Schedule = {
  options: {
    seed: 0,
    durationMs: CUT_OFF_MS + 1_000,
    servers: 1,
    processes: 3,
    resources: [LONG, BUSY, SHORT],
  },
  setting: {
    tickTime: 300,
    processes: [1, 2, 3].map((process) => ({
      sessionTimeout: SESSION_TIMEOUT,
      module: MODULE,
      seed: process,
      script: [
        [
          process === 1
            ? { ...PLAN, resource: LONG, hold: CUT_OFF_MS + 1_000 }
            : { ...PLAN, resource: LONG, hold: 300, pause: 2 * SESSION_TIMEOUT },
          { ...PLAN, pause: 10 * CUT_OFF_MS },
        ],
        [{ ...PLAN, hold: 40 }],
        [
          { ...PLAN, resource: SHORT, hold: 250, ttl: 100 },
          { ...PLAN, resource: SHORT, hold: 200 },
        ],
      ],
    })),
  },
  quietFrom: CUT_OFF_MS + 1_000,
  faults: [
    {
      at: 500,
      lane: 'holders',
      fault: { on: 'holder', kind: 'holderBlackHole', resource: LONG, ms: CUT_OFF_MS },
    },
  ],
};
