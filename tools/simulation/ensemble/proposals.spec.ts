import { expect, it } from 'vitest';
import { Proposals } from './proposals.js';

const ORIGIN = { server: 1, request: 1, session: undefined };

function proposals(quorum = 2) {
  const committed: bigint[] = [];
  return { committed, proposals: new Proposals(quorum, (zxid) => committed.push(zxid)) };
}

it('a proposal is committed when a quorum has it on disk', () => {
  const { proposals: pending, committed } = proposals();
  pending.add(1n, ORIGIN);
  pending.acknowledged(1, 1n);
  pending.acknowledged(1, 1n);
  expect(committed).toEqual([]);
  pending.acknowledged(3, 1n);
  expect(committed).toEqual([1n]);
});

it('an acknowledgement counts for everything before it', () => {
  const { proposals: pending, committed } = proposals();
  for (const zxid of [1n, 2n, 3n]) pending.add(zxid, ORIGIN);
  pending.acknowledged(1, 3n);
  pending.acknowledged(2, 2n);
  expect(committed).toEqual([2n]);
  pending.acknowledged(3, 1n);
  expect(committed).toEqual([2n]);
});

it('a server that has joined again counts only with what it acknowledges then', () => {
  const { proposals: pending, committed } = proposals(3);
  pending.add(1n, ORIGIN);
  pending.acknowledged(1, 1n);
  pending.acknowledged(2, 1n);
  pending.joined(2);
  pending.acknowledged(3, 1n);
  expect(committed).toEqual([]);
  pending.acknowledged(2, 1n);
  expect(committed).toEqual([1n]);
});

it('a sync waits for what was proposed before it', () => {
  const { proposals: pending } = proposals();
  const done: string[] = [];
  pending.whenCommitted(() => done.push('at once'));
  pending.add(1n, ORIGIN);
  pending.whenCommitted(() => done.push('after 1'));
  pending.add(2n, ORIGIN);
  expect(done).toEqual(['at once']);
  for (const server of [1, 2]) pending.acknowledged(server, 1n);
  expect(done).toEqual(['at once', 'after 1']);
});
