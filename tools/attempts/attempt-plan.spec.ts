import { expect, it } from 'vitest';
import { nestedPlanOf, type AttemptPlan, type NestedPlan } from './attempt-plan.js';
import { simpleResource } from './simple-resources.js';

const CALL = { verb: 'withLock', hold: 10, heedsSignal: false, ending: 'release' } as const;
const NESTED: NestedPlan = { ...CALL, outlives: false };

function outer(plan: Partial<AttemptPlan>): AttemptPlan {
  return { ...CALL, pause: 5, resource: 'r', namedBy: 'both', staleAfter: 7, ...plan };
}

it('nests a call in that around it for the same lock, with the terms of that one', () => {
  const reader = outer({ resource: 's', mode: 'read', namedBy: 'owner' });
  const closed = outer({ also: ['t'], failure: 'closed', ownedBy: 'process' });
  const semaphore = outer({ mode: 'semaphore', permits: 3 });
  const planOf = (outers: [AttemptPlan, ...AttemptPlan[]], nested: Partial<NestedPlan>): unknown =>
    nestedPlanOf(outers, { ...NESTED, ...nested });

  expect(planOf([reader, closed], {})).toMatchObject({ resource: 's', mode: 'read', reentrant: true });
  expect(planOf([reader, closed], { resource: 't' })).toMatchObject({
    resource: 't',
    failure: 'closed',
    ownedBy: 'process',
    namedBy: 'owner',
    pause: 0,
  });
  expect(planOf([reader, semaphore], { resource: 'r' })).toMatchObject({ mode: 'semaphore', permits: 3 });
});

it('asks for another lock with terms of its own', () => {
  const closed = outer({ failure: 'closed', ownedBy: 'process', mode: 'write' });
  const simple = simpleResource('s');

  const plan = nestedPlanOf([closed], { ...NESTED, resource: 't', mode: 'read' });
  expect(plan).toMatchObject({ resource: 't', mode: 'read' });
  expect(plan.failure).toBeUndefined();
  expect(nestedPlanOf([closed], { ...NESTED, resource: simple, mode: 'read' })).toMatchObject({
    resource: simple,
    mode: undefined,
    fair: false,
  });
});
