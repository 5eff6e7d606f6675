import { createHook } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { KeepAlive } from '../../lib/locking/keep-alive.js';

/** Node sets the flag when the timer has ended. */
type TimerState = NodeJS.Timeout & { readonly _destroyed: boolean };

/** The timers that `use` starts. */
async function timersOf(use: () => Promise<unknown>): Promise<TimerState[]> {
  const timers: TimerState[] = [];
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'Timeout') timers.push(resource as TimerState);
    },
  }).enable();
  try {
    await use();
  } finally {
    hook.disable();
  }
  return timers;
}

test('one timer keeps the process alive during all calls, and not between them', async () => {
  const keepAlive = new KeepAlive();
  const states: boolean[] = [];
  const timers = await timersOf(async () => {
    for (let call = 0; call < 3; call += 1) await keepAlive.during(async () => {});
  });
  await keepAlive.during(async () => void states.push(timers[0]!.hasRef()));
  states.push(timers[0]!.hasRef());
  expect(timers).toHaveLength(1);
  expect(states).toEqual([true, false]);
});

test('no timer is left after the end, nor by the calls that follow', async () => {
  const keepAlive = new KeepAlive();
  const timers = await timersOf(async () => {
    await keepAlive.during(async () => keepAlive.end());
    await keepAlive.during(async () => {});
  });
  expect(timers.map(({ _destroyed }) => _destroyed)).toEqual([true, true]);
});

test('a call that goes on after the end keeps the process alive', async () => {
  const keepAlive = new KeepAlive();
  let finish = (): void => {};
  let call: Promise<void> | undefined;
  const [timer] = await timersOf(async () => {
    call = keepAlive.during(() => new Promise((resolve) => (finish = resolve)));
  });
  keepAlive.end();
  expect(timer!.hasRef()).toBe(true);
  finish();
  await call;
  expect(timer!._destroyed).toBe(true);
});
