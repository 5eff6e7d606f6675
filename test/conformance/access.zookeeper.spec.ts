import type { ScenarioClient } from './scenario-client.js';
import { conformance } from './conformance.js';
import {
  addAuth,
  addWatch,
  check,
  create,
  create2,
  exists,
  FLAGS,
  getAcl,
  getAllChildrenNumber,
  getChildren,
  getChildren2,
  getData,
  multi,
  OPEN,
  remove,
  setAcl,
  setData,
  sync,
} from './protocol/calls.js';

const scenario = conformance();
const PERMISSIONS = [0, 1, 2, 4, 8, 16, 15, 31, 32, 63, -1];
/** The stored form of `user:secret`. */
const USER = 'user:mHEHf6nTKNbsbLiBZZgSxYTPxpo=';

/** Each operation on a node and below it, once. */
async function tryEverything(client: ScenarioClient, path: string): Promise<void> {
  await client.does(exists(path, true), getData(path), getChildren(path), getChildren2(path));
  await client.does(getAllChildrenNumber(path), getAcl(path), check(path), sync(path));
  await client.does(setData(path, 'data'), create(`${path}/new`), remove(`${path}/old`));
  await client.does(multi(check(path)), multi(create(`${path}/newer`), setData(path, 'more')));
  await client.does(setAcl(path, OPEN));
}

const RULES = [
  'world:anyone',
  'world:somebody',
  'world:',
  'auth:',
  'auth:user',
  'digest:user:hash=',
  'digest:user',
  'digest:',
  'digest::',
  'digest:a:b:c',
  'digest:user:',
  'digest::hash',
  'ip:127.0.0.1',
  'ip:127.0.0.1/8',
  'ip:127.0.0.1/0',
  'ip:127.0.0.1/32',
  'ip:127.0.0.1/33',
  'ip:127.0.0.1/-1',
  'ip:127.0.0.1/',
  'ip:127.0.0',
  'ip:1.2.3.4.5',
  'ip:256.0.0.1',
  'ip:localhost',
  'ip:::1',
  'ip:',
  'x509:CN=somebody',
  'sasl:somebody',
  'super:anybody',
  'none:such',
  ':',
  'WORLD:anyone',
];

scenario('ACL entries of all schemes are accepted or refused', async (run) => {
  const a = await run.connect('a');
  for (const [index, rule] of RULES.entries()) {
    const acl = [`31:${rule}`];
    await a.does(create2(`~/n${index}`, { acl }), getAcl(`~/n${index}`));
    await a.does(create(`~/s${index}`), setAcl(`~/s${index}`, acl), getAcl(`~/s${index}`));
  }
  await a.does(getChildren('~'));
});

scenario('ACL entries of all schemes with an identity', async (run) => {
  const a = await run.connect('a');
  await a.does(addAuth('digest', 'user:secret'));
  for (const [index, rule] of RULES.slice(0, 12).entries())
    await a.does(create(`~/n${index}`, { acl: [`31:${rule}`] }), getAcl(`~/n${index}`));
});

scenario('ACLs are stored without duplicates', async (run) => {
  const a = await run.connect('a');
  const lists = [
    null,
    [],
    ['31:world:anyone', '31:world:anyone'],
    ['1:world:anyone', '2:world:anyone', '1:world:anyone'],
    ['31:world:anyone', '31:none:such'],
    ['1:ip:127.0.0.1', '31:digest:a:b', '2:world:anyone'],
  ];
  for (const [index, acl] of lists.entries())
    await a.does(create(`~/n${index}`, { acl }), getAcl(`~/n${index}`), setAcl('~', acl), getAcl('~'));
});

for (const permissions of PERMISSIONS) {
  scenario(`permissions ${permissions} allow the same operations`, async (run) => {
    const a = await run.connect('a');
    await a.does(create('~/x'), create('~/x/old'));
    await a.does(setAcl('~/x', [`${permissions}:world:anyone`]));
    await tryEverything(a, '~/x');
  });
}

scenario('a delete needs a permission on the parent, but none on the node', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/p'), create('~/p/c', { acl: ['0:world:anyone'] }));
  await a.does(setAcl('~/p', ['23:world:anyone']), remove('~/p/c'), remove('~/p/missing'));
  await a.does(setAcl('~/p', ['31:world:anyone']), remove('~/p/c'));
});

scenario('an identity can use the nodes that it protected', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(addAuth('digest', 'user:secret'), create('~/x', { acl: ['31:auth:'] }), create('~/x/old'));
  await tryEverything(b, '~/x');
  await b.does(addAuth('digest', 'user:wrong'), getData('~/x'));
  await b.does(addAuth('digest', 'user:secret'), getAcl('~/x'));
  await tryEverything(b, '~/x');
});

scenario('a client with only read permission sees no hashes in the ACL', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  const acl = [`30:digest:${USER}`, '1:world:anyone', '31:ip:10.0.0.1'];
  await a.does(addAuth('digest', 'user:secret'), create('~/x', { acl }), getAcl('~/x'));
  await b.does(getAcl('~/x'), setAcl('~/x', OPEN), addAuth('digest', 'user:secret'), getAcl('~/x'));
});

scenario('"auth" stands for all identities of the client', async (run) => {
  const a = await run.connect('a');
  await a.does(addAuth('digest', 'user:secret'), addAuth('digest', 'other:word'), addAuth('ip', null));
  await a.does(create('~/x', { acl: ['31:auth:'] }), getAcl('~/x'));
  await a.does(create('~/y', { acl: ['1:auth:a', '2:auth:b', '31:world:anyone'] }), getAcl('~/y'));
});

scenario('an identity belongs to a connection', async (run) => {
  const a = await run.connect('a');
  await a.does(addAuth('digest', 'user:secret'), create('~/x', { acl: ['31:auth:'] }));
  await a.drops();
  await a.attaches();
  await a.does(getData('~/x'), addAuth('digest', 'user:secret'), getData('~/x'));
});

scenario('addresses are compared bit by bit', async (run) => {
  const a = await run.connect('a');
  const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.2/24', '126.0.0.0/8', '126.0.0.0/7', '0.0.0.0/0'];
  for (const [index, address] of addresses.entries())
    await a.does(create(`~/n${index}`, { acl: [`31:ip:${address}`] }), getData(`~/n${index}`));
});

scenario('credentials of all forms', async (run) => {
  for (const auth of ['', ':', 'user', 'user:', ':secret', 'a:b:c', 'ü:ß', 'user:secret'])
    await (
      await run.connect('a')
    ).does(
      addAuth('digest', auth),
      create(`~/${auth.length}`, { acl: ['31:auth:'] }),
      getAcl(`~/${auth.length}`),
    );
});

for (const scheme of ['none', '', 'world', 'auth', 'sasl', 'x509', 'super', 'DIGEST', null]) {
  scenario(`credentials of scheme ${scheme} close the connection`, async (run) => {
    const a = await run.connect('a');
    await a.does(create('~/mine', { flags: FLAGS.ephemeral }));
    await a.ends(addAuth(scheme, 'user:secret'));
    await a.attaches();
    await a.does(exists('~/mine'));
  });
}

scenario('the nodes of a session are deleted even if it has no permissions', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(create('~/p'), create('~/p/mine', { flags: FLAGS.ephemeral, acl: ['1:world:anyone'] }));
  await a.does(setAcl('~/p', ['1:world:anyone']), remove('~/p/mine'));
  await b.does(exists('~/p/mine', true));
  await a.closes();
  await b.does(getChildren('~/p'));
});

scenario('watches need read permission, except with exists', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(create('~/x', { acl: ['30:world:anyone'] }));
  await b.does(exists('~/x', true), getData('~/x', true), getChildren('~/x', true));
  await a.does(setData('~/x', 'data'), create('~/x/c'), remove('~/x/c'), remove('~/x'));
});

scenario('events of a node are sent only to clients with read permission', async (run) => {
  const a = await run.connect('a');
  const watcher = await run.connect('watcher');
  const reader = await run.connect('reader');
  await a.does(addAuth('digest', 'user:secret'));
  await reader.does(addAuth('digest', 'user:secret'));
  for (const client of [watcher, reader]) await client.does(addWatch('~', 1), exists('~/hidden', true));
  await a.does(create('~/hidden', { acl: ['31:auth:'] }), setData('~/hidden', 'data'), create('~/hidden/c'));
  for (const client of [watcher, reader]) await client.does(exists('~/hidden', true), getChildren('~', true));
  await a.does(
    setAcl('~/hidden', OPEN),
    setData('~/hidden', 'more'),
    setAcl('~/hidden', ['30:world:anyone']),
  );
  for (const client of [watcher, reader]) await client.does(exists('~/hidden/c', true));
  await a.does(setData('~/hidden', 'most'), remove('~/hidden/c'), remove('~/hidden'));
});
