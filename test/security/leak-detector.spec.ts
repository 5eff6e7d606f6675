import { describe, expect, test } from 'vitest';
import { Witness } from './leak-detector.js';

describe('the witness finds a secret that is', () => {
  const secret = 'hunter2';
  test.each<[how: string, value: unknown]>([
    ['in a message', new Error(`wrong: ${secret}`)],
    ['in the cause of a cause', new Error('a', { cause: new Error('b', { cause: new Error(secret) }) })],
    ['a hidden field', Object.defineProperty(new Error('a'), 'options', { value: { secret } })],
    ['a buffer in a field', { options: [{ credential: Buffer.from(secret) }] }],
    ['base64', Buffer.from(secret).toString('base64')],
    ['serialised', { toJSON: () => ({ data: Buffer.from(secret) }) }],
  ])('%s', (_how, value) => {
    const witness = new Witness();
    witness.keep('password', secret);
    witness.keep('another', 'hunter3');
    witness.hear(value);
    expect(witness.found).toEqual(['password']);
  });
});
