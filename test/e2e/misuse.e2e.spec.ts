import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { EMPTY, Observable, lastValueFrom, of } from 'rxjs';
import { expect, test } from 'vitest';
import { LockConfigurationError, Locked, type LockedOptions } from '../../lib/index.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Orders {
  @Locked('order')
  async pay() {}

  @Locked('order')
  async *rows() {
    yield 1;
  }

  @Locked('order')
  watch(): Observable<never> {
    return EMPTY;
  }
}

test('the error of an object that Nest did not create names solutions', async () => {
  const calls = [
    new Orders().pay(),
    new Orders().rows().next(),
    lastValueFrom(new Orders().watch(), { defaultValue: undefined }),
  ];
  for (const outcome of calls) {
    await expect(outcome).rejects.toBeInstanceOf(LockConfigurationError);
    await expect(outcome).rejects.toThrow(/Orders\.\w+ is @Locked, but its object was not made by Nest/);
    await expect(outcome).rejects.toThrow(/Potential solutions: register the class as a provider/);
  }
});

test('the error of a method that was detached from its object says so', async () => {
  const module = await startModule(zooKeeper.options(), { providers: [Orders] });
  // oxlint-disable-next-line typescript/unbound-method -- the test needs it
  const { pay } = module.get(Orders);
  for (const instance of [undefined, null, 5, 'text']) {
    await expect(pay.call(instance as never)).rejects.toThrow(/or detached from their object/);
  }
});

test('without LockModule the start fails, and the error names the missing property', async () => {
  const start = Test.createTestingModule({ providers: [Orders] })
    .setLogger(new RecordingLogger())
    .compile();
  await expect(start).rejects.toThrow(/can't resolve dependencies of the Orders.+Symbol\(LockService\)/);
});

test('the error of a start without a named service contains its name', async () => {
  @Injectable()
  class Reports {
    @Locked('report', { service: 'archive' })
    async write() {}
  }
  const start = startModule(zooKeeper.options(), { providers: [Reports] });
  await expect(start).rejects.toThrow(/can't resolve dependencies of the Reports.+LockService\(archive\)/);
});

test('the error of a call that cannot be locked names its method', async () => {
  @Injectable()
  class Payments {
    @Locked('order:{0}')
    async pay(id?: string): Promise<string | undefined> {
      return id;
    }

    @Locked((id?: string) => `order:${id}`)
    watch(id?: string): Observable<string | undefined> {
      return of(id);
    }

    @Locked('order', { failure: 'closed' })
    async *rows() {
      yield 1;
    }
  }
  const module = await startModule(zooKeeper.options(), { providers: [Payments] });
  const payments = module.get(Payments);
  const calls: [name: string, call: Promise<unknown>][] = [
    ['Payments.pay', payments.pay()],
    ['Payments.watch', lastValueFrom(payments.watch())],
    ['Payments.rows', payments.rows().next()],
  ];
  for (const [name, call] of calls) {
    const error: unknown = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LockConfigurationError);
    expect((error as LockConfigurationError).problems[0]).toMatch(new RegExp(`^${name}: .`));
  }
});

const refusals: [what: string, decorate: () => unknown, says: string][] = [
  ['with an empty resource', () => Locked(''), "a list of them, or a function of the arguments. Got ''"],
  ['without a resource', () => Locked(undefined as never), 'Got undefined'],
  ['with an empty list of resources', () => Locked([]), 'Got an array of 0'],
  ['with a list of other values', () => Locked(['a', 7] as never), 'Got 7 (number)'],
  [
    'with a placeholder by name',
    () => Locked('order:{id}'),
    "The resource template 'order:{id}' contains '{id}', but arguments are numbered",
  ],
  [
    'with a route as the name',
    () => Locked('order/:id'),
    "'order/:id' contains ':id', which looks like a route parameter",
  ],
  [
    'with quotes instead of backticks',
    () => Locked('order:${id}'),
    "contains '${id}', which is replaced only between backticks",
  ],
  ['with an async key function', () => Locked((async () => 'x') as never), 'which is async or a generator'],
  [
    'with a third argument',
    () => Reflect.apply(Locked, undefined, ['x', 5_000, { wait: 1 }]),
    'got one more argument, an object Object. Pass all options in one object',
  ],
  ['with a malformed placeholder', () => Locked('order:{0.id'), "a malformed placeholder '{0.id'"],
  ['with a negative ttl', () => Locked('x', -1), '`ttl` must be a whole number of milliseconds'],
  [
    'with a ttl above the limit of timers',
    () => Locked('x', 2 ** 31),
    'from 0 to 2147483647: got 2147483648',
  ],
  ['with an infinite ttl', () => Locked('x', { ttl: Infinity }), 'got Infinity (number)'],
  ['with a wait that is not a number', () => Locked('x', { wait: NaN }), 'got NaN (number)'],
  ['with a fraction as minHold', () => Locked('x', { minHold: 1.5 }), '`minHold` must be a whole number'],
  ['with onBusy: ignore', () => Locked('x', { onBusy: 'ignore' as never }), "must be 'throw' or 'skip'"],
  [
    'with a misspelt option',
    () => Locked('x', { onbusy: 'skip' } as LockedOptions),
    "unknown option 'onbusy': accepted are wait, ttl, maxWaiters, whenCallerLeaves, reentrant, minHold, owner, purpose, mode, permits, failure, fair, onBusy,",
  ],
  [
    'with a signal, which decorators do not accept',
    () => Locked('x', { signal: AbortSignal.abort() } as LockedOptions),
    "unknown option 'signal'",
  ],
  [
    'with a minHold longer than its ttl',
    () => Locked('x', { ttl: 100, minHold: 500 }),
    '@Locked: `minHold` must not be longer than `ttl`: got minHold 500 and ttl 100 ms',
  ],
  [
    'with permits for readers',
    () => Locked('x', { mode: 'read', permits: 2 }),
    "set it to 'semaphore'. Got mode 'read'",
  ],
  ['with null as options', () => Locked('x', null as never), 'an object of options: got null'],
  [
    'with an allowLiteral that is not a boolean',
    () => Locked('x', { allowLiteral: 'yes' as never }),
    "`allowLiteral` must be true or false: got 'yes' (string)",
  ],
  ['with a string as options', () => Locked('x', '5s' as never), "an object of options: got '5s' (string)"],
];

test.each(refusals)('@Locked %s throws when it is applied', (_what, decorate, says) => {
  expect(decorate).toThrow(LockConfigurationError);
  expect(decorate).toThrow(says);
});

test('options that only a module can complete or contradict are accepted', () => {
  const given: LockedOptions[] = [{ minHold: 500 }, { failure: 'closed' }, { fair: false }, { permits: 2 }];
  for (const options of given) expect(() => Locked('x', options)).not.toThrow();
});

test('the error lists all problems of the options', () => {
  const decorate = () => Locked('x', { ttl: -1, wait: -2, minHold: -3, owner: '' });
  expect(decorate).toThrow(/^4 problems:\n- @Locked: `wait`.+\n- @Locked: `ttl`.+\n.+`minHold`.+\n.+`owner`/);
});
