/**
 * Delta debugging (Zeller's ddmin, by complements): removes as many items as it can while `fails` stays true. The result is
 * 1-minimal: without any one of its items, it would not fail. The order of the items stays.
 *
 * @param isLate if it returns true, the smallest list found so far is the result
 */
export async function ddmin<T>(
  items: readonly T[],
  fails: (items: readonly T[]) => Promise<boolean>,
  isLate: () => boolean = () => false,
): Promise<readonly T[]> {
  let smallest = items;
  let size = items.length;
  while (size > 0) {
    const before = smallest.length;
    // From the end: what comes late often has no part in a failure.
    for (let end = smallest.length; end > 0; end -= size) {
      if (isLate()) return smallest;
      const without = [...smallest.slice(0, Math.max(0, end - size)), ...smallest.slice(end)];
      if (await fails(without)) smallest = without;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (smallest.length === before) size = 0;
  }
  return smallest;
}
