import type { Provider } from '@nestjs/common';
import { ApplicationConfig, ModuleRef } from '@nestjs/core';
import { bindBeyondGlobalFilters } from './bind-beyond-global-filters.js';
import { LockExceptionFilter } from './lock-exception.filter.js';

/**
 * Registers a `LockExceptionFilter` for the whole application. All filters of the application take precedence.
 *
 * `APP_FILTER` does not work here: Nest tries the last registered filter first, and registers an imported module after
 * the module that imports it, so this filter would precede those of the root module. A factory runs before Nest applies
 * any `APP_FILTER`.
 */
export const DEFAULT_EXCEPTION_FILTER: Provider[] = [
  LockExceptionFilter,
  {
    provide: Symbol('nestjs-locked:default-exception-filter'),
    inject: [LockExceptionFilter, ApplicationConfig, ModuleRef],
    useFactory: (filter: LockExceptionFilter, config: ApplicationConfig, module: ModuleRef) => {
      // Another LockModule of the application has registered it.
      if (config.getGlobalFilters().some((other) => other instanceof LockExceptionFilter)) return;
      config.addGlobalFilter(filter);
      bindBeyondGlobalFilters(module);
    },
  },
];
