import { array, assert, nat, property, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import { FrameDecoder } from '../../lib/zookeeper/driver/frame-decoder.js';

const LIMIT = 4 * 1024 * 1024;

function framed(payloads: readonly Buffer[]): Buffer {
  return Buffer.concat(
    payloads.flatMap((payload) => {
      const prefix = Buffer.alloc(4);
      prefix.writeInt32BE(payload.length);
      return [prefix, payload];
    }),
  );
}

test('frames come out as they went in, however the stream is cut', () => {
  const payload = uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes));
  assert(
    property(array(payload, { maxLength: 20 }), array(nat({ max: 1_000 })), (payloads, cuts) => {
      const stream = framed(payloads);
      const decoder = new FrameDecoder(LIMIT);
      const positions = [...new Set([0, ...cuts.map((cut) => Math.min(cut, stream.length)), stream.length])];
      positions.sort((a, b) => a - b);
      const frames = positions.flatMap((start, index) => [
        ...decoder.push(stream.subarray(start, positions[index + 1] ?? stream.length)),
      ]);
      expect(frames).toEqual(payloads);
    }),
  );
});

test('a reader that stops in the middle of a chunk keeps nothing of it', () => {
  const decoder = new FrameDecoder(LIMIT);
  const seen: string[] = [];
  for (const frame of decoder.push(framed([Buffer.from('a'), Buffer.from('b')]))) {
    seen.push(frame.toString());
    break;
  }
  expect(seen).toEqual(['a']);
});

test('a large frame in small chunks is collected in linear time', () => {
  const payload = Buffer.alloc(LIMIT, 1);
  const stream = framed([payload]);
  const decoder = new FrameDecoder(LIMIT);
  const frames: Buffer[] = [];
  // Quadratic copying would move half a terabyte here.
  for (let offset = 0; offset < stream.length; offset += 16) {
    frames.push(...decoder.push(stream.subarray(offset, offset + 16)));
  }
  expect(frames).toHaveLength(1);
  expect(frames[0]?.equals(payload)).toBe(true);
});

test('a hundred thousand frames in one chunk do not exhaust the stack', () => {
  const payloads = Array.from({ length: 100_000 }, () => Buffer.from('x'));
  expect([...new FrameDecoder(LIMIT).push(framed(payloads))]).toHaveLength(100_000);
});

test.each([0, -1, -4, LIMIT + 1, 2 ** 31 - 1])(
  'the size %i is refused before anything is collected',
  (size) => {
    const prefix = Buffer.alloc(4);
    prefix.writeInt32BE(size);
    expect(() => [...new FrameDecoder(LIMIT).push(prefix)]).toThrow(
      `Expected a frame of 1 to ${LIMIT} bytes, got ${size}`,
    );
  },
);
