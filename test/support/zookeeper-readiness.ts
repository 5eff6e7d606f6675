import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { fourLetter } from './four-letter.js';
import type { Endpoint } from './raw-connection.js';
import { RawSession, RawSessionError, type RawSessionOptions } from './raw-session.js';
import type { ZooKeeperTls } from './zookeeper-config.js';

/** `SESSIONCLOSEDREQUIRESASLAUTH`; with `enforce.auth.schemes` it applies to all schemes. */
const CREDENTIALS_WANTED = -124;

export interface ReadinessOptions {
  /** The server must report this data directory as its own. */
  readonly dataDir: string;
  readonly timeoutMs: number;
  /** The TLS port, if any. It opens last, when the other port already serves sessions. */
  readonly secure?: Endpoint & { readonly tls: ZooKeeperTls };
  /** Returns false to end the wait. */
  readonly running: () => boolean;
}

/** Waits until the server serves sessions; resolves with false if it does not in time, or has exited. */
export async function becomesReady(
  server: Endpoint,
  { dataDir, timeoutMs, secure, running }: ReadinessOptions,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  let patience = 500;
  while (running() && performance.now() < deadline) {
    const asked = performance.now();
    if (await servesSessions(server, dataDir, secure, patience)) return true;
    // A slow machine may need longer for an answer; a refused connection fails immediately and proves nothing.
    // `AbortSignal.timeout` accepts only whole milliseconds.
    if (performance.now() - asked >= patience) patience = Math.min(Math.ceil(patience * 1.5), 3_000);
    await sleep(25);
  }
  return false;
}

/**
 * Only a session proves readiness. During its start, ZooKeeper 3.8 accepts connections that it never answers, hence the
 * short deadline. Another server may have taken the port, hence the check of the data directory.
 */
async function servesSessions(
  server: Endpoint,
  dataDir: string,
  secure: ReadinessOptions['secure'],
  timeoutMs: number,
): Promise<boolean> {
  try {
    await openAndClose(server, { timeoutMs });
    if (secure) await openAndClose(secure, { timeoutMs, tls: await ownIdentity(secure.tls) });
    return (await fourLetter(server, 'conf', timeoutMs)).includes(dataDir);
  } catch {
    return false;
  }
}

async function openAndClose(server: Endpoint, options: RawSessionOptions): Promise<void> {
  const session = await RawSession.connect(server, { sessionTimeout: 1, ...options });
  await session.closeSession().catch(unlessCredentialsAreWanted);
}

/** The server trusts the authority of its own certificate, so its certificate is also valid for a client. */
async function ownIdentity({ keyStore, trustStore }: ZooKeeperTls): Promise<ConnectionOptions> {
  const [own, ca] = await Promise.all([readFile(keyStore), readFile(trustStore)]);
  return { key: own, cert: own, ca };
}

/** A server that requires credentials is also ready. */
function unlessCredentialsAreWanted(error: unknown): void {
  if (!(error instanceof RawSessionError && error.code === CREDENTIALS_WANTED)) throw error;
}
