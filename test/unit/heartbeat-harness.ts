import { Heartbeat } from '../../lib/zookeeper/session/heartbeat.js';
import { FakeClock } from './fake-clock.js';
import { ScriptedClient } from './scripted-client.js';

export const T = 12_000;
export const INTERVAL = T / 6;

/** A heartbeat on a scripted client and a fake clock. */
export class HeartbeatUnderTest {
  readonly clock = new FakeClock();
  readonly client = new ScriptedClient();
  /** Calls of the listener in order, with the time since the start. */
  readonly log: string[] = [];
  readonly start = this.clock.elapsed();

  beat(): Heartbeat {
    const { clock, client, start } = this;
    const record = (what: string) => void this.log.push(`${what} ${Math.round(clock.elapsed() - start)}`);
    return new Heartbeat({
      client,
      clock,
      server: 'zk1:2181',
      sessionTimeout: T,
      interval: INTERVAL,
      sent: (at) => record(`${client.commits.length} sent before, at ${at - start}:`),
      acknowledged: () => record('acknowledged'),
      // Of contact, about which `server-session.spec.ts` is.
      late: () => {},
      refused: () => record('refused'),
      lagged: (ms) => record(`lagged ${ms}`),
      slow: (ms) => record(`slow ${ms}`),
    });
  }

  /** Lets `ms` pass and the server answer the heartbeat in flight. */
  async answer(ms: number): Promise<void> {
    await this.clock.run(ms);
    this.client.last.acknowledge();
    await this.clock.run(0);
  }
}
