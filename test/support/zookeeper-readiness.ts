import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { fourLetter } from './four-letter.js';
import type { Endpoint } from './raw-connection.js';
import { RawSession, RawSessionError, type RawSessionOptions } from './raw-session.js';
import type { ZooKeeperTls } from './zookeeper-config.js';

/** `SESSIONCLOSEDREQUIRESASLAUTH`, which with `enforce.auth.schemes` is about any scheme. */
const CREDENTIALS_WANTED = -124;

export interface ReadinessOptions {
  /** Which the server must know as its own. */
  readonly dataDir: string;
  readonly timeoutMs: number;
  /** The port for TLS, if it has one: it is opened last, while the other one serves already. */
  readonly secure?: Endpoint & { readonly tls: ZooKeeperTls };
  /** False ends the wait. */
  readonly running: () => boolean;
}

/** Waits until the server serves sessions; false if it does not in time, or has ended. */
export async function becomesReady(
  server: Endpoint,
  { dataDir, timeoutMs, secure, running }: ReadinessOptions,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  let patience = 500;
  while (running() && performance.now() < deadline) {
    const asked = performance.now();
    if (await servesSessions(server, dataDir, secure, patience)) return true;
    // A slow machine may need longer than that for an answer; a refused connection came back at once and says nothing.
    // Whole milliseconds: `AbortSignal.timeout` refuses all others.
    if (performance.now() - asked >= patience) patience = Math.min(Math.ceil(patience * 1.5), 3_000);
    await sleep(25);
  }
  return false;
}

/**
 * A real session is the only proof. While it boots, ZooKeeper 3.8 accepts connections that it then never answers,
 * hence the short deadline; and the answer may come from a stranger on our port, hence the look at the data directory.
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

/** The server trusts the authority of its own certificate, so that it serves as a client's too. */
async function ownIdentity({ keyStore, trustStore }: ZooKeeperTls): Promise<ConnectionOptions> {
  const [own, ca] = await Promise.all([readFile(keyStore), readFile(trustStore)]);
  return { key: own, cert: own, ca };
}

/** A server that serves nobody without credentials serves. */
function unlessCredentialsAreWanted(error: unknown): void {
  if (!(error instanceof RawSessionError && error.code === CREDENTIALS_WANTED)) throw error;
}
