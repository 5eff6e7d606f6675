import { startCrowd, type Crowd } from './crowd.js';
import { sharedNow } from './process/commands.js';
import type { ContentionPlan } from './process/crowd-commands.js';
import { messageOf, type Findings, type Scenario } from './scenario.js';
import { restartAll, startServers, type Servers } from './servers.js';

export interface KillHolderParameters extends Record<string, number | string> {
  readonly servers: number;
  readonly names: number;
  /** The number of attempts of the process on each name: all but the first wait. */
  readonly each: number;
  /** The escaped length of the names, bytes; 0: short names. */
  readonly nameBytes: number;
  /** The shares of its attempts after which the process is killed, each with new servers: `0.25,0.5,1`. */
  readonly killAt: string;
  readonly parallel: number;
  readonly timeout: number;
  readonly tick: number;
  /** Additional options for the JVM of the servers, separated by spaces. */
  readonly jvm: string;
}

/** How long to wait for the next holder beyond the expected time. */
const PATIENCE_MS = 60_000;

/** H61: the transaction that ends a session must not be too large for the server to read. */
export const killHolder: Scenario<KillHolderParameters> = {
  name: 'kill-holder',
  about: 'kill -9 of a process with very many contenders; then every server is restarted and has to serve',
  defaults: {
    servers: 1,
    names: 100_000,
    each: 1,
    nameBytes: 0,
    killAt: '1',
    parallel: 256,
    timeout: 20_000,
    tick: 2_000,
    jvm: '',
  },
  run: async (parameters, findings) => {
    for (const share of parameters.killAt.split(',').map(Number)) await killOnce(parameters, share, findings);
  },
};

async function killOnce(parameters: KillHolderParameters, share: number, findings: Findings): Promise<void> {
  const { names, each, nameBytes, parallel, timeout, tick, jvm } = parameters;
  await using servers = await startServers(parameters.servers, {
    tickTime: tick,
    startTimeoutMs: 60_000,
    jvm: jvm.split(' ').filter((option) => option !== ''),
  });
  const { connectString } = servers;
  const plan: ContentionPlan = { prefix: 'order', names, each, nameBytes, parallel, onGrant: 'keep' };
  const count = Math.max(1, Math.floor(names * each * share));
  const what = `killed with ${count}`;

  await using many = await startCrowd({ connectString, sessionTimeout: timeout });
  await using next = await startCrowd({ connectString, sessionTimeout: timeout });
  const begun = sharedNow();
  await many.call('contend', 'many', plan);
  // The next holder requests the first names, which are in the queue by now for every share.
  await many.call('placed', 'many', Math.min(count, parallel));
  const wanted = Math.min(3, names, count);
  await many.call('placed', 'many', count);
  await next.call('contend', 'next', { ...plan, names: wanted, each: 1 });
  await next.call('placed', 'next', wanted);
  findings.figure(`${what}: contenders per second`, Math.round((count * 1_000) / (sharedNow() - begun)));

  const { counts } = await many.call('events');
  findings.expect(counts['lost'] === undefined, `${what}: ${counts['lost']} locks were lost before the kill`);
  const killedAt = sharedNow();
  await many.kill();
  await expectGrants(next, { killedAt, wanted, within: timeout + 2 * tick, what }, findings);
  await next.kill();
  await expectRestart(servers, timeout, what, findings);
}

async function expectGrants(
  next: Crowd,
  { killedAt, wanted, within, what }: { killedAt: number; wanted: number; within: number; what: string },
  findings: Findings,
): Promise<void> {
  await next.call('settled', 'next', within + PATIENCE_MS);
  const { granted, grantedAt, failures } = await next.call('contention', 'next');
  findings.expect(
    granted === wanted,
    `${what}: ${granted} of ${wanted} names had another holder; ${JSON.stringify(failures)}`,
  );
  if (granted === 0) return;
  const waited = grantedAt.at(-1)! - killedAt;
  findings.figure(`${what}: next holders after, ms`, Math.round(waited));
  findings.expectInTime(
    waited <= within,
    `${what}: the next holder came after ${waited} ms, not ${within} ms`,
  );
}

async function expectRestart(
  servers: Servers,
  timeout: number,
  what: string,
  findings: Findings,
): Promise<void> {
  const begun = sharedNow();
  try {
    await restartAll(servers);
    await using after = await startCrowd({
      connectString: servers.connectString,
      sessionTimeout: timeout,
      connectTimeout: 60_000,
    });
    await after.call('keep', 'after-the-restart');
    findings.figure(`${what}: restart and a lock, ms`, Math.round(sharedNow() - begun));
  } catch (error) {
    const message = messageOf(error);
    const reason =
      /Unreasonable length[^\n]*/.exec(message)?.[0] ??
      `${message.split('\n')[0]} ... ${message.slice(-1_000)}`;
    findings.expect(false, `${what}: the servers did not serve again: ${reason}`);
  }
}
