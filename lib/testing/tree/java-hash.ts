/** `String.hashCode()` of Java. */
export function javaHash(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}

/** Bucket for this hash in a Java hash table of `size`, a power of two. */
export function bucketOf(hash: number, size: number): number {
  return (hash ^ (hash >>> 16)) & (size - 1);
}
