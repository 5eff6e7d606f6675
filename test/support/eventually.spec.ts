import { expect, test } from 'vitest';
import { eventually } from './eventually.js';
import { freePorts } from './free-port.js';

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

test('two workers never get the same ports', async () => {
  const [one, other] = await Promise.all([freePorts(50, 1), freePorts(50, 2)]);
  expect(Math.max(...one)).toBeLessThan(Math.min(...other));
  expect(process.env['VITEST_POOL_ID']).toMatch(/^[1-9]\d*$/);
});
