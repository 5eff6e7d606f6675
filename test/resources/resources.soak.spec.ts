import { afterAll, beforeAll, describe, it } from 'vitest';
import { ResourceCourse } from './resource-course.js';

describe('nothing is left', { timeout: 1_200_000 }, () => {
  let course: ResourceCourse;
  beforeAll(async () => {
    course = await ResourceCourse.start();
  });
  afterAll(() => course[Symbol.asyncDispose]());

  it('of 10,000 contended cycles in two sessions (H14)', ({ task }) =>
    course.contendedCycles(task, { warmUp: 2_000, cycles: 10_000, judgeHeap: true }));

  it('of 10,000 waits that were aborted, in the queue or before their create was answered (H47)', ({
    task,
  }) => course.abortedWaits(task, { warmUp: 2_000, cycles: 10_000, judgeHeap: true }));

  // Connections that end at once are replaced after half a second each: hence fewer of them.
  it('of 300 connections, while the hold and the waiter that used them continue', ({ task }) =>
    course.reconnects(task, { warmUp: 600, cycles: 300, judgeHeap: true }));
});
