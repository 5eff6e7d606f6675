import { StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { abandon, isGenerator } from '../locking/stream-result.js';

/** Closes what a result reads from, such as an open file or another response, if nobody will use it. */
export function discardBody(value: unknown): void {
  const body = bodyOf(value);
  if (body instanceof Readable) body.destroy();
  else if (isGenerator(body)) void abandon(body);
  // Somebody else reads a locked one.
  else if (body instanceof ReadableStream && !body.locked) body.cancel().catch(() => {});
}

function bodyOf(value: unknown): unknown {
  if (value instanceof StreamableFile) return value.getStream();
  return value instanceof Response ? value.body : value;
}
