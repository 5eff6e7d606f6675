import { StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { isGenerator } from '../locking/stream-result.js';

/** Closes what a response body reads from, such as an open file, if nobody will send the body. */
export function discardBody(value: unknown): void {
  const body: unknown = value instanceof StreamableFile ? value.getStream() : value;
  if (body instanceof Readable) body.destroy();
  // Nobody is there any more to be told of an error.
  else if (isGenerator(body)) body.return(undefined).catch(() => {});
}
