import { describe, expect, it } from 'vitest';
import type { Session } from '../../../lib/testing/sessions/session-table.js';
import { ERROR_CODES } from '../../../lib/zookeeper/protocol/error-codes.js';
import { DEFAULT_SETTINGS } from './ensemble-settings.js';
import { SpecEnsemble } from './spec-ensemble.js';

const { tickTime } = DEFAULT_SETTINGS;
const TIMEOUT = 3_000;

function isOpen(servers: SpecEnsemble, name: string, { id }: Session): boolean {
  return servers.serviceOf(name)!.sessions.get(id) !== undefined;
}

async function touchFor(servers: SpecEnsemble, name: string, session: Session, ms: number): Promise<void> {
  for (const end = servers.now + ms; servers.now < end; await servers.pass(200)) servers.touch(name, session);
}

describe('a session on a follower', () => {
  it('lives as long as its touches reach the leader', async () => {
    const servers = await SpecEnsemble.start();
    const [leader, follower] = servers.roles;
    const session = await servers.open(follower!, TIMEOUT);
    await touchFor(servers, follower!, session, 4 * TIMEOUT);
    expect(isOpen(servers, leader, session)).toBe(true);
    const silentFrom = servers.now;
    await servers.until(() => !isOpen(servers, leader, session));
    // The last touch waited for a pong; the leader ends sessions at the end of a tick.
    expect(servers.now - silentFrom).toBeGreaterThan(TIMEOUT - 200);
    expect(servers.now - silentFrom).toBeLessThan(TIMEOUT + 2 * tickTime);
  });

  it('is ended by the leader alone: a follower that is cut off goes on with it (H31)', async () => {
    const servers = await SpecEnsemble.start();
    const [leader, follower] = servers.roles;
    const session = await servers.open(follower!, TIMEOUT);
    servers.isolate(follower!);
    await touchFor(servers, follower!, session, TIMEOUT + 2 * tickTime);
    expect(isOpen(servers, leader, session)).toBe(false);
    expect(isOpen(servers, follower!, session)).toBe(true);
    expect(servers.touch(follower!, session)).toBe(true);
  });

  it('cannot write once the leader has ended it, even before the follower hears of the end', async () => {
    const servers = await SpecEnsemble.start();
    const [leader, follower] = servers.roles;
    const session = await servers.open(follower!, TIMEOUT);
    servers.stall(leader, follower!);
    await servers.until(() => !isOpen(servers, leader, session));
    const code = servers.create(follower!, session, '/late');
    await servers.pass(100);
    servers.heal();
    await servers.until(() => code() !== undefined);
    expect(code()).toBe(ERROR_CODES.SESSION_EXPIRED);
  });

  it('that has gone on at another server cannot write at the first one', async () => {
    const servers = await SpecEnsemble.start();
    const [, first, second] = servers.roles;
    const session = await servers.open(first!, TIMEOUT);
    await servers.pass(10);
    let alive: boolean | undefined;
    const { quorum, sessions } = servers.serviceOf(second!)!;
    quorum.resume(sessions.get(session.id)!, TIMEOUT, (answer) => (alive = answer));
    await servers.until(() => alive !== undefined);
    const codes = [first!, second!].map((name) => servers.create(name, session, `/${name}`));
    await servers.until(() => codes.every((code) => code() !== undefined));
    expect([alive, ...codes.map((code) => code())]).toEqual([
      true,
      ERROR_CODES.SESSION_MOVED,
      ERROR_CODES.OK,
    ]);
  });
});

describe('after an election', () => {
  it('every session has its full time again', async () => {
    const servers = await SpecEnsemble.start();
    const [leader] = servers.roles;
    const session = await servers.open(leader, TIMEOUT);
    await servers.pass(TIMEOUT - tickTime);
    servers.ensemble.kill(leader);
    await servers.until(() => servers.ensemble.leader !== undefined);
    const since = servers.now;
    const [next] = servers.roles;
    await servers.until(() => !isOpen(servers, next, session));
    expect(servers.now - since).toBeGreaterThan(TIMEOUT - 10);
    expect(servers.now - since).toBeLessThan(TIMEOUT + 2 * tickTime);
  });

  it('a session is still there however long no server led', async () => {
    const servers = await SpecEnsemble.start();
    const [leader, ...followers] = servers.roles;
    const session = await servers.open(leader, TIMEOUT);
    for (const follower of followers) servers.ensemble.kill(follower);
    await servers.until(() => servers.serviceOf(leader) === undefined);
    await servers.pass(5 * TIMEOUT);
    for (const follower of followers) servers.ensemble.start(follower);
    await servers.recovered();
    expect(isOpen(servers, servers.roles[0], session)).toBe(true);
  });
});
