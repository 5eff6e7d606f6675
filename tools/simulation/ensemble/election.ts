import type { Random } from '../world/random.js';

/** A server, as the election sees it. */
export interface Candidate {
  readonly number: number;
  readonly lastZxid: bigint;
  readonly state: 'looking' | 'leading' | 'following';
  /** Of the last leader that it has accepted. */
  readonly acceptedEpoch: bigint;
}

export type Decision =
  | {
      readonly kind: 'lead';
      readonly leader: number;
      readonly epoch: bigint;
      readonly followers: readonly number[];
    }
  | { readonly kind: 'join'; readonly leader: number; readonly follower: number };

/**
 * Who leads, given who reaches whom. The votes themselves are not simulated: clients cannot see them. A quorum of servers
 * without a leader chooses the one with the longest history; later ones join an existing leader.
 *
 * @param reaches whether two servers exchange messages at present
 */
export function decideElection(
  candidates: readonly Candidate[],
  quorum: number,
  reaches: (a: number, b: number) => boolean,
  random: Random,
): readonly Decision[] {
  const looking = candidates.filter(({ state }) => state === 'looking');
  const joins = looking.flatMap((candidate): Decision[] => {
    const leaders = candidates.filter(
      ({ state, number, acceptedEpoch }) =>
        state === 'leading' && acceptedEpoch >= candidate.acceptedEpoch && reaches(number, candidate.number),
    );
    const leader = leaders.sort(byHistory)[0];
    return leader === undefined ? [] : [{ kind: 'join', leader: leader.number, follower: candidate.number }];
  });
  const joining = new Set(joins.map((join) => (join.kind === 'join' ? join.follower : 0)));
  const rest = looking.filter(({ number }) => !joining.has(number)).sort(byHistory);
  for (const [index, leader] of rest.entries()) {
    // Nobody supports a server with a shorter history.
    const supporters = rest.slice(index + 1).filter(({ number }) => reaches(number, leader.number));
    if (supporters.length + 1 < quorum) continue;
    // A vote may come too late: that server joins afterwards.
    const followers = supporters.filter((_, place) => place < quorum - 1 || random.chance(0.8));
    return [
      ...joins,
      {
        kind: 'lead',
        leader: leader.number,
        epoch: highestEpoch([leader, ...supporters]) + 1n,
        followers: followers.map(({ number }) => number),
      },
    ];
  }
  return joins;
}

function byHistory(a: Candidate, b: Candidate): number {
  if (a.lastZxid !== b.lastZxid) return a.lastZxid > b.lastZxid ? -1 : 1;
  return b.number - a.number;
}

function highestEpoch(candidates: readonly Candidate[]): bigint {
  return candidates.reduce(
    (highest, { acceptedEpoch }) => (acceptedEpoch > highest ? acceptedEpoch : highest),
    0n,
  );
}
