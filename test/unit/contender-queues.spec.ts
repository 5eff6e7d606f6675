import { expect, test } from 'vitest';
import { ContenderQueues } from '../../lib/zookeeper/recipe/contender-queues.js';

const A = '_c_f0000000-0000-4000-8000-000000000000-lock-0000000001';
const B = '_c_a0000000-0000-4000-8000-000000000000-lock-0000000002';

test('a shared list is parsed once', () => {
  const queues = new ContenderQueues(() => {});
  const list = [A, B];
  expect(queues.of('/locks/a', list)).toBe(queues.of('/locks/a', list));
  expect(queues.of('/locks/a', [A, B])).not.toBe(queues.of('/locks/a', list));
});

test('warns once, with path and name, of a child that is not a lock node (H22)', () => {
  const warnings: string[] = [];
  const queues = new ContenderQueues((message) => warnings.push(message));
  queues.of('/locks/a', [A, B]);
  expect(warnings).toEqual([]);
  queues.of('/locks/a', [A, '0-meta']);
  queues.of('/locks/b', ['1-meta']);
  expect(warnings).toEqual([expect.stringContaining("/locks/a contains '0-meta', which is not a lock node")]);
});
