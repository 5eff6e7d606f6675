import { describe, expect, test } from 'vitest';
import { LeakDetector } from './leak-detector.js';

describe('the detector finds a secret that is', () => {
  const secret = 'hunter2';
  test.each<[how: string, value: unknown]>([
    ['in a message', new Error(`wrong: ${secret}`)],
    ['in the cause of a cause', new Error('a', { cause: new Error('b', { cause: new Error(secret) }) })],
    ['a hidden field', Object.defineProperty(new Error('a'), 'options', { value: { secret } })],
    ['a buffer in a field', { options: [{ credential: Buffer.from(secret) }] }],
    ['base64', Buffer.from(secret).toString('base64')],
    ['serialised', { toJSON: () => ({ data: Buffer.from(secret) }) }],
  ])('%s', (_how, value) => {
    const detector = new LeakDetector();
    detector.addSecret('password', secret);
    detector.addSecret('another', 'hunter3');
    detector.record(value);
    expect(detector.found).toEqual(['password']);
  });
});
