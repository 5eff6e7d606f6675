import { afterAll, beforeAll, describe, it } from 'vitest';
import { ResourceCourse } from './resource-course.js';

describe('nothing is left', () => {
  let course: ResourceCourse;
  beforeAll(async () => {
    course = await ResourceCourse.start();
  });
  afterAll(() => course[Symbol.asyncDispose]());

  it('of contended cycles in two sessions (H14)', ({ task }) =>
    course.contendedCycles(task, { warmUp: 100, cycles: 200 }));

  it('of waits that were aborted, in the queue or before their create was answered (H47)', ({ task }) =>
    course.abortedWaits(task, { warmUp: 100, cycles: 200 }));

  // Connections that end at once are replaced after half a second each: hence fewer of them.
  it('of connections, while the hold and the waiter that used them continue', ({ task }) =>
    course.reconnects(task, { warmUp: 3, cycles: 7 }));
});
