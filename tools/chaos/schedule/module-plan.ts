import * as fc from 'fast-check';
import { weighted } from '../../attempts/weighted.js';

/** The random options of the lock module of a process; JSON. Durations are in ms. */
export interface ModulePlan {
  /** How the root of all locks is configured: by `root`, by `resourceName` or by a chroot. The path is the same. */
  readonly place: 'root' | 'resourceName' | 'chroot';
  /** The name of the module, for `@InjectLockService(name)`. */
  readonly name?: string;
  readonly owner?: string;
  readonly connectTimeout: number;
  readonly drainTimeout: number;
  /** The smallest value makes a process with a few dozen contenders use several sessions. */
  readonly maxSessionPathBytes?: number;
  readonly lazy: boolean;
  readonly slowWaitWarning?: number;
  /** With it, the locks of a killed process may be granted long before its session would expire. */
  readonly crashGuard?: boolean;
  readonly defaults: { readonly wait?: number; readonly ttl?: number };
  readonly maxAttempts?: 1 | null;
  readonly release?: 'confirmed' | 'sent';
  readonly localQueue?: boolean;
  readonly handOver?: number;
  readonly linger?: number;
  readonly maxRetryCount?: number;
  readonly initialRetryWaitMs?: number;
  /** `rising` and `failing` are functions; `failing` throws or returns NaN at times. */
  readonly retryDelay?: number | 'rising' | 'failing';
  /** The number of credentials. */
  readonly credentials: 0 | 1 | 2;
  /** `rule`: `open` as a list of rules. With `creator`, the checker could not read the nodes. */
  readonly acl: 'open' | 'rule';
}

const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  weighted([1, fc.constant(undefined)], [1, arbitrary]);

/** All combinations that the library accepts. */
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
    localQueue: maybe(fc.boolean()),
    handOver: maybe(between(1, 4)),
    // Over when the final state is inspected, in which no lock may be left.
    linger: maybe(fc.constantFrom(50, 1_000, 5_000)),
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
    crashGuard: maybe(fc.constant(true)),
  })
  // The library rejects these without a local queue.
  .map((plan) => (plan.localQueue === false ? { ...plan, handOver: undefined, linger: undefined } : plan))
  // The library rejects `maxAttempts` together with `wait`.
  .map((plan) => (plan.maxAttempts === undefined ? plan : { ...plan, defaults: { ttl: plan.defaults.ttl } }));
