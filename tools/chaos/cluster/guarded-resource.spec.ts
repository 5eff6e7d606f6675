import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GuardClient } from '../worker/guard-client.js';
import { GuardedResource } from './guarded-resource.js';

async function open(): Promise<GuardedResource> {
  const directory = await mkdtemp(join(tmpdir(), 'guard-'));
  const guard = await GuardedResource.open(directory);
  onTestFinished(async () => {
    await guard.stop();
    await rm(directory, { recursive: true });
  });
  return guard;
}

test('a guarded resource rejects tokens smaller than the largest it has seen, from every writer', async () => {
  const guard = await open();
  const [one, other] = [new GuardClient(guard.port), new GuardClient(guard.port)];
  const write = (client: GuardClient, resource: string, token: bigint): Promise<boolean> =>
    client.write({ attempt: `p1.1#${token}`, resource, moment: 'first', token });

  const answers = [
    await write(one, 'r', 5n),
    await write(other, 'r', 7n),
    await write(one, 'r', 5n),
    await write(one, 'another', 5n),
    await write(other, 'r', 7n),
  ];
  one.close();
  other.close();

  expect(answers).toEqual([true, true, false, true, true]);
  expect((await guard.history()).map(({ accepted }) => accepted)).toEqual(answers);
});

test('a guarded resource that has exited rejects requests for its history', async () => {
  const guard = await open();
  await guard.stop();

  await expect(guard.history()).rejects.toThrow('The guarded resource exited during the run.');
});
