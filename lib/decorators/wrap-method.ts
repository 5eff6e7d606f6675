import 'reflect-metadata';

export type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * A method that calls `around` instead of `original`. A proxy, so that its name, length and properties stay those of the
 * original (OpenAPI and the transports read them); decorator metadata that is there already is copied, later
 * decorators write theirs on the proxy: the order of decorators does not matter.
 */
export function wrapMethod(
  original: Method,
  around: (instance: object | undefined, args: unknown[], proceed: () => unknown) => unknown,
): Method {
  const wrapped = new Proxy(original, {
    apply: (target, instance: object | undefined, args: unknown[]) =>
      around(instance, args, () => Reflect.apply(target, instance, args)),
  });
  for (const key of Reflect.getOwnMetadataKeys(original) as unknown[]) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, original), wrapped);
  }
  return wrapped;
}
