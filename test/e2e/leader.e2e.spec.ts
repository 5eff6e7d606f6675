import { Injectable, Scope } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Subject, firstValueFrom } from 'rxjs';
import { describe, expect, test } from 'vitest';
import {
  Leader,
  LockClosedError,
  LockConfigurationError,
  LockModule,
  LockService,
  Locked,
  type Leading,
} from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Mailer {
  readonly started = new Subject<Leading>();
  readonly runs: Leading[] = [];
  ended = 0;

  @Leader('mail-queue')
  async send(leading: Leading) {
    this.runs.push(leading);
    this.started.next(leading);
    expect(LockService.currentOrThrow('mail-queue').fencingToken).toBe(leading.fencingToken);
    await new Promise((resolve) => leading.signal.addEventListener('abort', resolve));
    this.ended += 1;
  }
}

@Injectable()
class Fragile {
  runs = 0;

  @Leader('fragile')
  async work() {
    this.runs += 1;
    if (this.runs === 1) throw new Error('disk full');
  }
}

@Injectable()
class Odd {
  runs = 0;

  @Leader('odd')
  async work() {
    this.runs += 1;
    // oxlint-disable-next-line typescript/only-throw-error -- code without types throws anything
    if (this.runs === 1) throw Object.create(null);
  }
}

@Injectable({ scope: Scope.REQUEST })
class PerRequest {
  @Leader('x')
  async work() {}
}

@Injectable({ scope: Scope.TRANSIENT })
class PerUser {
  @Leader('x')
  async work() {}
}

test('of two replicas one runs the method, and the other one takes over when that closes', async () => {
  const options = zooKeeper.options();
  const first = await startModule(options, { providers: [Mailer] });
  const mailer = first.get(Mailer);
  await eventually(() => mailer.runs.length === 1);
  const second = await startModule(options, { providers: [Mailer] });
  const heir = second.get(Mailer);
  await eventually(async () => (await second.get(LockService).inspect('mail-queue')).waiters.length === 1);
  expect(heir.runs).toEqual([]);
  const inherited = firstValueFrom(heir.started);
  await first.close();
  expect(mailer.ended).toBe(1);
  expect((await inherited).fencingToken).toBeGreaterThan(mailer.runs[0]!.fencingToken);
});

test('the signal of a leader says that its lock is not kept when the application closes', async () => {
  const module = await startModule(zooKeeper.options(), { providers: [Mailer] });
  const mailer = module.get(Mailer);
  await eventually(() => mailer.runs.length === 1);
  await module.close();
  expect(mailer.runs[0]!.signal.reason).toBeInstanceOf(LockClosedError);
  expect(mailer.runs[0]!.signal.reason).toMatchObject({ message: expect.stringContaining('was not kept') });
});

test('an object that is provided twice, and its class as an alias, has one leader', async () => {
  const module = await startModule(zooKeeper.options(), {
    providers: [Mailer, { provide: 'alias', useExisting: Mailer }],
  });
  const mailer = module.get(Mailer);
  await eventually(() => mailer.runs.length === 1);
  expect((await module.get(LockService).inspect('mail-queue')).waiters).toEqual([]);
});

test('two methods that lead for one resource are named by a warning', async () => {
  @Injectable()
  class Rivals {
    @Leader('rivals')
    async one() {}

    @Leader('rivals')
    async other() {}
  }
  const logger = new RecordingLogger();
  await startModule(zooKeeper.options(), { providers: [Rivals] }, logger);
  expect(logger.messages('warn').filter((message) => message.includes('@Leader'))).toEqual([
    "Rivals.one and Rivals.other both have @Leader for 'rivals', so that one waits for as long as the other leads. Give each a " +
      'resource of its own, or provide the class once',
  ]);
});

test('a method that fails is logged, and runs again', async () => {
  const logger = new RecordingLogger();
  const module = await startModule(zooKeeper.options(), { providers: [Fragile] }, logger);
  const fragile = module.get(Fragile);
  await eventually(() => fragile.runs === 2);
  expect(logger.messages('error').join('\n')).toContain(
    "Fragile.work, the leader of 'fragile', has failed, and will queue again: Error: disk full",
  );
});

test('a method that throws what has no text is logged, and runs again', async () => {
  const logger = new RecordingLogger();
  const module = await startModule(zooKeeper.options(), { providers: [Odd] }, logger);
  await eventually(() => module.get(Odd).runs === 2);
  expect(logger.messages('error').join('\n')).toContain('will queue again: an object without a constructor');
});

test('a method that overrides a leader without the decorator is named by a warning, and one that is inherited is not', async () => {
  class Undecorated extends Mailer {
    override async send(): Promise<void> {}
  }
  class Inherited extends Fragile {}
  const logger = new RecordingLogger();
  await startModule(zooKeeper.options(), { providers: [Undecorated, Inherited] }, logger);
  expect(logger.messages('warn').filter((message) => message.includes('@Leader'))).toEqual([
    'Undecorated.send overrides a method with @Leader, and has none itself, so that it never leads. Decorate it too',
  ]);
});

test('a method runs after all onModuleInit hooks', async () => {
  @Injectable()
  class Mailbox {
    isOpen = false;

    async onModuleInit() {
      await new Promise((resolve) => setImmediate(resolve));
      this.isOpen = true;
    }
  }

  @Injectable()
  class Reader {
    readonly seen: boolean[] = [];

    constructor(private readonly mailbox: Mailbox) {}

    @Leader('mailbox')
    async read() {
      this.seen.push(this.mailbox.isOpen);
    }
  }
  const module = await startModule(zooKeeper.options(), { providers: [Reader, Mailbox] });
  const { seen } = module.get(Reader);
  await eventually(() => seen.length === 1);
  expect(seen).toEqual([true]);
});

test('of several lock services, each runs its own methods', async () => {
  @Injectable()
  class Both {
    runs: string[] = [];

    @Leader('a')
    async unnamed() {
      this.runs.push('unnamed');
    }

    @Leader('a', { service: 'second' })
    async named() {
      this.runs.push('named');
    }
  }
  const module = await startModule(zooKeeper.options(), {
    imports: [LockModule.forRoot({ ...zooKeeper.options(), name: 'second' })],
    providers: [Both],
  });
  const { runs } = module.get(Both);
  await eventually(() => runs.length === 2);
  expect(runs.toSorted()).toEqual(['named', 'unnamed']);
});

test('with @Locked above or below it, the method is the leader and locked', async () => {
  @Injectable()
  class Twice {
    readonly seen: (boolean | undefined)[] = [];

    @Leader('above')
    @Locked('x')
    async above() {
      this.seen.push(LockService.current('above')?.isHeld(), LockService.current('x')?.isHeld());
    }

    @Locked('y')
    @Leader('below')
    async below() {
      this.seen.push(LockService.current('below')?.isHeld(), LockService.current('y')?.isHeld());
    }
  }
  const module = await startModule(zooKeeper.options(), { providers: [Twice] });
  const { seen } = module.get(Twice);
  await eventually(() => seen.length === 4);
  expect(seen).toEqual([true, true, true, true]);
});

describe('mistakes', () => {
  test.for([
    [PerRequest, 'PerRequest.work has @Leader, but its object is made for each request'],
    [PerUser, 'PerUser.work has @Leader, but its object is made for each class that injects it'],
  ] as const)(
    '%o, of which there are several objects, is refused at the start',
    async ([provider, message]) => {
      const starting = startModule(zooKeeper.options(), { providers: [provider] });
      await expect(starting).rejects.toThrow(LockConfigurationError);
      await expect(starting).rejects.toThrow(message);
    },
  );

  test('a lock service that is not registered is refused at the start, and no other method leads', async () => {
    @Injectable()
    class Writer {
      runs = 0;

      @Leader('reports', { service: 'archive' })
      async write() {
        this.runs += 1;
      }

      @Leader('old-reports', { service: 'archives' })
      async misspelt() {}
    }
    const writer = new Writer();
    const options = { ...zooKeeper.options(), lazy: true };
    const starting = startModule(options, {
      imports: [LockModule.forRoot({ ...options, name: 'archive' })],
      providers: [{ provide: Writer, useValue: writer }],
    });
    await expect(starting).rejects.toThrow(LockConfigurationError);
    await expect(starting).rejects.toThrow(
      "Writer.misspelt has @Leader for the lock service 'archives', which is not registered in this application, so that " +
        "nobody would lead. Registered: the lock service without a name and the lock service 'archive'. ",
    );
    expect(writer.runs).toBe(0);
  });

  test('a method is refused at the start if all services have other names, or if there is none', async () => {
    const named = startModule({ ...zooKeeper.options(), name: 'archive' }, { providers: [Mailer] });
    await expect(named).rejects.toThrow("can't resolve dependencies of the Mailer");
    const alone = Test.createTestingModule({ providers: [Mailer] }).compile();
    await expect(alone).rejects.toThrow("can't resolve dependencies of the Mailer");
  });

  test('a singleton may inject a transient provider', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class Own {
      readonly ready = true;
    }

    @Injectable()
    class Owner {
      seen: boolean | undefined;

      constructor(private readonly own: Own) {}

      @Leader('x')
      async work() {
        this.seen = this.own.ready;
      }
    }
    const module = await startModule(zooKeeper.options(), { providers: [Own, Owner] });
    await eventually(() => module.get(Owner).seen === true);
  });

  test.for([
    [[''], "A resource name must be a non-empty string: got ''"],
    [['x', { service: 7 }], '`service` must be the name of a lock service: got 7 (number)'],
    [['x', { name: 'y' }], "unknown option 'name': accepted are service"],
    [['x', {}, 5], '@Leader takes a resource and options: got one more argument, 5 (number)'],
    [['x', 5], "@Leader takes an object of options, such as { service: 'reports' }: got 5 (number)"],
  ] as [unknown[], string][])('@Leader(%o) is refused', ([args, message]) => {
    const decorate = (): unknown => Reflect.apply(Leader, undefined, args);
    expect(decorate).toThrow(LockConfigurationError);
    expect(decorate).toThrow(message);
  });

  test('a method whose name is a symbol, which Nest would not find, is refused when its class is loaded', () => {
    const load = () => {
      const SEND = Symbol('send');
      class Hidden {
        @Leader('x')
        async [SEND]() {}
      }
      return Hidden;
    };
    expect(load).toThrow(LockConfigurationError);
    expect(load).toThrow(
      '@Leader cannot be used on the method Hidden.Symbol(send), because Nest would not find it',
    );
  });

  test('a method that leads twice is refused when its class is loaded', () => {
    const load = () => {
      class Twice {
        @Leader('x')
        @Leader('y')
        async send() {}
      }
      return Twice;
    };
    expect(load).toThrow('Twice.send is decorated with @Leader twice, and can lead for one resource only');
  });
});
