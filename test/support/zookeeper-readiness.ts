import { setTimeout as sleep } from 'node:timers/promises';
import { fourLetter } from './four-letter.js';
import type { Endpoint } from './raw-connection.js';
import { RawSession, RawSessionError } from './raw-session.js';

/** `SESSIONCLOSEDREQUIRESASLAUTH`, which with `enforce.auth.schemes` is about any scheme. */
const CREDENTIALS_WANTED = -124;

export interface ReadinessOptions {
  /** Which the server must know as its own. */
  readonly dataDir: string;
  readonly timeoutMs: number;
  /** False ends the wait. */
  readonly running: () => boolean;
}

/** Waits until the server serves sessions; false if it does not in time, or has ended. */
export async function becomesReady(
  server: Endpoint,
  { dataDir, timeoutMs, running }: ReadinessOptions,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  let patience = 500;
  while (running() && performance.now() < deadline) {
    const asked = performance.now();
    if (await servesSessions(server, dataDir, patience)) return true;
    // A slow machine may need longer than that for an answer; a refused connection came back at once and says nothing.
    if (performance.now() - asked >= patience) patience = Math.min(patience * 1.5, 3_000);
    await sleep(25);
  }
  return false;
}

/**
 * A real session is the only proof. While it boots, ZooKeeper 3.8 accepts connections that it then never answers,
 * hence the short deadline; and the answer may come from a stranger on our port, hence the look at the data directory.
 */
async function servesSessions(server: Endpoint, dataDir: string, timeoutMs: number): Promise<boolean> {
  try {
    const session = await RawSession.connect(server, { sessionTimeout: 1, timeoutMs });
    await session.closeSession().catch(unlessCredentialsAreWanted);
    return (await fourLetter(server, 'conf', timeoutMs)).includes(dataDir);
  } catch {
    return false;
  }
}

/** A server that serves nobody without credentials serves. */
function unlessCredentialsAreWanted(error: unknown): void {
  if (!(error instanceof RawSessionError && error.code === CREDENTIALS_WANTED)) throw error;
}
