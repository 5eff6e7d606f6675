import type { ExecutionContext } from '@nestjs/common';
import type { Handler } from './answer-kind.js';

/** The method that handles a request. */
export interface RequestHandler extends Handler {
  readonly name: string;
}

/**
 * The handler of a request, by the name of its property, as Nest knows it: other decorators may have replaced the method by a
 * function with another name.
 */
export function handlerOf(context: ExecutionContext): RequestHandler {
  const type = context.getClass();
  const method = context.getHandler();
  return { type, method, name: propertyOf(type.prototype as object, method) ?? method.name };
}

function propertyOf(prototype: object | null, method: Function): string | undefined {
  if (prototype === null) return undefined;
  const name = Object.getOwnPropertyNames(prototype).find(
    (property) => Object.getOwnPropertyDescriptor(prototype, property)?.value === method,
  );
  return name ?? propertyOf(Reflect.getPrototypeOf(prototype), method);
}
