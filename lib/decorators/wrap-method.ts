import 'reflect-metadata';

export type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Returns a method that calls `around` instead of `original`. It is a Proxy, so it keeps the name, the length and the
 * properties of the original, which OpenAPI and the transports read. Existing decorator metadata is copied, and later
 * decorators write theirs to the Proxy, so the order of decorators does not matter.
 */
export function wrapMethod(
  original: Method,
  around: (instance: object | undefined, args: unknown[], proceed: (args: unknown[]) => unknown) => unknown,
): Method {
  const wrapped = new Proxy(original, {
    apply: (target, instance: object | undefined, args: unknown[]) =>
      around(instance, args, (passed) => Reflect.apply(target, instance, passed)),
  });
  for (const key of Reflect.getOwnMetadataKeys(original) as unknown[]) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, original), wrapped);
  }
  return wrapped;
}
