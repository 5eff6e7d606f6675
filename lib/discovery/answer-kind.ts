import 'reflect-metadata';
import type { AnswerKind } from '../execution/locked-call.js';
import { RESOLVER_TYPE } from './enhancer-metadata.js';

/** Metadata keys of Nest 11 and 12, which have no common place to import them from. */
const PATH = 'path';
const SSE = '__sse__';
const PARAMETERS = '__routeArguments__';
const PASSTHROUGH = '__responsePassthrough__';
const MICROSERVICE_TRANSPORT = 'microservices:transport';
const MICROSERVICE_HANDLER = 'microservices:handler_type';

/** Of `Transport` and `PatternHandler` of @nestjs/microservices. */
const GRPC = 4;
const EVENT = 2;

/** Beginnings of the keys of parameters with `@Res()` and `@Next()`. Those of custom decorators begin with a name. */
const OWN_ANSWER = /^[12]:/;

/** A method of a class and its name, by which Nest keeps the metadata of its parameters. */
export interface Handler {
  readonly type: Function;
  readonly name: string | symbol;
  readonly method: object;
}

/** Undefined if a handler need not give an answer, or the method is none. */
export function answerKindOf({ type, name, method }: Handler): AnswerKind | undefined {
  if (Reflect.getMetadata(RESOLVER_TYPE, method) === 'Subscription') return 'subscription';
  if (Reflect.getMetadata(MICROSERVICE_TRANSPORT, method) === GRPC) return 'own';
  // One that emits nothing would end the other handlers of the event.
  if (Reflect.getMetadata(MICROSERVICE_HANDLER, method) === EVENT) return 'value';
  if (!Reflect.hasMetadata(PATH, method)) return undefined;
  if (Reflect.hasMetadata(SSE, method)) return 'events';
  const parameters = Object.keys((Reflect.getMetadata(PARAMETERS, type, name) ?? {}) as object);
  const answersItself = parameters.some((key) => OWN_ANSWER.test(key));
  return answersItself && Reflect.getMetadata(PASSTHROUGH, type, name) !== true ? 'own' : 'value';
}
