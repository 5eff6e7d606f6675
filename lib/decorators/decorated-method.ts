import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import type { Method } from './wrap-method.js';

/** The method that a decorator was applied to. */
export interface DecoratedMethod {
  readonly target: object;
  readonly propertyKey: string | symbol;
  readonly descriptor: PropertyDescriptor;
  readonly original: Method;
  /** `Class.method`, for messages. */
  readonly name: string;
}

/** A declaration that a decorator was applied to and that is not an instance method. */
interface Misplacement {
  /** The declaration, with an article: `the class Orders`. */
  readonly place: string;
  /** The reason why it cannot be locked, and the fix. */
  readonly fix: string;
}

/** The second argument of a standard decorator. Legacy TypeScript decorators get a target, a name and a descriptor. */
interface StandardContext {
  readonly kind: string;
  readonly name: string | symbol | undefined;
}

const LEGACY_DECORATORS =
  'it was compiled as a standard (TC39) decorator, and Nest needs the legacy ones: set "experimentalDecorators": true ' +
  'and "emitDecoratorMetadata": true in the tsconfig.json that the compiler reads. For SWC these are ' +
  '"jsc.transform.legacyDecorator" and "jsc.transform.decoratorMetadata"';

/**
 * Returns the method that a decorator was applied to. Works with the calling conventions of all compilers.
 *
 * @param args all arguments of the decorator
 * @throws LockConfigurationError if the declaration is not an instance method
 */
export function decoratedMethod(decorator: string, args: readonly unknown[]): DecoratedMethod {
  const found = methodAt(args);
  if (!('place' in found)) return found;
  throw new LockConfigurationError(`${decorator} cannot be used on ${found.place}: ${found.fix}`);
}

/**
 * Rejects a decorator factory that is used without parentheses: the compiler then calls the factory as the decorator.
 *
 * @param args all arguments of the decorator factory
 * @throws LockConfigurationError if they are the arguments of a decorator
 */
export function assertParentheses(decorator: string, args: readonly unknown[]): void {
  if (!isDecoratorCall(args)) return;
  const found = methodAt(args);
  if ('place' in found) {
    throw new LockConfigurationError(
      `${decorator} was used without parentheses on ${found.place}, where it cannot be used at all: ${found.fix}`,
    );
  }
  throw new LockConfigurationError(
    `${decorator} was used without parentheses on ${found.name}: it needs a name to lock. ` +
      `Write ${decorator}('${String(found.propertyKey)}'), or another name`,
  );
}

/** A factory gets a string or a function, and options. A decorator gets an object or a class, and the declaration. */
function isDecoratorCall(args: readonly unknown[]): boolean {
  const [first, second, third] = args;
  if (standardContext(second) !== undefined) return true;
  if (args.length < 3) return isClass(first) && second === undefined;
  const isMember = typeof second === 'string' || typeof second === 'symbol';
  if (second === undefined) return isClass(first) && typeof third === 'number';
  const isTarget = (typeof first === 'object' && first !== null) || typeof first === 'function';
  return isTarget && isMember;
}

function methodAt(args: readonly unknown[]): DecoratedMethod | Misplacement {
  const [target, propertyKey, third] = args;
  const context = standardContext(propertyKey);
  if (context !== undefined) return { place: placeOf(context, target), fix: LEGACY_DECORATORS };
  if (propertyKey === undefined) return onClass(target as Function, third);

  const name = memberName(target as object, propertyKey as string | symbol);
  if (typeof third === 'number') return onParameter(third, name);
  if (typeof target === 'function') {
    return {
      place: `the static method ${name}`,
      fix: 'Nest injects only into instances. Make it an instance method of a provider',
    };
  }
  const descriptor = third as PropertyDescriptor | undefined;
  if (descriptor?.get !== undefined || descriptor?.set !== undefined) {
    return {
      place: `the accessor ${name}`,
      fix: 'a property cannot wait for a lock. Make it an async method',
    };
  }
  const original: unknown = descriptor?.value;
  if (typeof original !== 'function') return onProperty(name, original);
  return { target, propertyKey, descriptor, original, name } as DecoratedMethod;
}

function onClass(target: Function, third: unknown): Misplacement {
  if (typeof third === 'number') return onParameter(third, `the constructor of ${target.name}`);
  return {
    place: `the class ${target.name}`,
    fix: 'it locks methods. Put it on each method that needs the lock',
  };
}

function onParameter(index: number, of: string): Misplacement {
  return { place: `parameter ${index} of ${of}`, fix: 'it locks methods. Put it above the method' };
}

function onProperty(name: string, value: unknown): Misplacement {
  const what = value === undefined ? '' : `, which is ${describeValue(value)}`;
  return {
    place: `the property ${name}${what}`,
    fix:
      'it locks methods, and a function in a property belongs to one object, which does not exist yet. Make it a method, ' +
      'as in `async pay() {}` instead of `pay = async () => {}`',
  };
}

function placeOf({ kind, name }: StandardContext, decorated: unknown): string {
  const className = kind === 'class' && typeof decorated === 'function' ? decorated.name : undefined;
  return `the ${kind} ${className ?? String(name)}`;
}

function memberName(target: object, propertyKey: string | symbol): string {
  const { name } = typeof target === 'function' ? target : target.constructor;
  return `${name}.${String(propertyKey)}`;
}

function standardContext(value: unknown): StandardContext | undefined {
  const { kind, addInitializer } = Object(value) as { kind?: unknown; addInitializer?: unknown };
  return typeof kind === 'string' && typeof addInitializer === 'function'
    ? (value as StandardContext)
    : undefined;
}

/** The `prototype` of a class is read-only, unlike that of a function. */
function isClass(value: unknown): boolean {
  return (
    typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false
  );
}
