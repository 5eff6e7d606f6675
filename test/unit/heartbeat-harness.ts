import { Heartbeat } from '../../lib/zookeeper/session/heartbeat.js';
import { FakeClock } from './fake-clock.js';
import { ScriptedDriver } from './scripted-driver.js';

export const T = 12_000;
export const INTERVAL = T / 6;

/** A heart on a scripted driver and a fake clock. */
export class HeartUnderTest {
  readonly clock = new FakeClock();
  readonly driver = new ScriptedDriver();
  /** In order, with the time since the start. */
  readonly log: string[] = [];
  readonly start = this.clock.elapsed();

  beat(): Heartbeat {
    const { clock, driver, start } = this;
    const tell = (what: string) => void this.log.push(`${what} ${Math.round(clock.elapsed() - start)}`);
    return new Heartbeat({
      driver,
      clock,
      sessionTimeout: T,
      interval: INTERVAL,
      sent: (at) => tell(`${driver.commits.length} sent before, at ${at - start}:`),
      acknowledged: () => tell('acknowledged'),
      refused: () => tell('refused'),
      lagged: (ms) => tell(`lagged ${ms}`),
    });
  }

  /** Lets `ms` pass and the server answer the heartbeat in flight. */
  async answer(ms: number): Promise<void> {
    await this.clock.run(ms);
    this.driver.last.acknowledge();
    await this.clock.run(0);
  }
}
