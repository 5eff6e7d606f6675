import { debuglog } from 'node:util';
import { escapeControls } from '../locking/escape-controls.js';

const log = debuglog('nestjs-locked');

/** What a line is about: connections to servers, sessions over all their connections, contenders in their queues. */
export type DebugTopic = 'connection' | 'session' | 'queue';

/**
 * Prints one step as `topic step key=value ...` if the environment variable `NODE_DEBUG` names `nestjs-locked`. Texts that
 * are not one word are quoted. `details` are only asked for then. Never pass passwords, credentials or data of nodes.
 */
export function debugStep(
  topic: DebugTopic,
  step: string,
  details: () => Readonly<Record<string, string | number | bigint>>,
): void {
  if (!log.enabled) return;
  const pairs = Object.entries(details()).map(([key, value]) => `${key}=${format(String(value))}`);
  log('%s', [topic, step, ...pairs].join(' '));
}

function format(value: string): string {
  return escapeControls(/[\s"]/.test(value) || value === '' ? JSON.stringify(value) : value);
}
