import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { LockModuleExtras, LockModuleOptions } from './options/lock-module-options.interface.js';
import { LOCK_MODULE_OPTIONS } from './lock.constants.js';
import { lockProviders } from './lock.providers.js';

export const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<LockModuleOptions>({
  optionsInjectionToken: LOCK_MODULE_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setExtras<LockModuleExtras>(
    { isGlobal: true, name: undefined, exceptionFilter: true },
    (definition, extras) => {
      const { providers, exports } = lockProviders(extras);
      return {
        ...definition,
        global: extras.isGlobal ?? true,
        providers: [...(definition.providers ?? []), ...providers],
        exports,
      };
    },
  )
  .build();
