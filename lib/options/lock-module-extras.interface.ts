import type { ConfigurableModuleAsyncOptions } from '@nestjs/common';
import type { LockModuleOptions } from './lock-module-options.js';

/**
 * Options of `forRoot` and `forRootAsync` that must be known before a factory runs.
 *
 * @publicApi
 */
export interface LockModuleExtras {
  /** Export to all modules. @default true */
  readonly isGlobal?: boolean;
  /** Name of this lock service: inject it with `@InjectLockService(name)`, lock with `@Locked(key, { service: name })`. */
  readonly name?: string;
  /**
   * Handle lock errors of the whole application with `LockExceptionFilter`, after all filters of the application. With
   * `false`, Nest or your filters handle them, and GraphQL answers contain the full text. With several modules, set it in
   * each.
   *
   * @default true
   */
  readonly exceptionFilter?: boolean;
}

/**
 * Options of `LockModule.forRootAsync`: `useFactory` with `inject`, `useClass` or `useExisting`, and the extras.
 *
 * @publicApi
 */
export interface LockModuleAsyncOptions
  extends ConfigurableModuleAsyncOptions<LockModuleOptions>, LockModuleExtras {}
