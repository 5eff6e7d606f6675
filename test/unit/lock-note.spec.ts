import { beforeEach, expect, test } from 'vitest';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import { LockNote } from '../../lib/zookeeper/recipe/lock-note.js';
import type { RecipeContext } from '../../lib/zookeeper/recipe/recipe-context.js';
import type { ServerSession } from '../../lib/zookeeper/session/server-session.js';

let asked: string[];
let read: () => Promise<{ data: Buffer }>;
let note: LockNote;

beforeEach(() => {
  asked = [];
  const client = {
    commit: async () => void asked.push('commit'),
    getData: (path: string) => {
      asked.push(path);
      return read();
    },
  };
  const session = { client, state: 'connected', reachable: async () => true } as unknown as ServerSession;
  const hold = { resource: 'sweep', lockPath: '/locks/sweep', path: '/locks/sweep/_c_me-lock-0', session };
  note = new LockNote(hold, {} as RecipeContext, () => 'deleted');
});

test('a note is read behind a committed write, also after a reply was lost: the next server may lag behind', async () => {
  const answers = [
    Promise.reject(new ZooKeeperError('CONNECTION_LOSS', 'cut')),
    Promise.resolve({ data: Buffer.from('done') }),
  ];
  read = () => answers.shift()!;
  expect(await note.read()).toBe('done');
  expect(asked).toEqual(['commit', '/locks/.notes/sweep', 'commit', '/locks/.notes/sweep']);
});

test('a note that nobody has written is undefined', async () => {
  read = () => Promise.reject(new ZooKeeperError('NO_NODE', 'not there'));
  expect(await note.read()).toBeUndefined();
});
