import type { ModulesContainer } from '@nestjs/core';

type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;

/**
 * The modules of the application, or undefined if they cannot be seen: Nest hands its container to
 * `instrument.instanceDecorator` as well, and a Map behind a Proxy refuses all its methods.
 */
export function applicationModules(container: ModulesContainer): readonly NestModule[] | undefined {
  try {
    return [...container.values()];
  } catch {
    return undefined;
  }
}

/** The classes and factories of all providers of the application, or undefined if they cannot be seen. */
export function providerTypes(container: ModulesContainer): readonly Function[] | undefined {
  return applicationModules(container)?.flatMap(({ providers }) =>
    [...providers.values()].flatMap(({ metatype }) => metatype ?? []),
  );
}
