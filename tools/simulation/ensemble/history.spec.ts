import { describe, expect, it } from 'vitest';
import { SpecEnsemble } from './spec-ensemble.js';

const TIMEOUT = 30_000;

describe('a change', () => {
  it('that was committed survives the loss of the leader', async () => {
    const servers = await SpecEnsemble.start();
    const [leader] = servers.roles;
    const session = await servers.open(leader, TIMEOUT);
    const code = servers.create(leader, session, '/kept');
    await servers.until(() => code() !== undefined);
    servers.ensemble.kill(leader);
    await servers.until(() => servers.ensemble.leader !== undefined);
    expect(servers.has(servers.roles[0], '/kept')).toBe(true);
    servers.ensemble.start(leader);
    await servers.recovered();
    expect(servers.has(leader, '/kept')).toBe(true);
  });

  it('that only a deposed leader had is dropped', async () => {
    const servers = await SpecEnsemble.start();
    const [old] = servers.roles;
    const session = await servers.open(old, TIMEOUT);
    servers.isolate(old);
    const code = servers.create(old, session, '/dropped');
    await servers.until(() => servers.ensemble.leader !== undefined && servers.ensemble.leader !== old);
    servers.heal();
    await servers.recovered();
    await servers.pass(1_000);
    expect(code()).toBeUndefined();
    expect(servers.ensemble.names.filter((name) => servers.has(name, '/dropped'))).toEqual([]);
  });

  it('that a follower has accepted is committed by the next leader, although nobody was told of it', async () => {
    const servers = await SpecEnsemble.start();
    const [old, ...followers] = servers.roles;
    const session = await servers.open(old, TIMEOUT);
    for (const follower of followers) servers.stall(follower, old);
    const code = servers.create(old, session, '/accepted');
    await servers.pass(100);
    servers.ensemble.kill(old);
    await servers.until(() => servers.ensemble.leader !== undefined);
    expect(code()).toBeUndefined();
    expect(servers.has(servers.roles[0], '/accepted')).toBe(true);
  });

  it('is shown by no server before a quorum has it', async () => {
    const servers = await SpecEnsemble.start();
    const [leader, ...followers] = servers.roles;
    const session = await servers.open(leader, TIMEOUT);
    await servers.pass(10);
    for (const follower of followers) servers.stall(follower, leader);
    const code = servers.create(leader, session, '/early');
    await servers.pass(1_000);
    expect(servers.ensemble.names.filter((name) => servers.has(name, '/early'))).toEqual([]);
    servers.heal();
    await servers.until(() => code() !== undefined);
    expect(servers.has(leader, '/early')).toBe(true);
  });

  it('is seen on a follower that lags only after a sync', async () => {
    const servers = await SpecEnsemble.start();
    const [leader, follower] = servers.roles;
    const session = await servers.open(leader, TIMEOUT);
    servers.stall(leader, follower!);
    const code = servers.create(leader, session, '/late');
    await servers.until(() => code() !== undefined);
    let seen: boolean | undefined;
    servers.serviceOf(follower!)!.quorum.sync(() => (seen = servers.has(follower!, '/late')));
    await servers.pass(1_000);
    expect([servers.has(follower!, '/late'), seen]).toEqual([false, undefined]);
    servers.heal();
    await servers.until(() => seen !== undefined);
    expect(seen).toBe(true);
  });
});

describe('zxids', () => {
  it('begin a new epoch on the leader first, on its followers with the first transaction', async () => {
    const servers = await SpecEnsemble.start();
    const [leader, follower] = servers.roles;
    const zxid = (name: string): bigint => servers.serviceOf(name)!.store.zxid;
    expect(zxid(leader)).toBe(1n << 32n);
    expect(zxid(follower!)).toBe(0n);
    await servers.open(leader, TIMEOUT);
    await servers.pass(10);
    expect([zxid(leader), zxid(follower!)]).toEqual([(1n << 32n) + 1n, (1n << 32n) + 1n]);
  });

  it('of a single server count on after a restart', async () => {
    const servers = await SpecEnsemble.start(1);
    await servers.open('s1', TIMEOUT);
    servers.ensemble.kill('s1');
    servers.ensemble.start('s1');
    await servers.recovered();
    expect(servers.serviceOf('s1')!.store.zxid).toBe(1n);
    await servers.open('s1', TIMEOUT);
    expect(servers.serviceOf('s1')!.store.zxid).toBe(2n);
  });
});
