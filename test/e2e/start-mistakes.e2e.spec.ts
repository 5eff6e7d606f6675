import { Injectable, Module, type DynamicModule, type ModuleMetadata, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { expect, test } from 'vitest';
import { LockConfigurationError, LockModule, LockService, type LockModuleExtras } from '../../lib/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Orders {
  constructor(readonly locks: LockService) {}
}

/** A separate module that imports these. */
function moduleWith(imports: ModuleMetadata['imports']): Type<unknown> {
  @Module({ imports, providers: [Orders] })
  class SomeModule {}
  return SomeModule;
}

async function start(...imports: (DynamicModule | Type<unknown>)[]): Promise<void> {
  const options = { abortOnError: false, logger: false } as const;
  const app = await NestFactory.createApplicationContext(moduleWith(imports), options);
  endedWithTest({ [Symbol.asyncDispose]: () => app.close() });
}

test('two registrations without a name are rejected, and the error names both modules', async () => {
  const [one, other] = [zooKeeper.options(), zooKeeper.options()];
  const outcome = start(
    LockModule.forRoot(one),
    LockModule.forRootAsync({ useFactory: () => Promise.resolve(other) }),
  );
  await expect(outcome).rejects.toBeInstanceOf(LockConfigurationError);
  await expect(outcome).rejects.toThrow('LockModule is registered 2 times without a name: ');
  for (const { root } of [one, other])
    await expect(outcome).rejects.toThrow(`${zooKeeper.server.connectString}, locks below '${root}'`);
});

test('two registrations with the same name are rejected', async () => {
  const registration = () => LockModule.forRoot({ ...zooKeeper.options(), name: 'archive' });
  const unnamed = LockModule.forRoot(zooKeeper.options());
  await expect(start(unnamed, registration(), registration())).rejects.toThrow(
    "LockModule is registered 2 times with the name 'archive': ",
  );
});

test('one registration with a name and one without are accepted', async () => {
  await start(
    LockModule.forRoot(zooKeeper.options()),
    LockModule.forRoot({ ...zooKeeper.options(), name: 'archive' }),
  );
});

test('one registration in the imports of two modules is accepted', async () => {
  const registration = LockModule.forRoot(zooKeeper.options());
  await start(registration, moduleWith([registration]));
});

test('two applications can run concurrently or one after the other', async () => {
  const imports = () => [LockModule.forRoot(zooKeeper.options())];
  await Promise.all([start(...imports()), start(...imports())]);
  for (let i = 0; i < 2; i += 1) {
    const module = await Test.createTestingModule({ imports: imports() })
      .setLogger(new RecordingLogger())
      .compile();
    await module.init();
    await module.close();
  }
});

const WITHOUT_OPTIONS = '`LockModule` is imported without options. Import `LockModule.forRoot(';

test('LockModule without forRoot is rejected, before Nest reports a missing service', async () => {
  await expect(start(LockModule)).rejects.toThrow(WITHOUT_OPTIONS);
});

test('LockModule without forRoot is rejected even if another module calls forRoot', async () => {
  await expect(start(LockModule.forRoot(zooKeeper.options()), moduleWith([LockModule]))).rejects.toThrow(
    WITHOUT_OPTIONS,
  );
});

test.for([
  ['forRoot', undefined, '`LockModule.forRoot` needs options, such as { connectString'],
  ['forRoot', 'zk:2181', "got 'zk:2181' (string)"],
  ['forRootAsync', undefined, '`LockModule.forRootAsync` needs options'],
  ['forRootAsync', {}, 'to provide the options: got none of them'],
  ['forRootAsync', { useFactory: undefined, useClass: null }, 'got none of them'],
  [
    'forRootAsync',
    { useFactory: () => ({}), useClass: Orders },
    'needs one of `useFactory`, `useClass` and `useExisting` to provide the options: got useFactory and useClass',
  ],
  ['forRootAsync', { useClass: Orders, useExisting: Orders }, 'got useClass and useExisting'],
] as const)('%s(%o) throws immediately', ([method, options, says]) => {
  const register = () => LockModule[method](options as never);
  expect(register).toThrow(LockConfigurationError);
  expect(register).toThrow(says);
});

test.for([
  [
    { name: '' },
    "`name` must be a non-empty string, or left out for the service without a name: got '' (string)",
  ],
  [{ name: null }, '`name` must be a non-empty string, or left out for the service without a name: got null'],
  [{ name: 5 }, 'got 5 (number)'],
  [{ isGlobal: 'false' }, "`isGlobal` must be true or false: got 'false' (string)"],
  [{ exceptionFilter: 0 }, '`exceptionFilter` must be true or false: got 0 (number)'],
] as const)('forRoot and forRootAsync with %o throw immediately', ([extras, says]) => {
  const useFactory = () => zooKeeper.options();
  for (const register of [
    () => LockModule.forRoot({ ...zooKeeper.options(), ...(extras as LockModuleExtras) }),
    () => LockModule.forRootAsync({ useFactory, ...(extras as LockModuleExtras) }),
  ]) {
    expect(register).toThrow(LockConfigurationError);
    expect(register).toThrow(says);
  }
});

test('extras that are undefined have their defaults', async () => {
  const undefinedExtras = { name: undefined, isGlobal: undefined, exceptionFilter: undefined };
  const registration = LockModule.forRoot({
    ...zooKeeper.options(),
    ...(undefinedExtras as LockModuleExtras),
  });
  expect(registration.global).toBe(true);
  await start(registration);
});
