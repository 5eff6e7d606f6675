import {
  Body,
  Controller,
  Get,
  HttpException,
  Injectable,
  Module,
  Param,
  Put,
  UnauthorizedException,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
  type ModuleMetadata,
} from '@nestjs/common';
import { APP_FILTER, ExternalContextCreator } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Transport } from '@nestjs/microservices';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Test } from '@nestjs/testing';
import type { AddressInfo, Server } from 'node:net';
import { lastValueFrom } from 'rxjs';
import { describe, expect, test } from 'vitest';
import {
  FencingGuard,
  FencingToken,
  FencingTokenStore,
  InMemoryFencingTokenStore,
  LockConfigurationError,
  LockExceptionFilter,
  StaleFencingTokenError,
  fencingHeaders,
} from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();
const LARGEST = 2n ** 63n - 1n;

interface Request {
  readonly params: { readonly id: string };
  readonly headers: Record<string, string | undefined>;
}

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<Request>();

class OnlyAlice implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (requestOf(context).headers['authorization'] !== 'alice') throw new UnauthorizedException();
    return true;
  }
}

/** A service that others write to under a lock. It has no LockModule and no ZooKeeper. */
@Controller('accounts')
class Accounts {
  readonly balances = new Map<string, unknown>();

  @Put(':id')
  @UseGuards(FencingGuard((context) => `account:${requestOf(context).params.id}`))
  setBalance(@Param('id') id: string, @Body('balance') balance: unknown) {
    this.balances.set(id, balance);
  }

  @Put(':id/alice')
  @UseGuards(OnlyAlice, FencingGuard((context) => `account:${requestOf(context).params.id}`))
  setByAlice() {}

  @Get(':id/token')
  token(@FencingToken() token: bigint) {
    return { token: String(token) };
  }

  @Put(':id/transaction')
  setInTransaction(@Param('id') id: string, @FencingToken() fencingToken: bigint) {
    throw new StaleFencingTokenError({ resource: `account:${id}`, fencingToken });
  }

  @Put(':id/undefined')
  @UseGuards(FencingGuard((context) => `account:${requestOf(context).params['key' as 'id']}`))
  misuse() {
    this.balances.set('misused', true);
  }

  @Put(':id/several')
  @UseGuards(FencingGuard(() => ['a', 'b'] as unknown as string))
  several() {
    this.balances.set('misused', true);
  }
}

const ACCOUNTS: ModuleMetadata = {
  controllers: [Accounts],
  providers: [{ provide: FencingTokenStore, useClass: InMemoryFencingTokenStore }],
};

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function start(metadata: ModuleMetadata = {}) {
    const logger = new RecordingLogger();
    const app = await TestApp.start(
      { ...ACCOUNTS, providers: [...ACCOUNTS.providers!, ...(metadata.providers ?? [])] },
      { adapter, logger },
    );
    const put = (path: string, balance: number, headers: Record<string, string> = {}) =>
      app.fetch(path, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ balance }),
      });
    return { app, put, logger, balances: app.get(Accounts).balances };
  }

  test('a holder whose lock was lost writes late: 412, and the data stay', async () => {
    const { put, logger, balances } = await start();
    const options = zooKeeper.options();
    const stale = await (await Replica.open(options)).hold('account:7', { ttl: 20 });
    await eventually(() => stale.signal.aborted);
    const held = await (await Replica.open(options)).hold('account:7');

    expect((await put('/accounts/7', 200, fencingHeaders(held))).status).toBe(200);
    expect((await put('/accounts/7', 300, fencingHeaders(held))).status).toBe(200);
    const late = await put('/accounts/7', 100, fencingHeaders(stale));

    expect(late.status).toBe(412);
    expect(await late.json()).toEqual({
      statusCode: 412,
      code: 'LOCK_STALE_TOKEN',
      message: 'A later holder of the lock has written.',
    });
    expect(balances.get('7')).toBe(300);
    expect(logger.messages('warn')).toContain(
      `A write with fencing token ${stale.fencingToken} of lock 'account:7' was rejected: a later holder, with token ` +
        `${held.fencingToken}, has written. Discard what was read under the lock; to repeat the work, acquire the lock again.`,
    );
    expect((await put('/accounts/8', 100, fencingHeaders(stale))).status).toBe(200);
  });

  test('a request without a token is answered 428, which names the header', async () => {
    const { app, put, balances } = await start();
    for (const response of [await put('/accounts/7', 100), await app.fetch('/accounts/7/token')]) {
      expect(response.status).toBe(428);
      expect(await response.json()).toEqual({
        statusCode: 428,
        error: 'Precondition Required',
        message:
          'The header Fencing-Token is required: send the fencing token of the lock that the write needs, a whole number ' +
          'from 1 to 9223372036854775807, in decimal digits',
      });
    }
    expect(balances.size).toBe(0);
  });

  test.for(['', 'five', '0', '-5', '5.0', '0x5', '5, 6', String(LARGEST + 1n), '1'.repeat(100)])(
    'the header "%s" is answered 400, with the value and the accepted form',
    async (text) => {
      const { put, balances } = await start();
      const response = await put('/accounts/7', 100, { 'Fencing-Token': text });
      expect(response.status).toBe(400);
      const got = text.length > 80 ? `${text.slice(0, 80)}...` : text;
      expect(await response.json()).toMatchObject({
        message:
          'The header Fencing-Token must be a whole number from 1 to 9223372036854775807, in decimal digits: got ' +
          `'${got}' (string)`,
      });
      expect(balances.size).toBe(0);
    },
  );

  test('a handler gets all digits of the token', async () => {
    const { app } = await start();
    const response = await app.fetch('/accounts/7/token', { headers: { 'Fencing-Token': String(LARGEST) } });
    expect(await response.json()).toEqual({ token: String(LARGEST) });
  });

  test('a stale write that the handler finds is answered 412 too, by LockExceptionFilter', async () => {
    const { put } = await start({ providers: [{ provide: APP_FILTER, useClass: LockExceptionFilter }] });
    const response = await put('/accounts/7/transaction', 100, { 'Fencing-Token': '5' });
    expect(response.status).toBe(412);
    expect(await response.json()).toMatchObject({ code: 'LOCK_STALE_TOKEN' });
  });

  test('the token of a client that an earlier guard refuses is not remembered', async () => {
    const { put } = await start();
    const large = { 'Fencing-Token': String(LARGEST) };
    expect((await put('/accounts/7/alice', 100, large)).status).toBe(401);
    const small = { 'Fencing-Token': '5', Authorization: 'alice' };
    expect((await put('/accounts/7/alice', 100, small)).status).toBe(200);
  });

  test.for(['undefined', 'several'])('a wrong name is answered 500: %s', async (path) => {
    const { put, logger, balances } = await start();
    const response = await put(`/accounts/7/${path}`, 100, { 'Fencing-Token': '5' });
    expect(response.status).toBe(500);
    expect(balances.size).toBe(0);
    expect(logger.messages('error').join()).toContain('LockConfigurationError');
  });

  test('another error of the store is passed on', async () => {
    const failing = { accept: () => Promise.reject(new HttpException('the store is away', 503)) };
    const { put, balances } = await start({ providers: [{ provide: FencingTokenStore, useValue: failing }] });
    const response = await put('/accounts/7', 100, { 'Fencing-Token': '5' });
    expect(response.status).toBe(503);
    expect(balances.size).toBe(0);
  });
});

test('an application without a FencingTokenStore does not start, and the error names it', async () => {
  const start = TestApp.start({ controllers: [Accounts] });
  await expect(start).rejects.toThrow('FencingTokenStore');
});

test('a name that looks like a mistake is refused, unless allowLiteral is set', async () => {
  const tokens = { accept: async () => {} } as unknown as FencingTokenStore;
  const canActivate = (allowLiteral: boolean) => {
    const Guard = FencingGuard(() => 'printer:null', { allowLiteral });
    const guard: CanActivate = new Guard(tokens);
    const context = new ExecutionContextHost([{ headers: { 'fencing-token': '7' } }]);
    context.setType('http');
    return Promise.resolve(guard.canActivate(context));
  };
  await expect(canActivate(false)).rejects.toThrow('which looks like a missing argument');
  expect(await canActivate(true)).toBe(true);
  expect(() => FencingGuard(() => 'x', { allowliteral: true } as never)).toThrow(
    "FencingGuard: unknown option 'allowliteral'",
  );
});

test('a key that is no function is refused at once', () => {
  expect(() => FencingGuard('account' as never)).toThrow(LockConfigurationError);
});

test('a call of a library that sets no type of context is refused', async () => {
  @Injectable()
  class Jobs {
    @UseGuards(FencingGuard(() => 'account'))
    async run(this: void, _job: unknown) {}
  }
  const module = await Test.createTestingModule({ providers: [Jobs, ...ACCOUNTS.providers!] })
    .setLogger(new RecordingLogger())
    .compile();
  const jobs = module.get(Jobs);
  const run = module.get(ExternalContextCreator).create(jobs, jobs.run, 'run');
  await expect(run({ id: 1 })).rejects.toThrow(
    "Jobs.run needs the HTTP header Fencing-Token, but was called by no HTTP request (context 'http')",
  );
});

test('a call that is no HTTP request is refused', async () => {
  @Controller()
  class Consumer {
    calls = 0;

    @MessagePattern('pay')
    @UseGuards(FencingGuard(() => 'account'))
    pay() {
      this.calls += 1;
    }
  }
  @Module({ ...ACCOUNTS, controllers: [Consumer] })
  class ConsumerModule {}

  const logger = new RecordingLogger();
  const module = await Test.createTestingModule({ imports: [ConsumerModule] })
    .setLogger(logger)
    .compile();
  const service = module.createNestMicroservice({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port: 0 },
    logger,
  });
  endedWithTest({ [Symbol.asyncDispose]: () => service.close() });
  await service.listen();
  const { port } = service.unwrap<Server>().address() as AddressInfo;
  const client = ClientProxyFactory.create({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port },
  });
  endedWithTest({ [Symbol.asyncDispose]: async () => client.close() });

  await expect(lastValueFrom(client.send('pay', {}))).rejects.toMatchObject({ status: 'error' });
  expect(service.get(Consumer).calls).toBe(0);
  expect(logger.messages('error').join()).toContain(
    "Consumer.pay needs the HTTP header Fencing-Token, but was called by no HTTP request (context 'rpc')",
  );
});
