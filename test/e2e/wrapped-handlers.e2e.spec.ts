import { Controller, Get, Res, UseInterceptors } from '@nestjs/common';
import { describe, expect, test } from 'vitest';
import { LockInterceptor, LockModule, LockService } from '../../lib/index.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

interface Reply {
  send(text: string): void;
}

/** Replaces the method as decorators for traces or transactions do: with its metadata, but under another name. */
function Traced(): MethodDecorator {
  return (_target, _key, descriptor) => {
    const original = descriptor.value as unknown as (...args: unknown[]) => unknown;
    async function traced(this: unknown, ...args: unknown[]): Promise<unknown> {
      return original.apply(this, args);
    }
    for (const key of Reflect.getMetadataKeys(original))
      Reflect.defineMetadata(key, Reflect.getMetadata(key, original), traced);
    descriptor.value = traced as never;
  };
}

@Controller()
class Reports {
  @Get('own')
  @Traced()
  @UseInterceptors(LockInterceptor(() => 'report', { wait: 0, onBusy: 'skip' }))
  async own(@Res() response: Reply): Promise<void> {
    response.send(String(LockService.currentOrThrow().purpose));
  }
}

@Controller()
class Yearly extends Reports {}

describe.each(HTTP_PLATFORMS)('on $platform, LockInterceptor', ({ adapter }) => {
  test.each([
    ['of its own class', Reports],
    ['of a base class', Yearly],
  ])('knows a handler %s that another decorator has replaced', async (_whose, type) => {
    const options = zooKeeper.options();
    const app = await TestApp.start(
      { imports: [LockModule.forRoot(options)], controllers: [type] },
      { adapter },
    );
    expect(await (await app.fetch('/own')).text()).toBe(`${type.name}.own`);

    const replica = await Replica.open(options);
    await replica.hold('report');
    // It answers requests itself: if it is skipped, nobody else would.
    expect((await app.fetch('/own')).status).toBe(423);
  });
});
