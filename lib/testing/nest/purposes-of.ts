import { INTERCEPTORS } from '../../discovery/enhancer-metadata.js';
import { LOCKED_METADATA } from '../../lock.constants.js';

type AbstractClass = Function & { readonly prototype: unknown };

/** What the holds of a method are for, as the decorators and the interceptor of this library name it. */
export function purposesOf(target: AbstractClass, method: string): string[] {
  const methods = [...declarationsOf(target.prototype as object | null, method)];
  const interceptors = [target, ...methods.slice(0, 1).map(({ declared }) => declared)].flatMap(
    (bound) => (Reflect.getMetadata(INTERCEPTORS, bound) ?? []) as object[],
  );
  return [
    // By `LockInterceptor` and `@Leader`, which know the class of the object.
    `${target.name}.${method}`,
    ...interceptors.flatMap((interceptor) => purposeOf(classOf(interceptor)) ?? []),
    ...methods.map(({ type, declared }) => purposeOf(declared) ?? `${type.name}.${method}`),
  ];
}

/** The method of an instance and those that it overrides, up to one with `@Locked`: it may be called with `super`. */
function* declarationsOf(
  first: object | null,
  method: string,
): Generator<{ type: Function; declared: object }> {
  for (let prototype = first; prototype !== null; prototype = Reflect.getPrototypeOf(prototype)) {
    if (!Object.hasOwn(prototype, method)) continue;
    const declared = Object(Reflect.get(prototype, method)) as object;
    yield { type: prototype.constructor, declared };
    if (Reflect.hasMetadata(LOCKED_METADATA, declared)) return;
  }
}

/** The option `purpose` of a method with `@Locked`, or of a class that `LockInterceptor` returned. */
function purposeOf(locked: object): string | undefined {
  const metadata = Reflect.getMetadata(LOCKED_METADATA, locked) as { readonly options: unknown } | undefined;
  const { purpose } = Object(metadata?.options) as { readonly purpose?: string };
  return purpose;
}

function classOf(interceptor: object): Function {
  return typeof interceptor === 'function' ? interceptor : interceptor.constructor;
}
