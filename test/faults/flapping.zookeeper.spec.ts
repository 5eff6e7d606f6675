import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Program } from '../fixtures/program.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const FLAPS = 50;
/** Every tenth connection finds that the server has replaced the session. */
const LOSSES = 5;
/** Long enough that no connection times out because the machine is busy. */
const SESSION_TIMEOUT_MS = 600_000;

describe('a connection that flaps', { timeout: 300_000 }, () => {
  let server: ZooKeeperServer;
  let proxy: FaultProxy;

  beforeAll(async () => {
    server = await ZooKeeperServer.start({ maxSessionTimeout: SESSION_TIMEOUT_MS });
    proxy = await FaultProxy.start(server);
  });

  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });

  it('emits its events in order, fifty times in a row, although listeners throw and await locks (H34)', async () => {
    const program = Program.start('careless-listeners', {
      connectString: proxy.connectString,
      sessionTimeout: SESSION_TIMEOUT_MS,
      retryDelay: 1,
      drainTimeout: 0,
    });
    await program.says('listening');
    for (let flap = 1; flap <= FLAPS; flap += 1) {
      if (flap % (FLAPS / LOSSES) === 0) proxy.rewriteSessionId(0n);
      if (flap % 2 === 0) proxy.cutAll();
      else proxy.resetAll();
      await program.says(`inside ${flap}.`);
    }
    program.send('close');
    expect(await program.ended).toEqual({ code: 0, signal: null });

    const heard = (who: string): string[] =>
      program.messages
        .filter((message) => message.startsWith(`${who} `))
        .map((message) => message.slice(who.length + 1));
    const first = heard('first');
    expect(heard('last')).toEqual(first);
    // Every event reached the listener that throws.
    expect(heard('uncaught')).toEqual(first.map(() => 'the listener fails'));

    const aboutTheSession = first.filter((type) => TELLING.includes(type)).join(' ');
    expect(aboutTheSession).toMatch(/^((suspended (resumed|sessionExpired lost ready) ?)*)lost closed$/);
    expect(first.filter((type) => type === 'suspended')).toHaveLength(FLAPS);
    // The last hold ends with the service.
    expect(first.filter((type) => type === 'lost')).toHaveLength(LOSSES + 1);
  });
});

const TELLING = ['ready', 'suspended', 'resumed', 'sessionExpired', 'lost', 'closed'];
