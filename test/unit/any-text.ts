import * as fc from 'fast-check';

const isSurrogate = (point: number) => point >= 0xd800 && point <= 0xdfff;

/** Any code point except lone surrogates; about half of them from the basic plane. */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x10ffff }))
  .filter((point) => !isSurrogate(point))
  .map((point) => String.fromCodePoint(point));

/** Well-formed text of any characters: fast-check's own `binary` strings take a second to set up. */
export function anyText(maxLength = 20): fc.Arbitrary<string> {
  return fc.string({ unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), character), maxLength });
}
