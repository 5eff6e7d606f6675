import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { NEVER, finalize, type Observable } from 'rxjs';
import { expect, test } from 'vitest';
import { LockModule, LockService, Locked } from '../../lib/index.js';
import { LockTesting, LockTestingModule } from '../../lib/testing/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { eventually } from '../support/eventually.js';
import { uncaughtExceptions } from '../support/uncaught-exceptions.js';

const slip = new Error('a slip in a teardown');

@Injectable()
class Feed {
  @Locked('feed:{0}')
  watch(_name: string, ended: () => void): Observable<never> {
    return NEVER.pipe(finalize(ended));
  }
}

test('a stream whose teardown throws does not hide the loss of a session from the other streams', async () => {
  const module = await Test.createTestingModule({
    imports: [LockModule.forRoot({ sessionTimeout: 20_000 }), LockTestingModule.forRoot()],
    providers: [Feed],
  }).compile();
  endedWithTest({ [Symbol.asyncDispose]: () => module.close() });
  const feed = module.get(Feed);
  const log = new EventRecorder(module.get(LockService));
  const failures: unknown[] = [];
  const error = (loss: unknown) => failures.push(loss);
  const fail = (): never => {
    throw slip;
  };
  feed.watch('careless', fail).subscribe({ error });
  await log.told('acquired');
  feed.watch('careful', () => {}).subscribe({ error });
  await log.told('acquired', 2);

  const caught = await uncaughtExceptions(async () => {
    await module.get(LockTesting).expireSession();
    await eventually(() => expect(log.ofType('lost')).toHaveLength(2));
  });

  expect(failures).toMatchObject([
    { code: 'LOCK_LOST', resource: 'feed:careless', reason: 'session' },
    { code: 'LOCK_LOST', resource: 'feed:careful', reason: 'session' },
  ]);
  expect(caught).toMatchObject([{ errors: [slip] }]);
});
