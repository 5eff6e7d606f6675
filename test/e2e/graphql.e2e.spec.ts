import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import type { Type } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Args, GraphQLModule, Mutation, Query, Resolver } from '@nestjs/graphql';
import { describe, expect, test } from 'vitest';
import { LockExceptionFilter, LockModule, Locked } from '../../lib/index.js';
import { Latch } from '../fixtures/latch.js';
import { LogBook } from '../fixtures/log-book.js';
import { Replica } from '../fixtures/replica.js';
import { TestApp } from '../fixtures/test-app.js';
import { VisitLog } from '../fixtures/visit-log.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

class Work {
  readonly log = new VisitLog();
  readonly first = new Latch();
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
    return this.work.log.visit(id, () => this.work.first.opened.then(() => id));
  }

  @Mutation(() => String)
  @Locked('order:{0}')
  async below(@Args('id') id: string) {
    return this.work.log.visit(id, () => this.work.first.opened.then(() => id));
  }

  @Mutation(() => String)
  @Locked('order', { wait: 0 })
  async busy() {
    return 'done';
  }

  @Mutation(() => String)
  @Locked('order', 100)
  async lost() {
    return new Promise<string>(() => {});
  }
}

async function start(filter?: Type, logger?: LogBook) {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const app = await TestApp.start(
    {
      imports: [
        LockModule.forRoot(options),
        GraphQLModule.forRoot<ApolloDriverConfig>({ driver: ApolloDriver, autoSchemaFile: true }),
      ],
      providers: [Work, Orders, ...(filter ? [{ provide: APP_FILTER, useClass: filter }] : [])],
    },
    { logger },
  );
  return { replica, app, work: app.get(Work) };
}

async function mutate(app: TestApp, mutation: string): Promise<unknown> {
  const response = await app.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: `mutation { ${mutation} }` }),
  });
  return response.json();
}

test.each(['above', 'below'])('mutations for one key run one after the other (%s)', async (field) => {
  const { app, replica, work } = await start();
  const answers = Array.from({ length: 3 }, () => mutate(app, `${field}(id: "42")`));
  await replica.hasWaiters('order:42', 2);
  work.first.open();
  for (const answer of await Promise.all(answers)) expect(answer).toEqual({ data: { [field]: '42' } });
  expect(work.log.overlaps()).toEqual([]);
});

describe.each([
  ['with the filter', LockExceptionFilter],
  ['without the filter', undefined],
])('%s', (_how, filter) => {
  test('an error carries its code and when to try again', async () => {
    const { app, replica } = await start(filter);
    await replica.hold('order');
    expect(await mutate(app, 'busy')).toMatchObject({
      errors: [{ path: ['busy'], extensions: { code: 'LOCK_BUSY', retryAfterMs: 1_000 } }],
    });
  });

  test('a lost lock carries no hint to try again, and is logged', async () => {
    const logger = new LogBook();
    const { app } = await start(filter, logger);
    const answer = (await mutate(app, 'lost')) as { errors: [{ extensions: object }] };
    expect(answer.errors[0].extensions).toMatchObject({ code: 'LOCK_LOST' });
    expect(answer.errors[0].extensions).not.toHaveProperty('retryAfterMs');
    expect(logger.messages('error').join()).toContain("LockLostError: Lock 'order' was lost (ttl)");
  });
});
