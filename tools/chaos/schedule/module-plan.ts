import * as fc from 'fast-check';
import { weighted } from './weighted.js';

/** What a seed decides about the lock module of a process; JSON. Durations are in ms. */
export interface ModulePlan {
  /** How the root of all locks is said: as it is, with a `resourceName`, or with a chroot. It is the same path. */
  readonly place: 'root' | 'resourceName' | 'chroot';
  /** Of the module, for `@InjectLockService(name)`. */
  readonly name?: string;
  readonly owner?: string;
  readonly connectTimeout: number;
  readonly drainTimeout: number;
  /** The smallest one makes a process with a few dozen contenders use several sessions. */
  readonly maxSessionPathBytes?: number;
  readonly lazy: boolean;
  readonly slowWaitWarning?: number;
  readonly defaults: { readonly wait?: number; readonly ttl?: number };
  readonly maxAttempts?: 1 | null;
  readonly release?: 'confirmed' | 'sent';
  readonly maxRetryCount?: number;
  readonly initialRetryWaitMs?: number;
  /** `rising`, and one that fails at times, are functions. */
  readonly retryDelay?: number | 'rising' | 'failing';
  /** How many the session is given. */
  readonly credentials: 0 | 1 | 2;
  /** `rule`: the same as a list. With `creator`, the checker could not look. */
  readonly acl: 'open' | 'rule';
}

const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  weighted([1, fc.constant(undefined)], [1, arbitrary]);

/** Any combination that the library accepts. */
export const modulePlans: fc.Arbitrary<ModulePlan> = fc
  .record({
    place: fc.constantFrom('root', 'resourceName', 'chroot'),
    name: maybe(fc.constant('orders')),
    owner: maybe(fc.constant('a replica')),
    connectTimeout: between(3_000, 6_000),
    drainTimeout: weighted([1, fc.constant(0)], [2, between(100, 3_000)]),
    lazy: fc.boolean(),
    defaults: fc.record({
      wait: maybe(between(500, 6_000)),
      ttl: maybe(weighted([1, fc.constant(0)], [1, between(300, 1_500)])),
    }),
    maxAttempts: weighted<1 | null | undefined>([4, fc.constant(undefined)], [1, fc.constantFrom(1, null)]),
    release: maybe(fc.constantFrom('confirmed', 'sent')),
    maxRetryCount: weighted([2, fc.constant(undefined)], [1, fc.constant(0)], [1, between(2, 8)]),
    initialRetryWaitMs: maybe(between(10, 150)),
    retryDelay: weighted<ModulePlan['retryDelay']>(
      [3, fc.constant(undefined)],
      [1, between(10, 200)],
      [1, fc.constantFrom('rising', 'failing')],
    ),
    credentials: fc.constantFrom(0, 1, 2),
    acl: fc.constantFrom('open', 'rule'),
    maxSessionPathBytes: maybe(fc.constant(4_096)),
    slowWaitWarning: maybe(fc.constantFrom(0, 1_000)),
  })
  // The library refuses both: they say the same.
  .map((plan) => (plan.maxAttempts === undefined ? plan : { ...plan, defaults: { ttl: plan.defaults.ttl } }));
