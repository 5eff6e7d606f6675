import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { Controller, UseInterceptors } from '@nestjs/common';
import { GrpcMethod, GrpcStreamMethod, Transport, type MicroserviceOptions } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { resolve } from 'node:path';
import { lastValueFrom, map, of, toArray, type Observable } from 'rxjs';
import { expect, onTestFinished, test } from 'vitest';
import { LockInterceptor, LockModule, Locked } from '../../lib/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { Replica } from '../fixtures/replica.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';
import { freePort } from '../support/free-port.js';

interface Order {
  readonly id: string;
}

interface Answer {
  readonly text: string;
}

type Outcome = Answer | Pick<grpc.ServiceError, 'code' | 'details'>;

const zooKeeper = useZooKeeper();
const SKIPPED = { wait: 0, onBusy: 'skip' } as const;
const PROTO = resolve(import.meta.dirname, '../fixtures/orders.proto');
const BUSY = { code: grpc.status.UNKNOWN, details: 'The resource is locked. Try again later.' };

@Controller()
class Orders {
  @GrpcMethod()
  @Locked('order', SKIPPED)
  async promised(): Promise<Answer> {
    return { text: 'ran' };
  }

  @GrpcMethod()
  @Locked('order', SKIPPED)
  observed(): Observable<Answer> {
    return of({ text: 'ran' });
  }

  @GrpcMethod()
  @UseInterceptors(LockInterceptor(() => 'order', SKIPPED))
  async intercepted(): Promise<Answer> {
    return { text: 'ran' };
  }

  @GrpcStreamMethod()
  @Locked('order', SKIPPED)
  async joined(orders$: Observable<Order>): Promise<Answer> {
    const ids = await lastValueFrom(
      orders$.pipe(
        map(({ id }) => id),
        toArray(),
      ),
    );
    return { text: ids.join() };
  }

  @GrpcMethod()
  @UseInterceptors(LockInterceptor(() => 'order', SKIPPED))
  listed(): Observable<Answer> {
    return of({ text: 'ran' });
  }
}

async function start() {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const logger = new RecordingLogger();
  const module = await Test.createTestingModule({
    imports: [LockModule.forRoot(options)],
    controllers: [Orders],
  })
    .setLogger(logger)
    .compile();
  const url = `127.0.0.1:${await freePort()}`;
  const service = module.createNestMicroservice<MicroserviceOptions>({
    transport: Transport.GRPC,
    options: { package: 'shop', protoPath: PROTO, url },
  });
  await service.listen();
  endedWithTest({ [Symbol.asyncDispose]: () => service.close() });
  const { Orders: Client } = grpc.loadPackageDefinition(loadSync(PROTO)).shop as grpc.GrpcObject;
  const client = new (Client as grpc.ServiceClientConstructor)(url, grpc.credentials.createInsecure());
  onTestFinished(() => client.close());
  return { replica, client };
}

/** The only thing that fails a call which is never answered. */
const patience = () => ({ deadline: Date.now() + 10_000 });

function outcome(
  call: (done: (error: grpc.ServiceError | null, answer: Answer) => void) => void,
): Promise<Outcome> {
  return new Promise((settle) => {
    call((error, answer) => settle(error === null ? answer : { code: error.code, details: error.details }));
  });
}

function unary(client: grpc.Client, method: string): Promise<Outcome> {
  const call = Reflect.get(client, method) as Function;
  return outcome((done) => Reflect.apply(call, client, [{ id: '1' }, patience(), done]) as unknown);
}

function upload(client: grpc.Client, method: string): Promise<Outcome> {
  return outcome((done) => {
    const call = Reflect.get(client, method) as Function;
    const stream = Reflect.apply(call, client, [patience(), done]) as grpc.ClientWritableStream<Order>;
    stream.write({ id: '1' });
    stream.write({ id: '2' });
    stream.end();
  });
}

function download(client: grpc.Client, method: string): Promise<Outcome | undefined> {
  const call = Reflect.get(client, method) as Function;
  const stream = Reflect.apply(call, client, [{ id: '1' }, patience()]) as grpc.ClientReadableStream<Answer>;
  return new Promise((settle) => {
    let last: Answer | undefined;
    stream.on('data', (answer: Answer) => (last = answer));
    stream.on('error', (error) => {
      const { code, details } = error as grpc.ServiceError;
      settle({ code, details });
    });
    stream.on('end', () => settle(last));
  });
}

test('calls with a free lock are answered', async () => {
  const { client } = await start();
  for (const method of ['Promised', 'Observed', 'Intercepted'])
    expect(await unary(client, method)).toEqual({ text: 'ran' });
  expect(await upload(client, 'Joined')).toEqual({ text: '1,2' });
  expect(await download(client, 'Listed')).toEqual({ text: 'ran' });
});

test("a busy lock is an error also with onBusy: 'skip', because nobody else can answer the call", async () => {
  const { client, replica } = await start();
  await replica.hold('order');
  for (const method of ['Promised', 'Observed', 'Intercepted'])
    expect(await unary(client, method)).toEqual(BUSY);
  expect(await upload(client, 'Joined')).toEqual(BUSY);
  expect(await download(client, 'Listed')).toEqual(BUSY);
});
