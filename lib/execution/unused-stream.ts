import type { HoldGuard } from '../locking/hold-guard.js';
import { abandon, type Generator } from '../locking/stream-result.js';
import type { OpenGenerator } from './locked-generator.js';

/** How long a returned stream keeps its lock before its first use, ms. */
const UNUSED_STREAM_MS = 30_000;

/** Lets a stream that was returned with its lock lose it, unless the returned function is called in time. */
export function loseUnlessUsed({ held }: HoldGuard): () => void {
  return held.loseUnlessUsed(UNUSED_STREAM_MS);
}

/** A generator that was returned with its lock. */
export function openedGenerator(guard: HoldGuard, steps: Generator): OpenGenerator {
  const used = loseUnlessUsed(guard);
  // An iterator that is not one of the language may have subscribed to something already.
  const stopListening = guard.onLost(() => void abandon(steps));
  const start = () => {
    used();
    stopListening();
    return steps;
  };
  return { guard, start };
}
