import 'reflect-metadata';

/** Metadata keys of Nest. Nest 11 and 12 export them from different places. */
export const FILTERS = '__exceptionFilters__';
export const INTERCEPTORS = '__interceptors__';
export const GATEWAY = 'websockets:is_gateway';
export const RESOLVER_TYPE = 'graphql:resolver_type';

/** Puts an enhancer first: a filter then runs after all other filters of a class, any other enhancer is the outermost one. */
export function bindFirst(key: string, enhancer: object, target: object): void {
  const bound = (Reflect.getMetadata(key, target) ?? []) as unknown[];
  if (!bound.includes(enhancer)) Reflect.defineMetadata(key, [enhancer, ...bound], target);
}
