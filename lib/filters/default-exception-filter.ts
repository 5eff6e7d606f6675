import type { Provider } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { bindBeyondGlobalFilters } from './bind-beyond-global-filters.js';
import { LockExceptionFilter } from './lock-exception.filter.js';

/**
 * Registers a `LockExceptionFilter` for the whole application, below all filters of its own.
 *
 * Not with `APP_FILTER`: Nest asks first the filter that was registered last, and a module registers after the one that
 * imports it. That would put this filter above those of the root module. When a factory runs, Nest has not applied any
 * `APP_FILTER` yet.
 */
export const DEFAULT_EXCEPTION_FILTER: Provider[] = [
  LockExceptionFilter,
  {
    provide: Symbol('nestjs-locked:default-exception-filter'),
    inject: [LockExceptionFilter, ApplicationConfig, ModulesContainer],
    useFactory: (filter: LockExceptionFilter, config: ApplicationConfig, modules: ModulesContainer) => {
      // Another LockModule of the application has done it.
      if (config.getGlobalFilters().some((other) => other instanceof LockExceptionFilter)) return;
      config.addGlobalFilter(filter);
      bindBeyondGlobalFilters(modules);
    },
  },
];
