import { expect, test } from 'vitest';
import { eventually } from './eventually.js';
import { freePorts } from './free-port.js';
import { MAX_WORKERS } from './max-workers.js';

test('resolves with the value as soon as it is truthy', async () => {
  let calls = 0;
  expect(await eventually(() => (++calls === 3 ? 'three' : false))).toBe('three');
});

test('resolves when the assertions no longer throw', async () => {
  let calls = 0;
  await eventually(async () => expect(++calls).toBe(3));
  expect(calls).toBe(3);
});

test('rejects with the description and the last failure', async () => {
  const never = eventually<boolean>(() => false, { timeoutMs: 50, describe: 'a wonder' });
  await expect(never).rejects.toThrow('Waited 50 ms for a wonder: the last value was false');
  const failure = new Error('still broken');
  const throwing = eventually(() => Promise.reject(failure), { timeoutMs: 50 });
  await expect(throwing).rejects.toMatchObject({
    message: expect.stringContaining('still broken'),
    cause: failure,
  });
});

test('free ports are different, and outside the range of outgoing connections', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) expect(port).toBeLessThan(32_768);
});

test('workers that run at the same time never get the same ports', async () => {
  const workers = Array.from({ length: MAX_WORKERS }, (_, index) => index + 1);
  const ports = await Promise.all(workers.map((worker) => freePorts(20, worker)));
  const ranges = ports.map((range) => [Math.min(...range), Math.max(...range)] as const);
  ranges.sort(([a], [b]) => a - b);
  for (const [index, [lowest]] of ranges.entries())
    expect(lowest).toBeGreaterThan(ranges[index - 1]?.[1] ?? 0);
  expect(process.env['VITEST_POOL_ID']).toMatch(/^[1-9]\d*$/);
});
