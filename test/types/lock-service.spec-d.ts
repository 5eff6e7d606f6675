import type { DynamicModule } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { expectTypeOf, test } from 'vitest';
import {
  LockBusyError,
  LockError,
  LockLostError,
  LockModule,
  LockService,
  getLockServiceToken,
  type HeldLock,
  type HeldLocks,
  type LockErrorCode,
  type LockEvent,
  type LockModuleOptions,
  type LockNames,
  type LockSnapshot,
  type LossReason,
  type ReadyEvent,
  type ResumedEvent,
} from '../../lib/index.js';

declare const locks: LockService;

test('lock returns a HeldLock, tryLock may return null', () => {
  expectTypeOf(locks.lock('x')).toEqualTypeOf<Promise<HeldLock>>();
  expectTypeOf(locks.lock('x', 5_000)).toEqualTypeOf<Promise<HeldLock>>();
  expectTypeOf(locks.tryLock('x')).toEqualTypeOf<Promise<HeldLock | null>>();
  expectTypeOf(locks.tryLock('x', { signal: new AbortController().signal })).resolves.toBeNullable();
  expectTypeOf<LockService['unlock']>().parameters.toEqualTypeOf<[held: HeldLock | HeldLocks]>();
  expectTypeOf<LockService['unlock']>().returns.resolves.toBeBoolean();
  expectTypeOf(locks.inspect('x')).resolves.toEqualTypeOf<LockSnapshot>();
  // @ts-expect-error a misspelt option
  void locks.lock('x', { tll: 1 });
  // @ts-expect-error `onBusy` is an option of methods
  void locks.lock('x', { onBusy: 'skip' });
});

test('a list of names gives HeldLocks', () => {
  expectTypeOf(locks.lock(['x', 'y'])).toEqualTypeOf<Promise<HeldLocks>>();
  expectTypeOf(locks.tryLock(['x', 'y'] as const, 5_000)).toEqualTypeOf<Promise<HeldLocks | null>>();
  expectTypeOf(locks.withLock(['x'], (held) => held.member('x'))).resolves.toEqualTypeOf<HeldLock>();
  expectTypeOf(locks.withLock(['x'], { wait: 0 }, (held) => held)).resolves.toEqualTypeOf<HeldLocks>();
  void locks.withLock(['x'], (held) => {
    // @ts-expect-error each member has a token of its own
    return held.fencingToken;
  });
});

test('a name or a list of names can be passed on', () => {
  const names = 'x' as LockNames;
  expectTypeOf(locks.lock(names)).toEqualTypeOf<Promise<HeldLock | HeldLocks>>();
  expectTypeOf(locks.tryLock(names, 5_000)).toEqualTypeOf<Promise<HeldLock | HeldLocks | null>>();
  expectTypeOf(locks.withLock(names, (held) => held.isHeld())).resolves.toBeBoolean();
  expectTypeOf(locks.withLock(names, { wait: 0 }, (held) => held)).resolves.toEqualTypeOf<
    HeldLock | HeldLocks
  >();
});

test('withLock returns the result of the work, with and without options', () => {
  expectTypeOf(locks.withLock('x', () => 1)).resolves.toBeNumber();
  expectTypeOf(locks.withLock('x', async () => 'a')).resolves.toBeString();
  expectTypeOf(locks.withLock('x', 5_000, (held) => held.fencingToken)).resolves.toBeBigInt();
  expectTypeOf(locks.withLock('x', undefined, (held) => held)).resolves.toEqualTypeOf<HeldLock>();
  // @ts-expect-error the work is missing
  void locks.withLock('x', 5_000);
});

test('a HeldLock is disposable and read-only', () => {
  expectTypeOf<HeldLock>().toExtend<AsyncDisposable>();
  expectTypeOf<HeldLock['signal']>().toEqualTypeOf<AbortSignal>();
  expectTypeOf<HeldLock['release']>().toEqualTypeOf<() => Promise<boolean>>();
  expectTypeOf<HeldLock['isHeld']>().returns.toBeBoolean();
  expectTypeOf(LockService.current()).toEqualTypeOf<HeldLock | undefined>();
  expectTypeOf(LockService.currentOrThrow()).toEqualTypeOf<HeldLock>();
  const change = (held: HeldLock) => {
    // @ts-expect-error the token is read-only
    held.fencingToken = 2n;
  };
  void change;
});

test('a HeldLock has exactly these members', () => {
  expectTypeOf<Exclude<keyof HeldLock, typeof Symbol.asyncDispose>>().toEqualTypeOf<
    | 'resource'
    | 'owner'
    | 'purpose'
    | 'fencingToken'
    | 'acquiredAt'
    | 'signal'
    | 'mode'
    | 'extend'
    | 'isHeld'
    | 'assertHeld'
    | 'release'
  >();
});

test('a HeldLock can be mocked with a plain object', () => {
  const mock: HeldLock = {
    resource: 'x',
    owner: 'me',
    purpose: undefined,
    mode: 'exclusive',
    fencingToken: 1n,
    acquiredAt: new Date(0),
    signal: new AbortController().signal,
    isHeld: () => true,
    assertHeld: () => {},
    extend: () => {},
    release: async () => true,
    [Symbol.asyncDispose]: async () => {},
  };
  expectTypeOf(mock).toExtend<HeldLock>();
  void (() => locks.unlock(mock));
});

test('a LockService can be closed by its owner', () => {
  expectTypeOf<LockService>().toExtend<AsyncDisposable>();
  expectTypeOf<LockService['close']>().toEqualTypeOf<() => Promise<void>>();
});

test('an event is narrowed by its type', () => {
  const narrow = (event: LockEvent) => {
    // @ts-expect-error not every event has a resource
    void event.resource;
    switch (event.type) {
      case 'acquired':
        expectTypeOf(event.waitedMs).toBeNumber();
        return expectTypeOf(event.fencingToken).toBeBigInt();
      case 'lost':
        expectTypeOf(event.heldMs).toBeNumber();
        return expectTypeOf(event.reason).toEqualTypeOf<LossReason>();
      case 'waiting':
        // @ts-expect-error a waiting lock has no token
        void event.fencingToken;
        return expectTypeOf(event.requeued).toBeBoolean();
      case 'suspended':
        return expectTypeOf(event.error).toEqualTypeOf<Error>();
      // @ts-expect-error there is no such event
      case 'unlocked':
        return undefined;
      default:
        return undefined;
    }
  };
  expectTypeOf(narrow).parameter(0).toEqualTypeOf<LockEvent>();
  expectTypeOf(locks.events$).toEqualTypeOf<Observable<LockEvent>>();
  expectTypeOf(locks.ready$).toEqualTypeOf<Observable<ReadyEvent | ResumedEvent>>();
  expectTypeOf<Extract<LockEvent, { resource: string }>['type']>().not.toExtend<'ready' | 'closed'>();
});

test('errors are distinguished by code and class', () => {
  expectTypeOf<LockBusyError>().toExtend<LockError>();
  expectTypeOf<LockError['code']>().toEqualTypeOf<LockErrorCode>();
  expectTypeOf<LockBusyError['code']>().toEqualTypeOf<'LOCK_BUSY'>();
  expectTypeOf<LockLostError['reason']>().toEqualTypeOf<LossReason>();
  // @ts-expect-error the base is abstract
  void new LockError('x', undefined);
});

test('the options of the module are typed', () => {
  expectTypeOf(LockModule.forRoot({ connectString: 'zk:2181' })).toEqualTypeOf<DynamicModule>();
  const ensembles = ['zk1:2181', 'zk2:2181'] as const;
  expectTypeOf(LockModule.forRoot({ connectString: ensembles })).toEqualTypeOf<DynamicModule>();
  // @ts-expect-error a list of ensembles is a list of connect strings
  LockModule.forRoot({ connectString: [{ host: 'zk1' }] });
  LockModule.forRoot({ host: 'zk', port: 2181, name: 'archive', isGlobal: false, defaults: { wait: 1 } });
  LockModule.forRootAsync({ name: 'archive', useFactory: async (): Promise<LockModuleOptions> => ({}) });
  // @ts-expect-error a misspelt option
  LockModule.forRoot({ conectString: 'zk:2181' });
  // @ts-expect-error `minHold` is not a default of the module
  LockModule.forRoot({ defaults: { minHold: 1 } });
  // @ts-expect-error 'confirmed' or 'sent'
  LockModule.forRoot({ release: 'later' });
  // @ts-expect-error the factory must return options
  LockModule.forRootAsync({ useFactory: () => 42 });
  expectTypeOf(getLockServiceToken).parameters.toEqualTypeOf<[name?: string]>();
});
