import { expect, it } from 'vitest';
import { failuresOf } from './run-scenario.js';
import { sessions } from './sessions.js';

it('the connections that thousands of locks need are closed when the locks are released (H61)', async () => {
  expect(await failuresOf(sessions, { names: 4_000, timeout: 4_000, tick: 500 })).toEqual([]);
}, 120_000);
