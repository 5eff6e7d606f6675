import { HttpStatus } from '@nestjs/common';
import type { NodeResponse } from '../callers/http-caller.js';
import type { LockError } from '../locking/errors/lock.error.js';

/**
 * The response of Express or Fastify. In Fastify middleware, this is Node's response: it has `setHeader`, and the adapter of
 * Nest 11 cannot set headers.
 */
export interface HttpResponse extends Partial<NodeResponse> {
  /** Fastify only. */
  readonly raw?: Partial<NodeResponse>;
  setHeader?(name: string, value: string): void;
}

/** How long a client waits before it tries shared work again, ms. */
export const SHARED_WORK_RETRY_MS = 1_000;

/** The answer to a client that shares work that was cancelled because another client has left. */
export const SHARED_WORK = {
  statusCode: HttpStatus.SERVICE_UNAVAILABLE,
  message: 'The work was cancelled. Try again.',
};

/** Undefined if it is the client itself that has left, or the error is another one. */
export function answerOfSharedWork(
  { code }: LockError,
  response: HttpResponse,
): typeof SHARED_WORK | undefined {
  const { destroyed, writableEnded, stream } = response.raw ?? response;
  const hasLeft = destroyed === true || writableEnded === true || stream?.destroyed === true;
  return code === 'LOCK_CALLER_GONE' && !hasLeft ? SHARED_WORK : undefined;
}
