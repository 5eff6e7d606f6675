import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Clock, Timer } from '../../locking/clock.js';
import type { ServerSession } from '../session/server-session.js';
import { guardArguments, guardNodeOptions } from './guard-node-options.js';
import { encodeMessage, type GuardedProcess, type GuardMessage } from './guard-message.js';
import { GuardedSessions } from './guarded-sessions.js';
import { GUARD_MARK, whyNoGuard } from './why-no-guard.js';
import type { SessionGuard } from './session-guard.interface.js';

/** The pause before a guard is replaced, ms; doubled after each further one. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** Keeps the heap of the guard small: it has next to nothing to remember. */
const SMALL_HEAP = ['--max-old-space-size=24', '--max-semi-space-size=1'];

const CONSEQUENCE =
  'Without a guard, the locks of this process stay taken for the session timeout if it is killed';

const OF_BUNDLES =
  'If the application is bundled, leave `nestjs-locked` out of the bundle, as an external package; or turn the module option ' +
  '`crashGuard` off';

export interface CrashGuardOptions extends Omit<GuardedProcess, 'pid'> {
  readonly clock: Clock;
  /** The file to run. Default: the one of this library. For tests. */
  readonly program?: () => Promise<string>;
}

/**
 * Keeps a child process that closes the sessions of this process when it has died without doing so, and replaces it when it
 * ends. The child notices the death by the end of its pipe, of which the operating system gives no copy to other children.
 *
 * `idle` → `open` → `closed`
 */
export class CrashGuard implements SessionGuard {
  readonly #sessions = new GuardedSessions((message) => this.#tell(message));
  #state: 'idle' | 'open' | 'closed' = 'idle';
  #child: ChildProcess | undefined;
  #restart: Timer | undefined;
  /** Since one has lasted. */
  #ends = 0;
  /** Stamp of `Clock.monotonic()`. */
  #startedAt = 0;
  #warn: (message: string) => void = () => {};

  constructor(private readonly options: CrashGuardOptions) {}

  open(warn: (message: string) => void): void {
    this.#state = 'open';
    this.#warn = warn;
    this.#start();
  }

  watch(session: ServerSession): void {
    this.#sessions.watch(session);
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#restart?.cancel();
    const child = this.#child;
    if (child?.pid === undefined) return;
    // It has nothing left to do, and would not answer if it were stopped.
    if (child.kill('SIGKILL')) {
      child.ref();
      await once(child, 'exit');
    } else {
      // The user of this process has changed since the start. The guard ends when its pipe ends.
      child.stdin?.end();
    }
  }

  #start(): void {
    this.#program()
      .then((program) => this.#run(program))
      .catch((error: unknown) =>
        this.#warn(`The crash guard cannot start: ${describe(error)}. ${CONSEQUENCE}`),
      );
  }

  async #program(): Promise<string> {
    const why = whyNoGuard();
    if (why !== undefined) throw new Error(why);
    const file = await (this.options.program?.() ?? guardProgram());
    if (existsSync(file)) return file;
    throw new Error(`its program ${file} does not exist. ${OF_BUNDLES}`);
  }

  #run(program: string): void {
    if (this.#state !== 'open') return;
    let child: ChildProcess;
    try {
      child = spawnGuard(program);
    } catch (error) {
      // Some failures are thrown, such as a lack of memory; all others are an event.
      return this.#ended(undefined, describe(error));
    }
    this.#child = child;
    this.#startedAt = this.options.clock.monotonic();
    child.once('error', (error) => this.#ended(child, error.message));
    child.once('exit', (code, signal) => this.#ended(child, signal ?? `exit code ${code}`));
    child.unref();
    // It has ended, which is reported above. Without free file descriptors, it has no pipe, and reports an error.
    child.stdin?.on('error', () => {});

    const { servers, auth, tls } = this.options;
    this.#tell({ kind: 'guard', process: { pid: process.pid, servers, auth, tls } });
    for (const message of this.#sessions.messages) this.#tell(message);
  }

  #ended(child: ChildProcess | undefined, cause: string): void {
    if (this.#state !== 'open' || this.#child !== child) return;
    this.#child = undefined;
    const { clock } = this.options;
    const hasLasted = child !== undefined && clock.monotonic() - this.#startedAt > LONGEST_PAUSE_MS;
    this.#ends = hasLasted ? 1 : this.#ends + 1;
    if (this.#ends === 1)
      this.#warn(`The crash guard ended (${cause}) and is being replaced. ${CONSEQUENCE}`);
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this.#ends - 1), LONGEST_PAUSE_MS);
    this.#restart = clock.setTimer(() => this.#start(), pause);
  }

  /** If the guard has just ended, the message is lost, but its successor is told of all sessions. */
  #tell(message: GuardMessage): void {
    this.#child?.stdin?.write(encodeMessage(message));
  }
}

function spawnGuard(program: string): ChildProcess {
  return spawn(process.execPath, [...guardArguments(process.execArgv), ...SMALL_HEAP, program], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // The terminal of this process sends its signals to the whole group.
    detached: true,
    windowsHide: true,
    env: {
      ...process.env,
      NODE_OPTIONS: guardNodeOptions(process.env['NODE_OPTIONS']),
      [GUARD_MARK]: '1',
      // The executable of Electron runs the application without it.
      ELECTRON_RUN_AS_NODE: '1',
    },
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Loaded late: only a process that has a guard needs it. In a bundle of ES modules, no module can say where it is. */
async function guardProgram(): Promise<string> {
  try {
    return (await import('./guard-program.cjs')).default;
  } catch (error) {
    throw new Error(`its program was not found (${describe(error)}). ${OF_BUNDLES}`, { cause: error });
  }
}
