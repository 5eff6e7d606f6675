import { array, assert, nat, property, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import { FrameDecoder, type Frame } from '../../lib/zookeeper/client/frame-decoder.js';

const LIMIT = 4 * 1024 * 1024;
/** Larger than what servers send. */
const LARGEST = 256 * 1024 * 1024;

function framed(payloads: readonly Buffer[]): Buffer {
  return Buffer.concat(
    payloads.flatMap((payload) => {
      const prefix = Buffer.alloc(4);
      prefix.writeInt32BE(payload.length);
      return [prefix, payload];
    }),
  );
}

test('frames are decoded unchanged, however the stream is split', () => {
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
      expect(frames.map(({ bytes }) => bytes)).toEqual(payloads);
    }),
  );
});

test('a reader that stops in the middle of a chunk drops the rest of it', () => {
  const decoder = new FrameDecoder(LIMIT);
  const seen: string[] = [];
  for (const frame of decoder.push(framed([Buffer.from('a'), Buffer.from('b')]))) {
    seen.push(frame.bytes.toString());
    break;
  }
  expect(seen).toEqual(['a']);
});

test('a large frame in small chunks is collected in linear time', () => {
  const payload = Buffer.alloc(LIMIT, 1);
  const stream = framed([payload]);
  const decoder = new FrameDecoder(LIMIT);
  const frames: Frame[] = [];
  // Quadratic copying would copy half a terabyte here.
  for (let offset = 0; offset < stream.length; offset += 16) {
    frames.push(...decoder.push(stream.subarray(offset, offset + 16)));
  }
  expect(frames).toHaveLength(1);
  expect(frames[0]?.bytes.equals(payload)).toBe(true);
});

test('a hundred thousand frames in one chunk do not exhaust the stack', () => {
  const payloads = Array.from({ length: 100_000 }, () => Buffer.from('x'));
  expect([...new FrameDecoder(LIMIT).push(framed(payloads))]).toHaveLength(100_000);
});

test('a frame beyond the limit yields only its header', () => {
  const limit = 100;
  const length = nat({ max: 400 }).filter((bytes) => bytes > 0);
  assert(
    property(array(length, { maxLength: 20 }), nat({ max: 50 }), (lengths, step) => {
      const payloads = lengths.map((bytes, index) => Buffer.alloc(bytes, index + 1));
      const stream = framed(payloads);
      const decoder = new FrameDecoder(limit);
      const frames: Frame[] = [];
      for (let at = 0; at < stream.length; at += step + 1)
        frames.push(...decoder.push(stream.subarray(at, at + step + 1)));
      expect(frames).toEqual(
        payloads.map((payload) => ({
          bytes: payload.length <= limit ? payload : payload.subarray(0, 16),
          size: payload.length,
        })),
      );
    }),
  );
});

test.each([0, -1, -4, LARGEST + 1, 2 ** 31 - 1])(
  'the size %i is refused before anything is collected',
  (size) => {
    const prefix = Buffer.alloc(4);
    prefix.writeInt32BE(size);
    expect(() => [...new FrameDecoder(LIMIT).push(prefix)]).toThrow(
      `Expected a frame of 1 to ${LARGEST} bytes, got ${size}`,
    );
  },
);
