import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LockBusyError } from '../../lib/index.js';
import { HostileStage } from './hostile-stage.js';

const MB = 1024 * 1024;
const OWNER = { owner: 'web-1', host: 'h', pid: 17, since: '2026-11-21T12:00:00.000Z' };
const CONTENDER = '_c_0e8b2b1c-3f1d-4a56-9c0e-7d9f3c1b2a45-lock-';

const json = (record: object): string => JSON.stringify(record);
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Data of a contender, and the record that is read from it. */
const DATA: [what: string, data: string | Buffer, record?: object][] = [
  ['none', ''],
  ['1 MB of zeros', Buffer.alloc(MB)],
  ['10 MB of zeros', Buffer.alloc(10 * MB)],
  ['a record of 10 MB', json({ ...OWNER, purpose: 'x'.repeat(10 * MB) })],
  ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0xc0, 0x80])],
  [
    'invalid UTF-8 in a name',
    Buffer.concat([Buffer.from('{"owner":"'), Buffer.from([0xff]), Buffer.from('"}')]),
  ],
  ['deep lists', nested(400_000)],
  ['a record with deep lists', json({ ...OWNER }).replace('}', `,"more":${nested(400_000)}}`), OWNER],
  ['a record with fields of a later version', json({ ...OWNER, mode: 'read', version: 2 }), OWNER],
  ['a record with a prototype', json(OWNER).replace('}', ',"__proto__":{"isHeld":true}}'), OWNER],
  ['a record with a constructor', json({ ...OWNER, constructor: { prototype: { polluted: true } } }), OWNER],
  ['a prototype that is a record', `{"__proto__":${json(OWNER)}}`],
  ['an owner of 1 MB', json({ ...OWNER, owner: 'x'.repeat(MB) })],
  ['a time of 1 MB', json({ ...OWNER, since: '9'.repeat(MB) })],
  ['a purpose that is an object', json({ ...OWNER, purpose: { toString: 'x' } })],
  ['an infinite pid', json(OWNER).replace('17', '1e999')],
  ['a list of records', json([OWNER])],
  ['a revocation request', '__REVOKE__'],
];

describe('behind a contender with hostile data:', () => {
  let stage: HostileStage;
  let resources = 0;
  beforeAll(async () => {
    stage = await HostileStage.start();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it.each(DATA)(
    '%s, the lock is not granted before that contender is deleted',
    async (_what, data, record) => {
      const { locks, events } = stage;
      const resource = `data:${(resources += 1)}`;
      const path = await stage.plant(resource, CONTENDER, 'ephemeral-sequential', Buffer.from(data));

      const busy: unknown = await locks.lock(resource, { wait: 0 }).catch((error: unknown) => error);
      expect(busy).toBeInstanceOf(LockBusyError);
      expect((busy as Error).message.length).toBeLessThan(2_000);
      expect(await locks.tryLock(resource)).toBeNull();

      const { holder, waiters } = await locks.inspect(resource);
      expect(holder).toStrictEqual({ owner: record, fencingToken: expect.any(BigInt), mode: 'exclusive' });
      expect(waiters).toEqual([]);
      expect(Object.getPrototypeOf(holder?.owner ?? {})).toBe(Object.prototype);

      const before = events.ofType('waiting').length;
      const waiting = locks.lock(resource);
      await events.told('waiting', before + 1);
      await stage.intruder.delete(path);
      const held = await waiting;
      expect(held.fencingToken).toBeGreaterThan(holder!.fencingToken!);
      expect(await held.release()).toBe(true);
      expect(events.ofType('suspended')).toEqual([]);
    },
  );
});
