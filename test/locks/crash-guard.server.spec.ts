import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { ON_FIRST, ON_SECOND } from '../fixtures/spread-locks.js';
import { builtProgram } from '../support/built-program.js';
import { eventually } from '../support/eventually.js';
import { ifThere } from '../support/if-there.js';
import { LockProcess, type JsonOptions } from '../support/lock-process.js';
import { childrenOf, handlesHangup, isRunning, processFile } from '../support/process-table.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

/** Twice as long as `eventually` waits: without a guard, no lock of a killed process is free within that. */
const SESSION_TIMEOUT_MS = 40_000;

describe('the crash guard of a process', { timeout: 120_000 }, () => {
  let server: TestServer;
  let observer: RawSession;
  let roots = 0;
  let root: string;

  beforeAll(async () => {
    server = await startTestServer();
    observer = await RawSession.connect(server, { keepAlive: true });
  });

  afterAll(async () => {
    observer.destroy();
    await server.giveBack();
  });

  beforeEach(() => {
    root = `/guarded-${(roots += 1)}`;
  });

  const options = (): JsonOptions => ({
    connectString: server.connectString,
    root,
    sessionTimeout: SESSION_TIMEOUT_MS,
    crashGuard: true,
    drainTimeout: 0,
  });

  /** A process that holds the lock, and the process id of its guard. */
  async function holder(resource = 'order'): Promise<[LockProcess, guard: number]> {
    const process = endedWithTest(await LockProcess.start(options()));
    await process.lock('held', resource);
    return [process, await guardOf(process.pid)];
  }

  function guardOf(pid: number, not?: number): Promise<number> {
    return eventually(() => childrenOf(pid).find((child) => child !== not && handlesHangup(child)) ?? false);
  }

  async function contenders(resource = 'order'): Promise<readonly string[]> {
    return (await ifThere(observer.getChildren(`${root}/${resource}`))) ?? [];
  }

  const isFree = (resource?: string): Promise<unknown> =>
    eventually(async () => (await contenders(resource)).length === 0);

  /** Waits until a guard has closed the session of a process that was killed, which another guard could have done as well. */
  async function aGuardHasActed(): Promise<void> {
    const [killed] = await holder('other');
    await killed.kill();
    await isFree('other');
  }

  it('passes its lock to the next process when it is killed', async () => {
    const [killed, guard] = await holder();
    const waiter = endedWithTest(await LockProcess.start(options()));
    const granted = waiter.lock('next', 'order');
    await waiter.queueLength('order', 2);
    await killed.kill();

    await eventually(async () => (await contenders()).length === 1);
    await granted;
    await eventually(() => !isRunning(guard));
  });

  it('has one guard for each ensemble, which frees the locks there', async () => {
    await using other = await startTestServer();
    await using second = await RawSession.connect(other, { sessionTimeout: SESSION_TIMEOUT_MS });
    const connectString = [server.connectString, other.connectString];
    const killed = endedWithTest(await LockProcess.start({ ...options(), connectString }));
    await killed.lock('here', ON_FIRST);
    await killed.lock('there', ON_SECOND);
    const guards = await eventually(() => {
      const children = childrenOf(killed.pid).filter(handlesHangup);
      return children.length === 2 && children;
    });
    await killed.kill();

    await isFree(ON_FIRST);
    await eventually(
      async () => ((await ifThere(second.getChildren(`${root}/${ON_SECOND}`))) ?? []).length === 0,
    );
    await eventually(() => !guards.some(isRunning));
  });

  it('leaves the session of a process that is stopped, and of which it then notices nothing', async () => {
    const [stopped, guard] = await holder();
    const [node] = await contenders();
    stopped.signal('SIGSTOP');
    await aGuardHasActed();

    expect(await contenders()).toEqual([node]);
    stopped.signal('SIGCONT');
    expect(await stopped.call({ type: 'isHeld' }, 'held')).toBe(true);
    expect(childrenOf(stopped.pid)).toEqual([guard]);
    expect(await stopped.release('held')).toBe(true);
  });

  it('leaves the session of a worker thread that ended, until the process is killed', async () => {
    const process = threaded();
    await once(process, 'message');
    const [node] = await contenders();
    process.send('end the thread');
    await once(process, 'message');
    await aGuardHasActed();
    expect(await contenders()).toEqual([node]);

    process.kill('SIGKILL');
    await isFree();
  });

  function threaded(): ChildProcess {
    const child = fork(builtProgram('test/processes/guarded-thread'), [JSON.stringify(options())]);
    endedWithTest({ [Symbol.asyncDispose]: async () => void child.kill('SIGKILL') });
    return child;
  }

  it('has ended when the process has closed, and no node is left', async () => {
    const [process, guard] = await holder();
    await process.close();

    expect(isRunning(guard)).toBe(false);
    expect(await contenders()).toEqual([]);
  });

  it('survives the signals that stop a service', async () => {
    const [killed, guard] = await holder();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(guard, signal);
    // Not by another guard, which would have another id.
    await aGuardHasActed();
    expect(childrenOf(killed.pid)).toEqual([guard]);
    await killed.kill();
    await isFree();
  });

  it('is replaced by another one when it is killed, and the process keeps its locks', async () => {
    const [killed, guard] = await holder();
    process.kill(guard, 'SIGKILL');
    await guardOf(killed.pid, guard);
    expect(await killed.call({ type: 'isHeld' }, 'held')).toBe(true);

    await killed.kill();
    await isFree();
  });

  it('shows nothing of a session in its arguments and its environment', async () => {
    const [process, guard] = await holder();
    const program = expect.stringMatching(/zookeeper\/guard\/guard-process\.js$/);
    const ours = processFile(process.pid, 'environ');
    const added = processFile(guard, 'environ').filter((entry) => !ours.includes(entry));

    expect(processFile(guard, 'cmdline').filter((argument) => !argument.startsWith('--'))).toEqual([
      globalThis.process.execPath,
      program,
    ]);
    expect(added.filter((entry) => !entry.startsWith('NODE_OPTIONS=')).toSorted()).toEqual([
      'ELECTRON_RUN_AS_NODE=1',
      'NESTJS_LOCKED_GUARD=1',
    ]);
  });
});
