import type { ModuleRef, ModulesContainer } from '@nestjs/core';

type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;

/**
 * The modules of the application. Not from an injected `ModulesContainer`: Nest passes that to `instrument.instanceDecorator`
 * too, and the methods of a Map fail behind a Proxy.
 *
 * @param module the `ModuleRef` of any module, which Nest never decorates
 */
export function applicationModules(module: ModuleRef): readonly NestModule[] {
  return [...module['container'].getModules().values()];
}

/** The classes and factories of all providers of the application. */
export function providerTypes(module: ModuleRef): readonly Function[] {
  return applicationModules(module).flatMap(({ providers }) =>
    [...providers.values()].flatMap(({ metatype }) => metatype ?? []),
  );
}
