import { describe, expect, it } from 'vitest';
import { Random } from '../world/random.js';
import { decideElection, type Candidate } from './election.js';

const everybody = (): boolean => true;
const random = (): Random => new Random('election');

function candidate(number: number, lastZxid: bigint, more: Partial<Candidate> = {}): Candidate {
  return { number, lastZxid, state: 'looking', acceptedEpoch: 1n, ...more };
}

describe('an election', () => {
  it('makes the server with the longest history the leader, of equal ones that with the highest number', () => {
    const decide = (...zxids: bigint[]) =>
      decideElection(
        zxids.map((zxid, index) => candidate(index + 1, zxid)),
        2,
        everybody,
        random(),
      );
    expect(decide(5n, 7n, 6n)).toMatchObject([{ kind: 'lead', leader: 2, epoch: 2n }]);
    expect(decide(5n, 5n, 5n)).toMatchObject([{ kind: 'lead', leader: 3 }]);
  });

  it('needs a quorum of servers that reach the leader', () => {
    const two = [candidate(1, 5n), candidate(2, 6n)];
    expect(decideElection(two, 2, everybody, random())).toMatchObject([{ leader: 2, followers: [1] }]);
    expect(decideElection(two, 2, () => false, random())).toEqual([]);
    expect(decideElection(two, 3, everybody, random())).toEqual([]);
  });

  it('makes nobody the leader whose supporters have longer histories', () => {
    const reaches = (a: number, b: number): boolean => a + b !== 5;
    const three = [candidate(1, 5n), candidate(2, 6n), candidate(3, 7n)];
    // Servers 2 and 3 do not reach each other.
    expect(decideElection(three, 2, reaches, random())).toMatchObject([{ leader: 3, followers: [1] }]);
  });

  it('lets a server join a leader that it reaches, unless it has accepted a later one', () => {
    const leader = candidate(3, 9n, { state: 'leading', acceptedEpoch: 2n });
    expect(decideElection([leader, candidate(1, 5n)], 2, everybody, random())).toEqual([
      { kind: 'join', leader: 3, follower: 1 },
    ]);
    const later = candidate(1, 5n, { acceptedEpoch: 3n });
    expect(decideElection([leader, later], 2, everybody, random())).toEqual([]);
  });

  it('begins an epoch later than any that its voters have accepted', () => {
    const two = [candidate(1, 5n, { acceptedEpoch: 7n }), candidate(2, 6n)];
    expect(decideElection(two, 2, everybody, random())).toMatchObject([{ leader: 2, epoch: 8n }]);
  });
});
