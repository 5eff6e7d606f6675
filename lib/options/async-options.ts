import type { FactoryProvider, Provider } from '@nestjs/common';
import { describeValue, quoted } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { LOCK_MODULE_OPTIONS } from '../lock.constants.js';
import type { LockModuleAsyncOptions } from './lock-module-extras.interface.js';
import { MODULE_EXTRAS } from './module-extras.js';

/** Where the options come from. Nest would take the first of these that it looks for, and ignore the others. */
const SOURCES = ['useFactory', 'useClass', 'useExisting'] as const;

/** Those of Nest, and those that must be known before the options are. */
export const ASYNC_OPTIONS: readonly string[] = [
  'imports',
  'inject',
  ...SOURCES,
  'provideInjectionTokensFrom',
  ...Object.keys(MODULE_EXTRAS),
];

/** @throws LockConfigurationError listing every problem at once */
export function assertAsyncOptions(options: LockModuleAsyncOptions): void {
  const problems = Object.keys(options)
    .filter((name) => !ASYNC_OPTIONS.includes(name))
    .map(
      (name) =>
        `\`LockModule.forRootAsync\` has the unknown option ${quoted(name)}: accepted are ${ASYNC_OPTIONS.join(', ')}. Options of ` +
        'the lock service belong into what `useFactory` or the class returns',
    );
  const sources = SOURCES.filter((name) => (options[name] ?? undefined) !== undefined);
  if (sources.length !== 1)
    problems.push(
      '`LockModule.forRootAsync` needs one of `useFactory`, `useClass` and `useExisting` to provide the options: ' +
        `got ${sources.length === 0 ? 'none of them' : sources.join(' and ')}`,
    );
  if (problems.length > 0) throw new LockConfigurationError(problems);
}

/**
 * Of the providers of `forRootAsync`, lets the one of the options check that `useClass` or `useExisting` has `create()`. A class
 * may have it as a field, too, which only its instance shows. Nest's own error would name neither the class nor the method.
 */
export function withCreateCheck(
  providers: readonly Provider[],
  { useFactory, useClass }: LockModuleAsyncOptions,
): Provider[] {
  if (useFactory) return [...providers];
  const source = useClass ? 'useClass' : 'useExisting';
  return providers.map((provider) => (isOptionsFactory(provider) ? checked(provider, source) : provider));
}

function isOptionsFactory(provider: Provider): provider is FactoryProvider<unknown> {
  return 'useFactory' in provider && provider.provide === LOCK_MODULE_OPTIONS;
}

function checked(provider: FactoryProvider<unknown>, source: string): FactoryProvider<unknown> {
  const useFactory = (instance: unknown): unknown => {
    const { create } = Object(instance) as { create?: unknown };
    if (typeof create === 'function') return provider.useFactory(instance);
    throw new LockConfigurationError(
      `\`${source}\` of \`LockModule.forRootAsync\` needs a method create() that returns the options: got ` +
        `${describeValue(instance)}, whose \`create\` is ${describeValue(create)}`,
    );
  };
  return { ...provider, useFactory };
}
