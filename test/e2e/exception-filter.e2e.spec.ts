import {
  Controller,
  Get,
  Res,
  UseFilters,
  type ArgumentsHost,
  type INestApplication,
  type Type,
} from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  LockBusyError,
  LockConfigurationError,
  LockExceptionFilter,
  LockModule,
  Locked,
  type LockError,
} from '../../lib/index.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { NEST_MAJOR } from '../fixtures/nest-version.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Controller()
class Plain {
  @Get('busy')
  @Locked('order', { wait: 0 })
  async busy() {}
}

@Controller()
@UseFilters(LockExceptionFilter)
class Filtered extends Plain {}

class ConflictFilter extends LockExceptionFilter {
  protected override statusOf(error: LockError): number {
    return error.code === 'LOCK_BUSY' ? 409 : super.statusOf(error);
  }
}

@Controller()
@UseFilters(ConflictFilter)
class Conflicting extends Plain {}

@Controller()
class HalfAnswered {
  @Get('busy')
  async busy(@Res() reply: ServerResponse & { raw?: ServerResponse }) {
    (reply.raw ?? reply).write('the first half');
    throw new LockBusyError('order', undefined);
  }
}

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function start(
    controller: Type,
    configure?: (app: INestApplication) => unknown,
    logger = new RecordingLogger(),
  ) {
    const options = zooKeeper.options();
    const replica = await Replica.open(options);
    await replica.hold('order');
    return TestApp.start(
      {
        imports: [LockModule.forRoot({ ...options, exceptionFilter: false })],
        controllers: [controller],
      },
      { adapter, configure, logger },
    );
  }

  const register = (app: INestApplication) =>
    app.useGlobalFilters(new LockExceptionFilter(app.getHttpAdapter()));

  test('works as a global filter created with the HTTP adapter', async () => {
    const app = await start(Plain, register);
    const response = await app.fetch('/busy');
    expect(response.status).toBe(423);
    expect(response.headers.get('Retry-After')).toBe('1');
  });

  test('with @UseFilters on a controller, a busy lock is answered 423 with Retry-After', async () => {
    const app = await start(Filtered);
    const response = await app.fetch('/busy');
    expect(response.status).toBe(423);
    expect(response.headers.get('Retry-After')).toBe('1');
  });

  test('a subclass can answer with another status', async () => {
    const app = await start(Conflicting);
    const response = await app.fetch('/busy');
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ statusCode: 409, code: 'LOCK_BUSY' });
  });

  // Since Nest 12, Fastify survives an error after the first half of a response.
  test.skipIf(NEST_MAJOR < 12)('ends a response that has started', async () => {
    const logger = new RecordingLogger();
    const app = await start(HalfAnswered, register, logger);
    const response = await app.fetch('/busy');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('the first half');
    expect(logger.messages('error')).toEqual([]);
  });
});

test('without the HTTP adapter, the error says how to create the filter', () => {
  const filter = new LockExceptionFilter();
  const host = { getType: () => 'http' } as unknown as ArgumentsHost;
  const error = new LockBusyError('order', undefined);
  const answer = () => filter.catch(error, host);
  expect(answer).toThrow(LockConfigurationError);
  expect(answer).toThrow(/new LockExceptionFilter\(app\.getHttpAdapter\(\)\)/);
  expect(answer).toThrow(expect.objectContaining({ cause: error }));
});
