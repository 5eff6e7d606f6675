import { fourLetter } from '../../../test/support/four-letter.js';
import type { Endpoint } from '../../../test/support/raw-connection.js';
import type { ServerEvent } from '../../history/run-history.js';

const INTERVAL_MS = 400;
const TIMEOUT_MS = 800;

/** Polls the mode of every server, and records its changes. */
export class ServerWatch {
  readonly events: ServerEvent[] = [];
  readonly #modes = new Map<string, ServerEvent['mode']>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(servers: readonly Endpoint[]) {
    for (const [index, server] of servers.entries()) void this.#poll(`s${index + 1}`, server);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #poll(name: string, server: Endpoint): Promise<void> {
    const answer = await fourLetter(server, 'srvr', TIMEOUT_MS).catch(() => '');
    if (this.#stopped) return;
    this.#record(name, modeOf(answer));
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#poll(name, server);
    }, INTERVAL_MS);
    this.#timers.add(timer);
  }

  #record(server: string, mode: ServerEvent['mode']): void {
    if (this.#modes.get(server) === mode) return;
    this.#modes.set(server, mode);
    this.events.push({ at: process.hrtime.bigint(), server, mode });
  }
}

function modeOf(answer: string): ServerEvent['mode'] {
  const mode = /Mode: (leader|follower|standalone)/.exec(answer)?.[1];
  return mode === 'leader' || mode === 'follower' || mode === 'standalone' ? mode : 'silent';
}
