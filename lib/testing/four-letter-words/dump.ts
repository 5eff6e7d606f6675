import { hexadecimal, javaDate } from './format.js';
import type { WordContext } from './word-context.js';

/** `dump`: expiry times of sessions and connections, and the ephemeral nodes of each session. */
export function dump(context: WordContext): string {
  const { quorum, silenceEnds } = context.service;
  return [
    'SessionTracker dump:',
    ...expirySets(context, 'Session', quorum.sessionEnds, ({ id }) => hexadecimal(id)),
    'ephemeral nodes dump:',
    ...ephemeralNodes(context),
    'Connections dump:',
    ...expirySets(
      context,
      'Connections',
      silenceEnds,
      ({ remote, session }) => `ip: /${remote} sessionId: ${hexadecimal(session)}`,
    ),
    '',
  ].join('\n');
}

function expirySets<T>(
  { service: { clock } }: WordContext,
  title: string,
  ends: ReadonlyMap<T, number>,
  describe: (item: T) => string,
): string[] {
  const sets = new Map<number, T[]>();
  for (const [item, end] of ends) sets.set(end, [...(sets.get(end) ?? []), item]);
  const origin = clock.wall() - clock.monotonic();
  const inOrder = [...sets].sort(([one], [other]) => one - other);
  return [
    `${title} Sets (${sets.size})/(${ends.size}):`,
    ...inOrder.flatMap(([end, items]) => [
      `${items.length} expire at ${javaDate(origin + end)}:`,
      ...items.map((item) => `\t${describe(item)}`),
    ]),
  ];
}

function ephemeralNodes({ service: { store } }: WordContext): string[] {
  const owners = [...store.tree.ephemeralOwners];
  return [
    `Sessions with Ephemerals (${owners.length}):`,
    ...owners.flatMap((owner) => [
      `${hexadecimal(owner)}:`,
      ...[...store.tree.ephemeralsOf(owner)].map((path) => `\t${path}`),
    ]),
  ];
}
