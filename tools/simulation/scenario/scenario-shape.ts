import type { AttemptPlan, ExtensionPlan, LockedPlan, NestedPlan } from '../../attempts/attempt-plan.js';
import type { PlannedFault } from './fault.js';
import { fault } from './fault-shape.js';
import type {
  EnsemblePlan,
  JobPlan,
  PlannedCall,
  PlannedRequest,
  ProcessPlan,
  Scenario,
  ServersPlan,
} from './scenario.js';
import { flag, listOf, number, numberOrInfinity, objectOf, oneOf, text, type Shape } from './shape.js';

const locked = objectOf<LockedPlan>(
  { key: oneOf('text', 'template', 'function'), onBusy: oneOf('throw', 'skip'), allowLiteral: flag },
  ['onBusy', 'allowLiteral'],
);

const nested: Shape<NestedPlan> = objectOf<NestedPlan>(
  {
    resource: text,
    verb: oneOf('lock', 'tryLock', 'withLock', '@Locked'),
    wait: numberOrInfinity,
    ttl: number,
    minHold: number,
    mode: oneOf('exclusive', 'read', 'write', 'semaphore'),
    hold: number,
    heedsSignal: flag,
    throws: flag,
    ending: oneOf('release', 'unlock', 'twice', 'apart', 'dispose'),
    atExpiry: flag,
    outlives: flag,
    nested: (value, where) => nested(value, where),
  },
  ['resource', 'wait', 'ttl', 'minHold', 'mode', 'throws', 'atExpiry', 'nested'],
);

const plan = objectOf<AttemptPlan>(
  {
    pause: number,
    resource: text,
    also: listOf(text),
    verb: oneOf('lock', 'tryLock', 'withLock', '@Locked', 'lead'),
    wait: numberOrInfinity,
    ttl: number,
    minHold: number,
    maxWaiters: numberOrInfinity,
    whenCallerLeaves: oneOf('leave', 'stay'),
    reentrant: flag,
    namedBy: oneOf('owner', 'purpose', 'both'),
    mode: oneOf('exclusive', 'read', 'write', 'semaphore'),
    permits: number,
    fair: flag,
    failure: oneOf('open', 'closed'),
    ownedBy: oneOf('process', 'application'),
    abortAfter: number,
    extension: objectOf<ExtensionPlan>({ after: number, ttl: number }),
    hold: number,
    heedsSignal: flag,
    throws: flag,
    ending: oneOf('release', 'unlock', 'twice', 'apart', 'dispose'),
    staleAfter: number,
    locked,
    works: flag,
    nested,
  },
  [
    'also',
    'wait',
    'ttl',
    'minHold',
    'maxWaiters',
    'whenCallerLeaves',
    'reentrant',
    'mode',
    'permits',
    'fair',
    'failure',
    'ownedBy',
    'abortAfter',
    'extension',
    'throws',
    'locked',
    'works',
    'nested',
  ],
);

const process = objectOf<ProcessPlan>(
  {
    name: text,
    sessionTimeout: number,
    asks: number,
    connectTimeout: number,
    drainTimeout: number,
    release: oneOf('confirmed', 'sent'),
    rate: number,
    wallRate: number,
    maxSessionPathBytes: number,
    eager: flag,
    crashGuard: flag,
    localQueue: flag,
    handOver: number,
    linger: number,
    retryDelay: number,
    authenticates: flag,
    shutdownPause: number,
  },
  [
    'asks',
    'maxSessionPathBytes',
    'eager',
    'crashGuard',
    'localQueue',
    'handOver',
    'linger',
    'retryDelay',
    'authenticates',
    'shutdownPause',
  ],
);

const job = objectOf<JobPlan>(
  {
    interval: number,
    work: number,
    interrupted: oneOf('repeat', 'skip'),
    failing: number,
    heedsSignal: flag,
  },
  ['failing', 'heedsSignal'],
);

export const scenario = objectOf<Scenario>(
  {
    seed: text,
    ensemble: objectOf<EnsemblePlan>(
      {
        size: number,
        tickTime: number,
        syncLimit: number,
        containers: flag,
        hidesStats: flag,
        rates: listOf(number),
        longestSession: number,
      },
      ['containers', 'hidesStats', 'longestSession'],
    ),
    second: objectOf<ServersPlan>({ size: number, rates: listOf(number) }),
    processes: listOf(process),
    resources: listOf(text),
    calls: listOf(objectOf<PlannedCall>({ at: number, process: text, timed: flag, plan }, ['timed'])),
    faults: listOf(objectOf<PlannedFault>({ at: number, fault })),
    job,
    requests: listOf(
      objectOf<PlannedRequest>(
        { at: number, process: text, resource: text, permits: number, inspects: flag },
        ['permits', 'inspects'],
      ),
    ),
    quietFrom: number,
  },
  ['second', 'job', 'requests'],
);
