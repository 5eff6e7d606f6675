import { expect, it } from 'vitest';
import type { Leadership, LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { useLockReplicas } from '../fixtures/lock-replicas.js';

const { replica, deleteContender, contenders, hasWaiters } = useLockReplicas();

/** A candidate, and all that it has been told. */
function candidate(locks: LockService) {
  const states: Leadership[] = [];
  const subscription = locks.lead('mail').subscribe((state) => states.push(state));
  const leads = (): boolean => states.at(-1)?.leader === true;
  return {
    states,
    subscription,
    leads,
    becomesLeader: () => eventually(leads, { describe: `${locks.owner} to lead` }),
  };
}

it('one of two replicas leads, and the other one knows who', async () => {
  const [here, there] = [await replica({ owner: 'here' }), await replica({ owner: 'there' })];
  const first = candidate(here);
  await first.becomesLeader();
  const second = candidate(there);
  await eventually(() => second.states.length === 2);
  expect(second.states).toEqual([
    { leader: false, owner: undefined },
    { leader: false, owner: 'here' },
  ]);
  first.subscription.unsubscribe();
  await second.becomesLeader();
});

it('a leader that closes is followed by the other one', async () => {
  const [here, there] = [await replica(), await replica()];
  const first = candidate(here);
  await first.becomesLeader();
  const second = candidate(there);
  await hasWaiters(here, 'mail', 1);
  await here.close();
  await second.becomesLeader();
  expect(first.leads()).toBe(false);
});

it('a leader that is lost knows it, and queues behind the next one, which has a larger token', async () => {
  const [here, there] = [await replica(), await replica()];
  const first = candidate(here);
  await first.becomesLeader();
  const second = candidate(there);
  await hasWaiters(here, 'mail', 1);
  await eventually(async () => (await contenders('mail')).length === 2);
  const [oldest] = (await contenders('mail')).toSorted((a, b) => a.slice(-10).localeCompare(b.slice(-10)));
  await deleteContender('mail', oldest!);
  await second.becomesLeader();
  await hasWaiters(there, 'mail', 1);
  expect(first.leads()).toBe(false);
  const [before, now] = [first, second].map(({ states }) => states.findLast((state) => state.leader));
  expect(now!.leader && before!.leader && now!.fencingToken > before!.fencingToken).toBe(true);
});
