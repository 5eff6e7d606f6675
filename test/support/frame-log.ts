import type { Direction, FrameInfo } from './zookeeper-frames.js';

/** A frame as it arrived at the proxy, before faults were applied. */
export interface ObservedFrame extends FrameInfo {
  /** Stamp of `performance.now()`. */
  readonly at: number;
}

export interface WaitForOptions {
  /** @default 'request' */
  readonly direction?: Direction;
  /** The number of the frame, counted from the beginning of `frames`. @default 1 */
  readonly occurrence?: number;
  /** @default 20_000 */
  readonly timeoutMs?: number;
}

/** All frames that a proxy has received, and promises for later ones. */
export class FrameLog {
  readonly frames: ObservedFrame[] = [];
  readonly #watchers = new Set<() => void>();

  add(frame: FrameInfo): void {
    this.frames.push({ ...frame, at: performance.now() });
    for (const look of this.#watchers) look();
  }

  count(type: string, direction: Direction = 'request'): number {
    return this.#matching(type, direction).length;
  }

  waitFor(type: string, options: WaitForOptions = {}): Promise<ObservedFrame> {
    const { direction = 'request', occurrence = 1, timeoutMs = 20_000 } = options;
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const frame = this.#matching(type, direction)[occurrence - 1];
        if (!frame) return;
        this.#watchers.delete(look);
        clearTimeout(timer);
        resolve(frame);
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(look);
        const seen = this.count(type, direction);
        reject(
          new Error(`Waited ${timeoutMs} ms for ${direction} ${type} number ${occurrence}; seen: ${seen}.`),
        );
      }, timeoutMs);
      this.#watchers.add(look);
      look();
    });
  }

  #matching(type: string, direction: Direction): ObservedFrame[] {
    return this.frames.filter((frame) => frame.type === type && frame.direction === direction);
  }
}
