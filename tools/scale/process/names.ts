import type { ContentionPlan } from './crowd-commands.js';

/** A character with four bytes, and twelve bytes when escaped. */
const WIDE = '\u{1F3AB}';
const ESCAPED_BYTES = 12;

/** The name for attempt number `index` of a plan; names alternate, so that all queues grow evenly. */
export function contendedName(
  { prefix, first = 1, names, nameBytes = 0 }: ContentionPlan,
  index: number,
): string {
  const name = `${prefix}:${String(first + (index % names)).padStart(6, '0')}`;
  return name + WIDE.repeat(Math.max(0, Math.floor((nameBytes - name.length) / ESCAPED_BYTES)));
}
