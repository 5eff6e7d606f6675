import { beforeEach, describe, expect, test } from 'vitest';
import { NodeRelease } from '../../lib/zookeeper/recipe/node-release.js';
import { watched } from './manager-harness.js';
import { SessionUnderTest } from './session-harness.js';

let subject: SessionUnderTest;
/** Sends the request of the release. */
let leave: () => void;
/** The servers refuse it again and again. */
let refuse: () => void;
/** The contender is certainly gone. */
let free: (kept: boolean) => void;
let release: NodeRelease;

function begin(): void {
  release = new NodeRelease(
    subject.session,
    (progress) =>
      new Promise((resolve) => {
        leave = progress.sent;
        refuse = progress.refused;
        free = resolve;
      }),
  );
}

beforeEach(async () => {
  subject = new SessionUnderTest();
  await subject.attach();
  begin();
});

test('is sent when its request has been sent, and confirmed by the reply', async () => {
  const [sent, confirmed] = [watched(release.sent), watched(release.confirmed)];
  expect([await sent(), await confirmed()]).toEqual([false, false]);
  leave();
  expect([await sent(), await confirmed()]).toEqual([true, false]);
  free(true);
  expect(await confirmed()).toBe(true);
});

test('is not waited for any longer if the servers refuse it, but is not free', async () => {
  const [before, freed] = [watched(release.confirmed), watched(release.freed)];
  refuse();
  expect([await before(), await watched(release.confirmed)(), await freed()]).toEqual([true, true, false]);
});

test.for([true, false])('resolves with the value of the reply: %s', async (kept) => {
  free(kept);
  await expect(release.confirmed).resolves.toBe(kept);
  await expect(release.freed).resolves.toBe(kept);
  await expect(release.sent).resolves.toBeUndefined();
});

describe('stops waiting for replies', () => {
  test.for([
    ['when the connection is lost', () => subject.disconnect()],
    ['when the session ends', () => subject.session.ended('expired')],
  ] as const)('%s; the lock becomes free later', async ([, lose]) => {
    const [sent, confirmed, freed] = [release.sent, release.confirmed, release.freed].map(watched);
    lose();
    expect([await sent!(), await confirmed!(), await freed!()]).toEqual([true, true, false]);
    await expect(release.confirmed).resolves.toBe(true);
    free(false);
    await expect(release.freed).resolves.toBe(false);
  });

  test('immediately, if there was no connection at the start', async () => {
    subject.disconnect();
    begin();
    await expect(release.sent).resolves.toBeUndefined();
    await expect(release.confirmed).resolves.toBe(true);
  });

  test('also while there is only a handshake: servers that commit nothing accept those, too', async () => {
    subject.disconnect();
    subject.connect();
    begin();
    await expect(release.confirmed).resolves.toBe(true);
  });

  test('but waits again after a reconnection', async () => {
    subject.disconnect();
    begin();
    await subject.attach();
    const confirmed = watched(release.confirmed);
    expect(await confirmed()).toBe(false);
    free(true);
    expect(await confirmed()).toBe(true);
  });
});

test('stops observing the session when the lock is free', async () => {
  let observers = 0;
  const observe = subject.session.observe.bind(subject.session);
  subject.session.observe = (observer) => {
    observers += 1;
    const stop = observe(observer);
    return () => {
      observers -= 1;
      stop();
    };
  };
  void release.confirmed;
  void release.sent;
  expect(observers).toBe(2);
  free(true);
  await release.freed;
  await Promise.resolve();
  expect(observers).toBe(0);
});
