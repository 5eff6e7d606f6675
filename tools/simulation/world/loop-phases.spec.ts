import { expect, it } from 'vitest';
import { LoopPhases } from './loop-phases.js';

/** Phases with a timer that is due at 100, two sockets and an immediate. */
function phases() {
  const order: string[] = [];
  const note = (text: string) => (): void => void order.push(text);
  const loop = new LoopPhases();
  loop.timers.push({ due: 100, number: 0, callback: note('timer'), cancelled: false });
  loop.addTask(note('socket'));
  loop.addTask(() => {
    order.push('socket');
    loop.addTask(note('new socket'));
    loop.addImmediate(note('new immediate'));
  });
  loop.addImmediate(note('immediate'));
  const runAll = (now: number): string[] => {
    for (let callback = loop.take(now); callback !== undefined; callback = loop.take(now)) callback();
    return order;
  };
  return { loop, runAll };
}

it('a thread that was woken up serves the sockets first', () => {
  const { loop, runAll } = phases();
  loop.wokenUp();
  expect(runAll(100)).toEqual(['socket', 'socket', 'immediate', 'new immediate', 'timer', 'new socket']);
});

it('a thread that did not sleep comes to its timers first', () => {
  const { loop, runAll } = phases();
  expect(loop.readyAt(50)).toBe(50);
  expect(runAll(100)).toEqual(['timer', 'socket', 'socket', 'immediate', 'new immediate', 'new socket']);
});

it('a thread with nothing to do is ready when its first timer is due', () => {
  const { loop, runAll } = phases();
  runAll(50);
  expect(loop.readyAt(50)).toBe(100);
  expect(loop.take(99.9)).toBeUndefined();
  runAll(100);
  expect(loop.readyAt(100)).toBeUndefined();
});
