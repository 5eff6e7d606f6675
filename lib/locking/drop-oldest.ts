/** Removes the oldest key of a set or a map if it has more than `most`. */
export function dropOldest<Key>(
  collection: Pick<Set<Key>, 'size' | 'delete'> & { keys(): Iterable<Key> },
  most: number,
): void {
  if (collection.size <= most) return;
  for (const oldest of collection.keys()) {
    collection.delete(oldest);
    return;
  }
}
