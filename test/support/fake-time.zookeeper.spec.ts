import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { eventually } from './eventually.js';
import { FakeTime } from './fake-time.js';

it('removes what libfaketime has left behind in the name of a killed process, whose pid is given away again', async () => {
  await using time = await FakeTime.create();
  const killed = spawn('sleep', ['1000'], { env: { ...process.env, ...time.env } });
  const files = [`/dev/shm/sem.faketime_sem_${killed.pid}`, `/dev/shm/faketime_shm_${killed.pid}`];
  await eventually(() => Promise.all(files.map((file) => access(file, constants.R_OK))), {
    describe: 'the shared objects of libfaketime',
  });
  killed.kill('SIGKILL');
  await once(killed, 'exit');

  await using _ = await FakeTime.create();
  for (const file of files) await expect(access(file)).rejects.toThrow('ENOENT');
});
