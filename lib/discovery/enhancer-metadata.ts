import 'reflect-metadata';

/** Metadata keys of Nest 11 and 12, which have no common place to import them from. */
export const FILTERS = '__exceptionFilters__';
export const INTERCEPTORS = '__interceptors__';
export const GATEWAY = 'websockets:is_gateway';

/** The first filter is asked last, so that all others of a class come before it; all else that is first is outermost. */
export function bindFirst(key: string, enhancer: object, target: object): void {
  const bound = (Reflect.getMetadata(key, target) ?? []) as unknown[];
  if (!bound.includes(enhancer)) Reflect.defineMetadata(key, [enhancer, ...bound], target);
}
