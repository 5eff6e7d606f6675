import { runHeld } from '../../lib/locking/run-held.js';
import { hold, type HoldUnderTest } from './hold-harness.js';

/** Work that ends when the test says so. */
export class Work {
  started = 0;
  resolve: (value: string) => void = () => {};
  reject: (error: unknown) => void = () => {};
  readonly run = (): Promise<string> => {
    this.started += 1;
    return new Promise<string>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  };
}

export interface Run extends HoldUnderTest {
  readonly work: Work;
  readonly outcome: Promise<string>;
}

export function run(options: Parameters<typeof hold>[0] = {}): Run {
  const started = hold(options);
  const work = new Work();
  const outcome = runHeld(started.held, work.run);
  // Tests await it, some of them after it has settled.
  outcome.catch(() => {});
  return { ...started, work, outcome };
}

export const ownError = new Error('card declined');
