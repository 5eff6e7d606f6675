import type { Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { providerTypes } from '../discovery/application-modules.js';
import { GATEWAY, INTERCEPTORS, bindFirst } from '../discovery/enhancer-metadata.js';
import { SOCKET_CALLERS } from './socket-callers.interceptor.js';

/** Binds the interceptor to every gateway. A global interceptor would slow down all other handlers. */
export const BIND_SOCKET_CALLERS: Provider = {
  provide: Symbol('nestjs-locked:bind-socket-callers'),
  inject: [ModuleRef],
  useFactory: (module: ModuleRef) => {
    for (const type of providerTypes(module)) {
      if (Reflect.hasMetadata(GATEWAY, type)) bindFirst(INTERCEPTORS, SOCKET_CALLERS, type);
    }
  },
};
