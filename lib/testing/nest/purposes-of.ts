import { LOCKED_METADATA } from '../../lock.constants.js';

/** What the holds of a method are for, as the decorators and the interceptor of this library name it. */
export function purposesOf(
  target: { readonly name: string; readonly prototype: unknown },
  method: string,
): string[] {
  const declaring = prototypeWith(target.prototype as object | null, method);
  // By `LockInterceptor` and `@Leader`, which know the class of the object.
  const ofClass = `${target.name}.${method}`;
  if (declaring === null) return [ofClass];
  return [ofClass, ownPurpose(declaring, method) ?? `${declaring.constructor.name}.${method}`];
}

/** Whose method an instance has. */
function prototypeWith(first: object | null, method: string): object | null {
  let prototype = first;
  while (prototype !== null && !Object.hasOwn(prototype, method))
    prototype = Reflect.getPrototypeOf(prototype);
  return prototype;
}

/** The option `purpose` of `@Locked`. */
function ownPurpose(prototype: object, method: string): string | undefined {
  const decorated = Object(Reflect.get(prototype, method)) as object;
  const locked = Reflect.getMetadata(LOCKED_METADATA, decorated) as { readonly options: unknown } | undefined;
  const { purpose } = Object(locked?.options) as { readonly purpose?: string };
  return purpose;
}
