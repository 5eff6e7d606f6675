// oxlint-disable typescript/no-extraneous-class -- modules are classes without members
import { Injectable, Module, Scope, type DynamicModule } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, test } from 'vitest';
import {
  LockConfigurationError,
  LockModule,
  LockService,
  getLockServiceToken,
  type LockModuleOptions,
} from '../../lib/index.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Config {
  readonly locks = zooKeeper.options({ owner: 'from the configuration' });

  /** Nest's own name for the method of an options factory. */
  create(): LockModuleOptions {
    return this.locks;
  }
}

@Module({ providers: [Config], exports: [Config] })
class ConfigModule {}

const compile = (lockModule: DynamicModule) =>
  Test.createTestingModule({ imports: [lockModule] })
    .setLogger(new RecordingLogger())
    .compile();

describe.each<[how: string, lockModule: DynamicModule]>([
  [
    'useFactory',
    LockModule.forRootAsync({
      imports: [ConfigModule],
      inject: [Config],
      useFactory: async (config: Config) => config.locks,
    }),
  ],
  ['useClass', LockModule.forRootAsync({ useClass: Config })],
  ['useExisting', LockModule.forRootAsync({ imports: [ConfigModule], useExisting: Config })],
])('%s', (_how, lockModule) => {
  test('the options come from the application', async () => {
    const module = await compile(lockModule);
    const locks = module.get(LockService);
    expect(locks.owner).toBe('from the configuration');
    expect(await locks.withLock('x', () => 'done')).toBe('done');
    await module.close();
  });
});

/** Its options are getters, which its objects inherit. */
class LockConfig implements LockModuleOptions {
  readonly #options = zooKeeper.options();

  get connectString() {
    return this.#options.connectString!;
  }

  get root() {
    return this.#options.root!;
  }

  get name() {
    return 'archive';
  }
}

test.for([
  ['forRoot', () => LockModule.forRoot(new LockConfig())],
  ['forRootAsync', () => LockModule.forRootAsync({ name: 'archive', useFactory: () => new LockConfig() })],
] as const)('%s reads the getters of a class', async ([, lockModule]) => {
  const module = await compile(lockModule());
  expect(await module.get(getLockServiceToken('archive')).withLock('x', () => 'done')).toBe('done');
  await module.close();
});

test('a named service can be configured in the same way', async () => {
  const module = await compile(LockModule.forRootAsync({ name: 'archive', useClass: Config }));
  expect(module.get(getLockServiceToken('archive')).owner).toBe('from the configuration');
  expect(() => module.get(LockService)).toThrow();
  await module.close();
});

test('if a factory fails, the start fails with the same error', async () => {
  const failure = new Error('no such configuration');
  const start = compile(LockModule.forRootAsync({ useFactory: () => Promise.reject(failure) }));
  await expect(start).rejects.toBe(failure);
});

test('the error of a factory that returns nothing says so', async () => {
  const useFactory = () => undefined as unknown as LockModuleOptions;
  const start = compile(LockModule.forRootAsync({ useFactory }));
  await expect(start).rejects.toBeInstanceOf(LockConfigurationError);
  await expect(start).rejects.toThrow(
    'The factory of `LockModule.forRootAsync` must return an object of options, such as ' +
      "{ connectString: 'localhost:2181' }: got undefined",
  );
});

class WithoutCreate {
  createLockOptions() {
    return {};
  }
}

@Module({ providers: [WithoutCreate], exports: [WithoutCreate] })
class WithoutCreateModule {}

test.for([
  ['useClass', () => ({ useClass: WithoutCreate })],
  ['useExisting', () => ({ imports: [WithoutCreateModule], useExisting: WithoutCreate })],
] as const)('the error of a %s without the method create() names both', async ([source, options]) => {
  const start = compile(LockModule.forRootAsync(options() as never));
  await expect(start).rejects.toBeInstanceOf(LockConfigurationError);
  await expect(start).rejects.toThrow(
    `\`${source}\` of \`LockModule.forRootAsync\` needs a method create() that returns the options: got an object ` +
      'WithoutCreate, whose `create` is undefined',
  );
});

test('create() may be a field of the class', async () => {
  class Fields {
    readonly create = () => zooKeeper.options({ owner: 'from a field' });
  }
  const module = await compile(LockModule.forRootAsync({ useClass: Fields }));
  expect(module.get(LockService).owner).toBe('from a field');
  await module.close();
});

test.for([{ name: 'reports' }, { isGlobal: false }, { exceptionFilter: false }])(
  'the error of a factory that returns %o says where it belongs',
  async (extra) => {
    const useFactory = () => ({ ...zooKeeper.options(), ...extra });
    const [name] = Object.keys(extra);
    await expect(compile(LockModule.forRootAsync({ useFactory }))).rejects.toThrow(
      `unknown module option '${name}': give it to \`LockModule.forRootAsync\` itself, beside \`useFactory\``,
    );
  },
);

test('options from a factory are validated like all others', async () => {
  const useFactory = () => ({ host: 'localhost', conectString: 'typo' }) as LockModuleOptions;
  const start = compile(LockModule.forRootAsync({ useFactory }));
  await expect(start).rejects.toThrow("unknown module option 'conectString'");
});

@Injectable({ scope: Scope.REQUEST })
class TenantConfig {
  readonly locks = zooKeeper.options();
}

@Module({ providers: [TenantConfig], exports: [TenantConfig] })
class TenantModule {}

test('options of a request are refused at the start, because each request would have a session of its own', async () => {
  const module = await compile(
    LockModule.forRootAsync({
      imports: [TenantModule],
      inject: [TenantConfig],
      useFactory: ({ locks }: TenantConfig) => locks,
    }),
  );
  await expect(module.init()).rejects.toThrow('The options of `LockModule` need a request-scoped provider');
  // With Nest 11, that fails as the start did.
  await module.close().catch(() => {});
});

test('an option beside the factory that nobody would read is refused at the call', () => {
  const misplaced = { useFactory: () => zooKeeper.options(), connectString: 'zk1:2181' };
  expect(() => LockModule.forRootAsync(misplaced)).toThrow(
    /unknown option 'connectString': accepted are imports, .* belong into what `useFactory` or the class returns/,
  );
});
