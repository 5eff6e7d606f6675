import { expect, test } from 'vitest';
import { Program } from '../fixtures/program.js';

test('a module under test in manual time closes to its end, also where nothing else keeps the process alive', async () => {
  const program = Program.start('manual-shutdown', {});
  const { code } = await program.ended;
  expect([code, program.output.trim()]).toEqual([0, 'closed']);
});
