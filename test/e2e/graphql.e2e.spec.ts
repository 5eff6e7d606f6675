import { Injectable, UseInterceptors } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import {
  Args,
  Context,
  GraphQLModule,
  Mutation,
  Parent,
  Query,
  ResolveField,
  ResolveReference,
  Resolver,
  Subscription,
  ObjectType,
  Field,
} from '@nestjs/graphql';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { LockCallerGoneError, LockInterceptor, LockModule, LockService, Locked } from '../../lib/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { eventually } from '../support/eventually.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Latch } from '../fixtures/latch.js';
import { LeavingClient } from '../fixtures/leaving-client.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Replica } from '../fixtures/replica.js';
import { everythingOf, expectNoSecrets, holdSecretly } from '../fixtures/secrets.js';
import { TestApp } from '../fixtures/test-app.js';
import { CriticalSectionLog } from '../fixtures/critical-section-log.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

class Work {
  readonly log = new CriticalSectionLog();
  readonly first = new Latch();
}

/** An iterator like that of a PubSub: only `return` ends its pending `next`. */
function publications(): AsyncGenerator<{ published: string }, unknown, never> {
  const left = new Latch();
  const ended = { done: true as const, value: undefined };
  const values = [{ published: 'one' }];
  return {
    async next() {
      const value = values.pop();
      if (value !== undefined) return { done: false, value };
      await left.opened;
      return ended;
    },
    async return() {
      left.open();
      return ended;
    },
    async throw(error) {
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      left.open();
    },
  };
}

@Resolver()
class Orders {
  constructor(private readonly work: Work) {}

  @Query(() => String)
  ping(): string {
    return 'pong';
  }

  @Locked('order:{0}')
  @Mutation(() => String)
  async above(@Args('id') id: string) {
    return this.work.log.enter(id, () => this.work.first.opened.then(() => id));
  }

  @Mutation(() => String)
  @Locked('order:{0}')
  async below(@Args('id') id: string) {
    return this.work.log.enter(id, () => this.work.first.opened.then(() => id));
  }

  @Mutation(() => String)
  @Locked('secret-order', { wait: 0 })
  async busy() {
    return 'done';
  }

  @Mutation(() => String)
  @Locked('secret-order', 100)
  async lost() {
    return new Promise<string>(() => {});
  }

  @Subscription(() => String)
  @Locked('secret-order', 300)
  async *numbers() {
    yield { numbers: 'one' };
    await new Promise(() => {});
  }

  @Subscription(() => String)
  @UseInterceptors(LockInterceptor(() => 'intercepted'))
  async *intercepted() {
    yield { intercepted: LockService.currentOrThrow().isHeld() ? 'held' : 'released' };
    await this.work.first.opened;
    yield { intercepted: LockService.currentOrThrow().isHeld() ? 'still held' : 'released' };
  }

  @Subscription(() => String)
  @Locked('published')
  async published() {
    return publications();
  }

  @Subscription(() => String)
  @Locked('secret-order', { wait: 0 })
  async *busyNumbers() {
    yield { busyNumbers: 'one' };
  }
}

@ObjectType()
class Order {
  @Field()
  readonly id!: string;
}

@Resolver(() => Order)
class OrderFields {
  constructor(private readonly orders: Orders) {}

  @Query(() => Order)
  order(): Order {
    return { id: '42' };
  }

  @ResolveReference()
  @Locked('secret-order', { wait: 0 })
  async reference(@Parent() order: Order, @Context() context: object) {
    return { id: order.id, ...context };
  }

  @ResolveField(() => String)
  @Locked('secret-order', { wait: 0 })
  async locked() {
    return 'done';
  }

  @ResolveField(() => String)
  async async() {
    return this.orders.busy();
  }

  @ResolveField(() => String)
  promised() {
    return this.orders.busy();
  }
}

/** Subscriptions whose lock is busy, in all forms. */
@Resolver()
class SkippedSubscriptions {
  @Subscription(() => String)
  @Locked('secret-order', { wait: 0, onBusy: 'skip' })
  async promisedSkip() {
    return publications();
  }

  @Subscription(() => String)
  @Locked('secret-order', { wait: 0, onBusy: 'skip' })
  async *generatedSkip() {
    yield { generatedSkip: 'one' };
  }

  @Subscription(() => String)
  @Locked('secret-order', { wait: 0, onBusy: 'skip' })
  untypedSkip() {
    return Promise.resolve(publications());
  }

  @Subscription(() => String)
  @UseInterceptors(LockInterceptor(() => 'secret-order', { wait: 0, onBusy: 'skip' }))
  async *interceptedSkip() {
    yield { interceptedSkip: 'one' };
  }
}

/** Without @Resolver(). */
@Injectable()
class OrderEvents {
  constructor(private readonly orders: Orders) {}

  @Subscription(() => String)
  async *plainNumbers() {
    yield { plainNumbers: await this.orders.busy() };
  }
}

interface Options {
  readonly logger?: RecordingLogger;
  readonly exceptionFilter?: boolean;
  readonly graphQL?: Partial<ApolloDriverConfig>;
}

async function start({ logger, exceptionFilter, graphQL }: Options = {}) {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const app = await TestApp.start(
    {
      imports: [
        LockModule.forRoot({ ...options, exceptionFilter }),
        GraphQLModule.forRoot<ApolloDriverConfig>({
          driver: ApolloDriver,
          autoSchemaFile: true,
          // As in development, where responses contain more details.
          includeStacktraceInErrorResponses: true,
          ...graphQL,
        }),
      ],
      providers: [Work, Orders, OrderFields, OrderEvents, SkippedSubscriptions],
    },
    { logger },
  );
  return { replica, app, work: app.get(Work) };
}

const posted = (query: string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ query }),
});

function ask(app: TestApp, query: string): Promise<Response> {
  return app.fetch('/graphql', posted(query));
}

async function mutate(app: TestApp, mutation: string): Promise<unknown> {
  return (await ask(app, `mutation { ${mutation} }`)).json();
}

test.each(['above', 'below'])('mutations for one key run one after the other (%s)', async (field) => {
  const { app, work } = await start();
  const answers = Array.from({ length: 3 }, () => mutate(app, `${field}(id: "42")`));
  await hasWaiters(app.get(LockService), 'order:42', 2);
  work.first.open();
  for (const answer of await Promise.all(answers)) expect(answer).toEqual({ data: { [field]: '42' } });
  expect(work.log.overlaps()).toEqual([]);
});

test('five clients that disconnect leave the queue, and their mutations do not run', async () => {
  const logger = new RecordingLogger();
  const { app, replica, work } = await start({ logger });
  work.first.open();
  const events = new EventRecorder(app.get(LockService));
  const held = await replica.hold('order:42');
  const clients = Array.from({ length: 5 }, () =>
    LeavingClient.connect(app.url, '/graphql', posted('mutation { above(id: "42") }')),
  );
  await hasWaiters(app.get(LockService), 'order:42', 5);
  for (const client of clients) client.leave();
  await events.told('aborted', 5);
  for (const { reason } of events.ofType('aborted')) expect(reason).toBeInstanceOf(LockCallerGoneError);
  await held.release();
  await replica.becomesFree('order:42');
  expect(work.log.entries).toEqual([]);
  expect(logger.messages('error')).toEqual([]);
});

test('a busy lock is an error with its code and a retry hint, but without names', async () => {
  const logger = new RecordingLogger();
  const { app, replica } = await start({ logger });
  await holdSecretly(replica);
  const response = await ask(app, 'mutation { busy }');
  expectNoSecrets(await everythingOf(response.clone()));
  expect(await response.json()).toMatchObject({
    errors: [
      {
        message: 'The resource is locked. Try again later.',
        path: ['busy'],
        extensions: { code: 'LOCK_BUSY', retryAfterMs: 1_000 },
      },
    ],
  });
  expect(logger.messages('debug').join()).toContain("Lock 'secret-order' is busy, held by secret-holder");
});

test('a lost lock is an error without a retry hint, and is logged', async () => {
  const logger = new RecordingLogger();
  const { app } = await start({ logger });
  const response = await ask(app, 'mutation { lost }');
  expectNoSecrets(await everythingOf(response.clone()));
  const answer = (await response.json()) as { errors: [{ message: string; extensions: object }] };
  expect(answer.errors[0].message).toBe('The lock was lost during the request; its outcome is unknown.');
  expect(answer.errors[0].extensions).toMatchObject({ code: 'LOCK_LOST' });
  expect(answer.errors[0].extensions).not.toHaveProperty('retryAfterMs');
  expect(logger.messages('error').join()).toContain("LockLostError: Lock 'secret-order' was lost (ttl)");
});

test.each(['locked', 'async'])('a field resolver that is %s is masked', async (field) => {
  const { app, replica } = await start();
  await holdSecretly(replica);
  const response = await ask(app, `query { order { id ${field} } }`);
  expectNoSecrets(await everythingOf(response.clone()));
  expect(await response.json()).toMatchObject({
    errors: [{ message: 'The resource is locked. Try again later.', extensions: { code: 'LOCK_BUSY' } }],
  });
});

type ReferenceResolver = (reference: object, context: object, info: object) => Promise<unknown>;

/** The function that the federation driver would call, whose packages are not installed. */
function referenceResolver(app: TestApp): ReferenceResolver {
  const services = [...app.get(ModulesContainer).values()].flatMap(({ providers }) => [
    ...providers.values(),
  ]);
  const explorer = services.find(({ name }) => name === 'ResolversExplorerService')!.instance as {
    explore(): { Order: { __resolveReference: ReferenceResolver } };
  };
  return explorer.explore().Order.__resolveReference;
}

test('the resolver of a federated reference is masked', async () => {
  const { app, replica } = await start();
  const order = referenceResolver(app);
  expect(await order({ id: '42' }, { context: true }, {})).toEqual({ id: '42', context: true });
  await holdSecretly(replica);
  const error: unknown = await order({ id: '42' }, {}, {}).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: 'The resource is locked. Try again later.',
    extensions: { code: 'LOCK_BUSY' },
  });
});

test('with fieldResolverEnhancers: filters, all field resolvers are masked', async () => {
  const { app, replica } = await start({ graphQL: { fieldResolverEnhancers: ['filters'] } });
  await holdSecretly(replica);
  const response = await ask(app, 'query { order { id promised } }');
  expectNoSecrets(await everythingOf(response.clone()));
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'LOCK_BUSY' } }] });
});

test('with exceptionFilter: false the error still has its code', async () => {
  const { app, replica } = await start({ exceptionFilter: false });
  await holdSecretly(replica);
  expect(await mutate(app, 'busy')).toMatchObject({
    errors: [{ extensions: { code: 'LOCK_BUSY', retryAfterMs: 1_000 } }],
  });
});

interface SubscriptionMessage {
  readonly type: string;
  readonly payload?: unknown;
}

/** Subscribes as clients of graphql-ws do. */
async function openSubscription(app: TestApp, query: string) {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  endedWithTest({ [Symbol.asyncDispose]: async () => socket.terminate() });
  const received: SubscriptionMessage[] = [];
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as SubscriptionMessage));
  const receives = (...types: string[]) =>
    eventually(() => received.some(({ type }) => types.includes(type)));
  const send = (message: object) => socket.send(JSON.stringify(message));
  await once(socket, 'open');
  send({ type: 'connection_init' });
  await receives('connection_ack');
  send({ id: '1', type: 'subscribe', payload: { query } });
  return { received, receives, unsubscribe: () => send({ id: '1', type: 'complete' }) };
}

/** Resolves with all messages when the subscription has ended. */
async function subscribe(app: TestApp, query: string): Promise<SubscriptionMessage[]> {
  const { received, receives } = await openSubscription(app, query);
  await receives('error', 'complete');
  return received.slice(1);
}

test('a subscription that loses its lock ends with a masked error, and the error is logged', async () => {
  const logger = new RecordingLogger();
  const { app } = await start({ logger, graphQL: { subscriptions: { 'graphql-ws': true } } });
  const received = await subscribe(app, 'subscription { numbers }');
  expectNoSecrets(received);
  expect(received).toMatchObject([
    { type: 'next', payload: { data: { numbers: 'one' } } },
    {
      type: 'error',
      payload: [
        {
          message: 'The lock was lost during the request; its outcome is unknown.',
          extensions: { code: 'LOCK_LOST' },
        },
      ],
    },
  ]);
  expect(logger.messages('error').join()).toContain("LockLostError: Lock 'secret-order' was lost (ttl)");
});

test.each(['busyNumbers', 'plainNumbers'])(
  'a subscription whose lock is busy ends with a masked error (%s)',
  async (field) => {
    const { app, replica } = await start({ graphQL: { subscriptions: { 'graphql-ws': true } } });
    await holdSecretly(replica);
    const received = await subscribe(app, `subscription { ${field} }`);
    expectNoSecrets(received);
    expect(received).toMatchObject([
      {
        type: 'error',
        payload: [{ message: 'The resource is locked. Try again later.', extensions: { code: 'LOCK_BUSY' } }],
      },
    ]);
  },
);

test('a subscription to a PubSub frees its lock when its client unsubscribes', async () => {
  const { app, replica } = await start({ graphQL: { subscriptions: { 'graphql-ws': true } } });
  const subscription = await openSubscription(app, 'subscription { published }');
  await subscription.receives('next');
  expect(await replica.isFree('published')).toBe(false);
  subscription.unsubscribe();
  await replica.becomesFree('published');
});

test('a subscription with LockInterceptor keeps its lock until it ends', async () => {
  const { app, replica, work } = await start({ graphQL: { subscriptions: { 'graphql-ws': true } } });
  const subscription = await openSubscription(app, 'subscription { intercepted }');
  await subscription.receives('next');
  expect(await replica.isFree('intercepted')).toBe(false);
  work.first.open();
  await subscription.receives('complete');
  expect(subscription.received.slice(1)).toMatchObject([
    { payload: { data: { intercepted: 'held' } } },
    { payload: { data: { intercepted: 'still held' } } },
    { type: 'complete' },
  ]);
  await replica.becomesFree('intercepted');
});

test.each(['promisedSkip', 'generatedSkip', 'untypedSkip', 'interceptedSkip'])(
  'a subscription that is skipped ends without events (%s)',
  async (field) => {
    const { app, replica } = await start({ graphQL: { subscriptions: { 'graphql-ws': true } } });
    await holdSecretly(replica);
    expect(await subscribe(app, `subscription { ${field} }`)).toEqual([{ id: '1', type: 'complete' }]);
  },
);
