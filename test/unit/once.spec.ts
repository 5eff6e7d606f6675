import { expect, test } from 'vitest';
import { Once } from '../../lib/locking/once.js';

test('work that asks for itself, before it has returned, is done once, and everybody gets its outcome', async () => {
  let runs = 0;
  const inner: Promise<void>[] = [];
  const once: Once = new Once(async () => {
    runs += 1;
    inner.push(once.run());
    throw new Error('no');
  });
  const outer = once.run();
  expect(inner[0]).toBe(outer);
  expect(once.run()).toBe(outer);
  await expect(outer).rejects.toThrow('no');
  expect(runs).toBe(1);
});
