import { describe, expect, test } from 'vitest';
import { FrameLengthError, FrameSplitter } from '../../../lib/testing/wire/frame-splitter.js';
import { ReplyWriter } from '../../../lib/testing/wire/reply-writer.js';
import { MalformedRequestError, RequestReader } from '../../../lib/testing/wire/request-reader.js';

function split(chunks: Iterable<Buffer>, maxFrameBytes = 1_000): string[] {
  const splitter = new FrameSplitter(maxFrameBytes);
  const frames: string[] = [];
  for (const chunk of chunks) {
    splitter.push(chunk);
    for (let frame = splitter.next(); frame; frame = splitter.next()) frames.push(frame.toString());
  }
  return frames;
}

const frame = (text: string): Buffer => new ReplyWriter().string(text).frame().subarray(4);

describe('frames', () => {
  const bytes = Buffer.concat(['one', '', 'three'].map(frame));

  test('are joined from chunks of any size', () => {
    expect(split([bytes])).toEqual(['one', '', 'three']);
    expect(split([...bytes].map((byte) => Buffer.of(byte)))).toEqual(['one', '', 'three']);
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(split([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(['one', '', 'three']);
  });

  test('of the largest length are accepted', () => {
    expect(split([frame('x'.repeat(10))], 10)).toEqual(['x'.repeat(10)]);
  });

  test.for([11, -1, 2 ** 31 - 1])('of length %i are refused before they have arrived', (length) => {
    const prefix = Buffer.alloc(4);
    prefix.writeInt32BE(length);
    expect(() => split([prefix], 10)).toThrow(FrameLengthError);
  });
});

describe('a reply', () => {
  test.for([1, 240, 252, 253, 1_000, 100_000])('holds %i bytes, then more', (length) => {
    const text = 'x'.repeat(length);
    const data = Buffer.alloc(length, 7);
    const reply = new ReplyWriter().int(1).string(text).buffer(data).strings([text, 'y']).long(-2n).frame();
    const reader = new RequestReader(reply);
    expect(reader.int()).toBe(reply.length - 4);
    expect(reader.int()).toBe(1);
    expect(reader.string()).toBe(text);
    expect(reader.buffer()).toEqual(data);
    expect(reader.vector(() => reader.text())).toEqual([text, 'y']);
    expect(reader.long()).toBe(-2n);
    expect(reader.remaining).toBe(0);
  });

  test('distinguishes null from empty', () => {
    const bytes = new ReplyWriter().string(null).string('').buffer(null).buffer(Buffer.alloc(0)).frame();
    const reader = new RequestReader(bytes.subarray(4));
    expect([reader.string(), reader.string(), reader.buffer(), reader.buffer()]).toEqual([
      null,
      '',
      null,
      Buffer.alloc(0),
    ]);
  });

  test('distinguishes a null list from an empty one', () => {
    const reader = new RequestReader(Buffer.from('ffffffff00000000', 'hex'));
    const list = (): string[] | null => reader.vector(() => reader.text());
    expect([list(), list()]).toEqual([null, []]);
  });

  test('encodes each half of a surrogate pair separately, like Java', () => {
    const bytes = new ReplyWriter().string('é東\u{1f512}').frame().subarray(8);
    expect(bytes.toString('hex')).toBe('c3a9e69db1eda0bdedb492');
  });
});

describe('a malformed request', () => {
  test.for<[string, string, (reader: RequestReader) => unknown]>([
    ['ends within a number', '000000', (reader) => reader.int()],
    ['ends within a text', '0000000461', (reader) => reader.string()],
    ['has a negative length', 'fffffffe', (reader) => reader.buffer()],
    ['has null where something is needed', 'ffffffff', (reader) => reader.text()],
    ['has fewer items than it says', '7fffffff00000000', (reader) => reader.vector(() => reader.string())],
  ])('%s', ([, hex, read]) => {
    expect(() => read(new RequestReader(Buffer.from(hex, 'hex')))).toThrow(MalformedRequestError);
  });
});
