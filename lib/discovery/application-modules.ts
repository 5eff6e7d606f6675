import type { ModulesContainer } from '@nestjs/core';

type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;

/**
 * The modules of the application, or undefined if they cannot be read: Nest passes its container to
 * `instrument.instanceDecorator` too, and the methods of a Map fail behind a Proxy.
 */
export function applicationModules(container: ModulesContainer): readonly NestModule[] | undefined {
  try {
    return [...container.values()];
  } catch {
    return undefined;
  }
}

/** The classes and factories of all providers of the application, or undefined if they cannot be read. */
export function providerTypes(container: ModulesContainer): readonly Function[] | undefined {
  return applicationModules(container)?.flatMap(({ providers }) =>
    [...providers.values()].flatMap(({ metatype }) => metatype ?? []),
  );
}
