import { EventLoop } from './event-loop.js';
import { Random } from './random.js';
import { Scheduler } from './scheduler.js';
import type { Rates } from './thread-time.js';

/** For specs: one host, and what its callbacks have noted. */
export class Host {
  readonly seen: string[] = [];
  readonly scheduler: Scheduler;
  readonly loop: EventLoop;

  constructor(seed = 'host', options: Rates & { cpuTime?: { min: number; max: number } } = {}) {
    const random = new Random(seed);
    this.scheduler = new Scheduler(random.fork('scheduler'));
    this.loop = new EventLoop({ name: 'host', scheduler: this.scheduler, random, ...options });
  }

  readonly note = (text: string) => (): void => void this.seen.push(text);

  readonly at = (ms: number, run: () => void): void => void this.scheduler.schedule(ms, run);

  readonly finished = async (): Promise<string[]> => {
    await this.scheduler.run(() => false);
    return this.seen;
  };
}
