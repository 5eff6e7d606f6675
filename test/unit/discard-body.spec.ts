import { StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { discardBody } from '../../lib/interceptors/discard-body.js';

/** A web stream, and whether it has been cancelled. */
function webStream(): { readonly stream: ReadableStream; readonly isCancelled: () => boolean } {
  let cancelled = false;
  const stream = new ReadableStream({
    cancel: () => {
      cancelled = true;
      throw new Error('nobody hears of it');
    },
  });
  return { stream, isCancelled: () => cancelled };
}

test.for([
  ['a Node stream', (body: Readable) => body],
  ['a file', (body: Readable) => new StreamableFile(body)],
] as const)('%s that nobody sends is destroyed', ([, answer]) => {
  const body = Readable.from(['content']);
  discardBody(answer(body));
  expect(body.destroyed).toBe(true);
});

test.for([
  ['a web stream', (stream: ReadableStream) => stream],
  ['the response of fetch', (stream: ReadableStream) => new Response(stream)],
] as const)('%s that nobody sends is cancelled', ([, answer]) => {
  const { stream, isCancelled } = webStream();
  discardBody(answer(stream));
  expect(isCancelled()).toBe(true);
});

test('a web stream that somebody else reads is left alone, and so is any other value', () => {
  const { stream, isCancelled } = webStream();
  stream.getReader();
  for (const value of [stream, undefined, null, 'text', { body: stream }]) discardBody(value);
  expect(isCancelled()).toBe(false);
});
