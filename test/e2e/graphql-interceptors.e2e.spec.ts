import { Injectable, UseInterceptors, type Type } from '@nestjs/common';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import {
  Field,
  GraphQLModule,
  ObjectType,
  Query,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { LockInterceptor, LockModule, LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { LeavingClient, connections } from '../fixtures/leaving-client.js';
import { Replica } from '../fixtures/replica.js';
import { expectNoSecrets, holdSecretly } from '../fixtures/secrets.js';
import { TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Resolver()
@UseInterceptors(LockInterceptor(() => 'secret-order', { ttl: 300 }))
class LockedEvents {
  @Subscription(() => String)
  async *numbers() {
    yield { numbers: 'one' };
    await new Promise(() => {});
  }
}

@ObjectType()
class Order {
  @Field()
  readonly id!: string;
}

@Resolver(() => Order)
class Orders {
  @Query(() => Order)
  order(): Order {
    return { id: '42' };
  }

  @ResolveField(() => String)
  @UseInterceptors(LockInterceptor(() => 'secret-order', { wait: 0 }))
  total(): string {
    return '7';
  }
}

/** One piece of work for all who ask for it meanwhile. */
@Injectable()
class Reports {
  asked = 0;
  #current: Promise<string> | undefined;

  constructor(private readonly locks: LockService) {}

  report(): Promise<string> {
    this.asked += 1;
    this.#current ??= this.locks.withLock('report', () => 'done').finally(() => (this.#current = undefined));
    return this.#current;
  }
}

@Resolver()
class SharedReports {
  constructor(private readonly reports: Reports) {}

  @Query(() => String)
  async report() {
    return this.reports.report();
  }
}

async function start(providers: Type[], graphQL: Partial<ApolloDriverConfig> = {}) {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const graphQLModule = GraphQLModule.forRoot<ApolloDriverConfig>({
    driver: ApolloDriver,
    autoSchemaFile: true,
    subscriptions: { 'graphql-ws': true },
    ...graphQL,
  });
  const imports = [LockModule.forRoot(options), graphQLModule];
  return { replica, app: await TestApp.start({ imports, providers: [Orders, ...providers] }) };
}

const posted = (query: string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ query }),
});

test('a subscription behind a LockInterceptor of its class ends with a masked error when it loses its lock', async () => {
  const { app } = await start([LockedEvents]);
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  endedWithTest({ [Symbol.asyncDispose]: async () => socket.terminate() });
  const received: { readonly type: string }[] = [];
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as { type: string }));
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await eventually(() => received.length === 1);
  const payload = { query: 'subscription { numbers }' };
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
  await eventually(() => received.at(-1)?.type === 'error');
  expectNoSecrets(received);
  expect(received.at(-1)).toMatchObject({ payload: [{ extensions: { code: 'LOCK_LOST' } }] });
});

test('a synchronous field behind a LockInterceptor is masked', async () => {
  const { app, replica } = await start([], { fieldResolverEnhancers: ['interceptors'] });
  await holdSecretly(replica);
  const response = await app.fetch('/graphql', posted('query { order { total } }'));
  const answer = (await response.json()) as object;
  expectNoSecrets(answer);
  expect(answer).toMatchObject({ errors: [{ message: 'The resource is locked. Try again later.' }] });
});

test('a client gets an error that asks it to try again if another client started the work and has left', async () => {
  const { app, replica } = await start([Reports, SharedReports]);
  await replica.hold('report');
  const first = LeavingClient.connect(app.url, '/graphql', posted('{ report }'));
  await hasWaiters(app.get(LockService), 'report', 1);
  const second = app.fetch('/graphql', posted('{ report }'));
  await eventually(async () => app.get(Reports).asked === 2 && (await connections(app)) === 2);
  first.leave();
  expect(await (await second).json()).toMatchObject({
    errors: [
      {
        message: 'The work was cancelled. Try again.',
        extensions: { code: 'LOCK_CALLER_GONE', retryAfterMs: 1_000 },
      },
    ],
  });
});
