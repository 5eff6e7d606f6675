const MOST = 5;

/** The items of a list for a message, which a long list would make unreadable. */
export function shortList(items: readonly string[]): string {
  const more = items.length - MOST;
  return more <= 0 ? items.join(', ') : `${items.slice(0, MOST).join(', ')} and ${more} more`;
}
