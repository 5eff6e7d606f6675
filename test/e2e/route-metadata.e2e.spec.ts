import {
  Controller,
  Get,
  Header,
  HttpCode,
  Injectable,
  Param,
  ParseIntPipe,
  SetMetadata,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { describe, expect, test } from 'vitest';
import { LOCKED_METADATA, LockModule, Locked, LockService } from '../../lib/index.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** A decorator that stores its value in a property of the function. */
function Tag(tag: string): MethodDecorator {
  return (_target, _key, descriptor) => void Object.assign(descriptor.value as object, { tag });
}

/** Reads the handler as guards, interceptors and documentation generators do. */
@Injectable()
class HandlerInspector implements CanActivate {
  readonly observations: object[] = [];

  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    this.observations.push({
      name: handler.name,
      length: handler.length,
      tag: Reflect.get(handler, 'tag'),
      roles: this.reflector.get('roles', handler),
      locked: this.reflector.get(LOCKED_METADATA, handler),
      current: LockService.current(),
    });
    return true;
  }
}

@Controller()
@UseGuards(HandlerInspector)
class Reports {
  @Locked('report', 5_000)
  @Tag('a tag')
  @SetMetadata('roles', ['admin'])
  @HttpCode(202)
  @Header('X-Report', 'yes')
  @Get('above/:id')
  async above(@Param('id', ParseIntPipe) id: number) {
    return { id };
  }

  @Get('below/:id')
  @Header('X-Report', 'yes')
  @HttpCode(202)
  @SetMetadata('roles', ['admin'])
  @Tag('a tag')
  @Locked('report', 5_000)
  async below(@Param('id', ParseIntPipe) id: number) {
    return { id };
  }
}

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  const start = () =>
    TestApp.start(
      {
        imports: [LockModule.forRoot(zooKeeper.options())],
        controllers: [Reports],
        providers: [HandlerInspector],
      },
      { adapter },
    );

  test.each(['above', 'below'])('@Locked %s the other decorators does not affect them', async (route) => {
    const app = await start();
    const response = await app.fetch(`/${route}/42`);
    expect(response.status).toBe(202);
    expect(response.headers.get('X-Report')).toBe('yes');
    expect(await response.json()).toEqual({ id: 42 });
    expect(app.get(HandlerInspector).observations).toEqual([
      {
        name: route,
        length: 1,
        tag: 'a tag',
        roles: ['admin'],
        locked: { resource: 'report', options: 5_000 },
        current: undefined,
      },
    ]);
  });

  test('pipes reject a request before the lock is requested', async () => {
    const app = await start();
    const events: string[] = [];
    app.get(LockService).events$.subscribe(({ type }) => events.push(type));
    expect((await app.fetch('/above/no-number')).status).toBe(400);
    expect(events).toEqual([]);
  });

  test('the injected service appears neither in keys nor in JSON', async () => {
    const app = await start();
    const reports = app.get(Reports);
    expect(Object.keys(reports)).toEqual([]);
    expect(JSON.stringify(reports)).toBe('{}');
  });
});
