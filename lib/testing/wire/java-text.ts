const SURROGATE = /[\ud800-\udfff]/;

/** Encodes text like a real server: UTF-8, but with each half of a surrogate pair encoded separately. */
export function javaBytes(text: string): Buffer {
  if (!SURROGATE.test(text)) return Buffer.from(text, 'utf8');
  return Buffer.concat(Array.from({ length: text.length }, (_, index) => unitBytes(text, index)));
}

function unitBytes(text: string, index: number): Buffer {
  const unit = text.charCodeAt(index);
  if (unit < 0xd800 || unit > 0xdfff) return Buffer.from(text[index]!, 'utf8');
  return Buffer.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
}
