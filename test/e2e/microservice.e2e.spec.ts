import { Controller, type INestMicroservice, type ModuleMetadata } from '@nestjs/common';
import {
  ClientProxyFactory,
  EventPattern,
  MessagePattern,
  Payload,
  Transport,
  type ClientProxy,
} from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import type { AddressInfo, Server } from 'node:net';
import { Observable, Subject, filter, firstValueFrom, lastValueFrom, of, tap, toArray } from 'rxjs';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  LockModule,
  LockService,
  Locked,
  type LockModuleExtras,
  type LockModuleOptions,
} from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Latch } from '../fixtures/latch.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { Replica } from '../fixtures/replica.js';
import { expectNoSecrets, holdSecretly } from '../fixtures/secrets.js';
import { TestApp } from '../fixtures/test-app.js';
import { CriticalSectionLog } from '../fixtures/critical-section-log.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

class Work {
  readonly log = new CriticalSectionLog();
  readonly first = new Latch();
  readonly steps$ = new Subject<number>();
}

@Controller()
class Orders {
  constructor(private readonly work: Work) {}

  @Locked('order:{0.id}')
  @MessagePattern('above')
  async above(@Payload() { id }: { id: string }) {
    return this.work.log.enter(id, () => this.work.first.opened.then(() => id));
  }

  @MessagePattern('below')
  @Locked('order:{0.id}')
  async below(@Payload() { id }: { id: string }) {
    return this.work.log.enter(id, () => this.work.first.opened.then(() => id));
  }

  @MessagePattern('stream')
  @Locked('stream')
  stream(): Observable<number> {
    return this.work.steps$;
  }

  @EventPattern('busy-event')
  @Locked('secret-order', { wait: 0 })
  async onBusy(@Payload() _data: object) {}

  @MessagePattern('busy')
  @Locked('secret-order', { wait: 0 })
  async busy() {}

  @EventPattern('paid')
  @Locked('secret-order', { wait: 0, onBusy: 'skip' })
  skipped(@Payload() _data: object): Observable<string> {
    return of('locked');
  }
}

@Controller()
class Mails {
  readonly sending$ = new Subject<string>();
  readonly sent = new Latch();

  /** Nest handles an event with all handlers together. */
  @EventPattern('paid')
  onPaid(@Payload() _data: object): Observable<string> {
    return this.sending$.pipe(tap(() => this.sent.open()));
  }
}

let options: LockModuleOptions;
let replica: Replica;
let client: ClientProxy;

beforeEach(async () => {
  options = zooKeeper.options();
  replica = await Replica.open(options);
});

const transport = (port = 0) => ({ transport: Transport.TCP as const, options: { host: '127.0.0.1', port } });

/** Creates the client of a listening service. */
function connect(service: INestMicroservice): void {
  const { port } = service.unwrap<Server>().address() as AddressInfo;
  client = ClientProxyFactory.create(transport(port));
  endedWithTest({ [Symbol.asyncDispose]: async () => client.close() });
}

const metadata = (extras: LockModuleExtras = {}): ModuleMetadata => ({
  imports: [LockModule.forRoot({ ...options, ...extras })],
  controllers: [Orders, Mails],
  providers: [Work],
});
const send = <T>(pattern: string, data: object = {}) => lastValueFrom(client.send<T>(pattern, data));

describe('a TCP microservice', () => {
  async function start(extras?: LockModuleExtras, logger = new RecordingLogger()) {
    const module = await Test.createTestingModule(metadata(extras)).setLogger(logger).compile();
    const service = module.createNestMicroservice({ ...transport(), logger });
    await service.listen();
    endedWithTest({ [Symbol.asyncDispose]: () => service.close() });
    connect(service);
    return service;
  }

  test.each(['above', 'below'])('handles messages of one key one after the other (%s)', async (pattern) => {
    const service = await start();
    const work = service.get(Work);
    const answers = Array.from({ length: 3 }, () => send(pattern, { id: '42' }));
    await hasWaiters(service.get(LockService), 'order:42', 2);
    work.first.open();
    expect(await Promise.all(answers)).toEqual(['42', '42', '42']);
    expect(work.log.overlaps()).toEqual([]);
  });

  test('holds the lock until a streamed response is complete', async () => {
    const work = (await start()).get(Work);
    const answer = lastValueFrom(client.send<number>('stream', {}).pipe(toArray()));
    await eventually(() => work.steps$.observed);
    work.steps$.next(1);
    expect(await replica.isFree('stream')).toBe(false);
    work.steps$.next(2);
    work.steps$.complete();
    expect(await answer).toEqual([1, 2]);
    expect(await replica.isFree('stream')).toBe(true);
  });

  test('answers a lock error with its code, and without names', async () => {
    const logger = new RecordingLogger();
    await start({}, logger);
    await holdSecretly(replica);
    const error: unknown = await send('busy').catch((reason: unknown) => reason);
    expectNoSecrets(error);
    expect(error).toEqual({
      statusCode: 423,
      code: 'LOCK_BUSY',
      message: 'The resource is locked. Try again later.',
    });
    expect(logger.messages('warn').join()).toContain("Lock 'secret-order' is busy, held by secret-holder");
  });

  test('logs the lock error of an event, which has no response', async () => {
    const logger = new RecordingLogger();
    await start({}, logger);
    await holdSecretly(replica);
    await lastValueFrom(client.emit('busy-event', {}), { defaultValue: undefined });
    await eventually(() => logger.messages('warn').join().includes("Lock 'secret-order' is busy"));
  });

  test('a skipped handler of an event does not end the other ones', async () => {
    const service = await start();
    await holdSecretly(replica);
    const mails = service.get(Mails);
    const busy = firstValueFrom(service.get(LockService).events$.pipe(filter(({ type }) => type === 'busy')));
    await lastValueFrom(client.emit('paid', {}), { defaultValue: undefined });
    await eventually(() => mails.sending$.observed);
    await busy;
    mails.sending$.next('mail');
    await mails.sent.opened;
  });

  test('with exceptionFilter: false Nest masks lock errors like all unknown errors', async () => {
    await start({ exceptionFilter: false });
    await holdSecretly(replica);
    const error: unknown = await send('busy').catch((reason: unknown) => reason);
    expectNoSecrets(error);
    expect(error).toMatchObject({ status: 'error', message: 'Internal server error' });
  });
});

test.each([
  [true, { code: 'LOCK_BUSY' }],
  [false, { message: 'Internal server error' }],
])(
  'in a hybrid application, inheritAppConfig: %s determines whether the filter applies, and names are masked',
  async (inheritAppConfig, expected) => {
    await TestApp.start(metadata(), {
      configure: async (app) => {
        const service = app.connectMicroservice(transport(), { inheritAppConfig });
        await app.startAllMicroservices();
        connect(service);
      },
    });
    await holdSecretly(replica);
    const error: unknown = await send('busy').catch((reason: unknown) => reason);
    expectNoSecrets(error);
    expect(error).toMatchObject(expected);
  },
);
