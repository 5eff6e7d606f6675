import { Readable } from 'node:stream';
import { BehaviorSubject, Observable, Subject } from 'rxjs';
import { describe, expectTypeOf, test } from 'vitest';
import { Locked, type LockedOptions } from '../../lib/index.js';

interface Order {
  readonly id: string;
}

/** The compiler checks these declarations; they are never executed. */
abstract class Accepted {
  @Locked('x')
  async promise() {}

  @Locked('x', 5_000)
  promiseLike(): Promise<number> {
    return Promise.resolve(1);
  }

  @Locked('x')
  observable(): Observable<number> {
    return new Observable();
  }

  @Locked('x')
  async *generator() {
    yield 1;
  }

  @Locked('x')
  subject(): Subject<number> {
    return new Subject();
  }

  @Locked('x')
  inferredSubject() {
    return new BehaviorSubject(1);
  }

  @Locked('x')
  async *typedGenerator(): AsyncGenerator<number, string, boolean> {
    return (yield 1) ? 'yes' : 'no';
  }

  @Locked('x')
  delegatedGenerator(): AsyncGenerator<number, string, boolean> {
    return this.typedGenerator();
  }

  @Locked('x')
  async promisedObservable() {
    return new Observable<number>();
  }

  @Locked('order:{0.id}')
  async template(_order: Order, ..._rest: unknown[]) {}

  @Locked((order: Order) => order.id)
  async fewerArguments(_order: Order, _count: number) {}

  @Locked((order: Order, count: number) => `${order.id}:${count}`)
  async allArguments(_order: Order, _count: number) {}

  @Locked(() => 'x')
  async noArgument(_order: Order) {}

  @Locked((id: string | number) => String(id))
  async widerKey(_id: string) {}

  @Locked((id?: string) => id ?? 'none')
  async optional(_id?: string) {}

  @Locked((...ids: string[]) => ids.join())
  async rest(..._ids: string[]) {}

  @Locked((id: string) => id)
  async generic<T extends string>(id: T): Promise<T> {
    return id;
  }
}

abstract class Refused {
  // @ts-expect-error a synchronous method cannot wait for a lock
  @Locked('x')
  synchronous() {}

  // @ts-expect-error a method that returns a plain value cannot wait for a lock
  @Locked('x')
  plainValue(): number {
    return 1;
  }

  // @ts-expect-error a synchronous iterable cannot wait for a lock
  @Locked('x')
  *synchronousGenerator() {
    yield 1;
  }

  // @ts-expect-error Node's streams start before they are read
  @Locked('x')
  readable(): Readable {
    return Readable.from([]);
  }

  // @ts-expect-error an async iterable may not report its end
  @Locked('x')
  asyncIterable(): AsyncIterable<number> {
    return Readable.from([]);
  }

  // @ts-expect-error an async iterator may not report its end
  @Locked('x')
  asyncIterator(): AsyncIterableIterator<number> {
    return Readable.from([])[Symbol.asyncIterator]();
  }

  // @ts-expect-error one of the two types cannot be locked
  @Locked('x')
  promiseOrStream(): Promise<number> | Readable {
    return Readable.from([]);
  }

  // @ts-expect-error undefined cannot be awaited
  @Locked('x')
  sometimes(): Promise<void> | undefined {
    return undefined;
  }

  // @ts-expect-error the key takes a number, the method a string
  @Locked((id: number) => `order:${id}`)
  async wrongType(_id: string) {}

  // @ts-expect-error the second argument has another type than that of the key
  @Locked((_id: string, order: Order) => order.id)
  async wrongSecondType(_id: string, _count: number) {}

  // @ts-expect-error the key requires an argument that is optional in the method
  @Locked((id: string) => id)
  async optionalArgument(_id?: string) {}

  // @ts-expect-error the method accepts arguments that the key does not accept
  @Locked((id: string) => id)
  async widerArgument(_id: string | number) {}

  // @ts-expect-error the method has no argument for the key
  @Locked((id: string) => id)
  async missingArgument() {}

  // @ts-expect-error a key must be a string
  @Locked((id: number) => id)
  async numericKey(_id: number) {}

  // @ts-expect-error a key must be synchronous
  @Locked(async (id: string) => id)
  async asynchronousKey(_id: string) {}

  // @ts-expect-error a property is not a method
  @Locked('x')
  property = 1;

  // @ts-expect-error a function in a property is not a method
  @Locked('x')
  arrow = async () => {};

  // @ts-expect-error an accessor is not a method
  @Locked('x')
  get accessor(): Promise<number> {
    return Promise.resolve(1);
  }

  // @ts-expect-error Nest injects only into instances
  @Locked('x')
  static async staticMethod() {}

  // @ts-expect-error a name is needed
  @Locked
  async withoutParentheses() {}

  // @ts-expect-error a name is needed, and a method
  @Locked
  bareProperty = 1;

  // @ts-expect-error a parameter is not a method
  async onParameter(@Locked('x') _id: string) {}
}

// @ts-expect-error a class is not a method
@Locked('x')
class RefusedClass {
  readonly id = 1;
}

// @ts-expect-error a class is not a method, and a name is needed
@Locked
class RefusedBareClass {
  readonly id = 1;
}

describe('@Locked', () => {
  test('does not change the type of the method', () => {
    expectTypeOf<Accepted['generic']>().toEqualTypeOf<<T extends string>(id: T) => Promise<T>>();
    expectTypeOf<Accepted['observable']>().returns.toEqualTypeOf<Observable<number>>();
    expectTypeOf<Refused>().not.toBeAny();
    expectTypeOf<RefusedClass>().toEqualTypeOf<RefusedBareClass>();
  });

  test('accepts only a ttl or options', () => {
    expectTypeOf(Locked).parameter(1).toEqualTypeOf<number | LockedOptions | undefined>();
    Locked('x', { ttl: 1, wait: Infinity, minHold: 1, owner: 'me', purpose: 'test', mode: 'exclusive' });
    Locked('x', { onBusy: 'skip', service: 'archive', allowLiteral: true });
    // @ts-expect-error a misspelt option
    Locked('x', { tll: 1 });
    // @ts-expect-error a decorator has no call to abort
    Locked('x', { signal: new AbortController().signal });
    // @ts-expect-error 'throw' or 'skip'
    Locked('x', { onBusy: 'ignore' });
    // @ts-expect-error durations are numbers
    Locked('x', { ttl: '5s' });
    Locked('x', { mode: 'read' });
    // @ts-expect-error 'exclusive', 'read' or 'write'
    Locked('x', { mode: 'shared' });
    // @ts-expect-error a resource is needed
    Locked();
    // @ts-expect-error all options must be in one object
    Locked('x', 5_000, { wait: 1 });
  });
});
