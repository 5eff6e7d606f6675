/** `String.hashCode()` of Java. */
export function javaHash(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}

/** Where Java's hash tables of `size` (a power of two) keep something with this hash. */
export function bucketOf(hash: number, size: number): number {
  return (hash ^ (hash >>> 16)) & (size - 1);
}
