import { eventually } from '../support/eventually.js';
import { checkHistory } from '../support/lock-history.js';
import { LockProcess } from '../support/lock-process.js';

export interface OppositeOrders {
  /** How many times each process acquires its three locks. */
  readonly rounds: number;
  /** After how many rounds a third process is killed. */
  readonly killAfter: number;
  /** ms */
  readonly sessionTimeout: number;
}

/** What two processes have recorded that want the same locks in opposite orders. */
export interface OppositeOrdersResult {
  readonly violations: readonly string[];
  /** How many locks each of them was granted. */
  readonly grants: readonly number[];
}

/** A third process, which wants the locks in yet another order, is killed with -9 in between. */
export async function oppositeOrders(
  { connectString }: { connectString: string },
  { rounds, killAfter, sessionTimeout }: OppositeOrders,
): Promise<OppositeOrdersResult> {
  const start = (): Promise<LockProcess> => LockProcess.start({ connectString, sessionTimeout });
  await using forwards = await start();
  await using backwards = await start();
  await using killed = await start();
  const loop = (process: LockProcess, resources: readonly string[]): Promise<unknown> =>
    process.call({ type: 'loop', loop: { resources, acquisitions: rounds, holdMs: 1, lock: 'together' } });
  const grants = (process: LockProcess): number =>
    process.history.filter(({ what }) => what === 'acquired').length;

  const loops = [loop(forwards, ['a', 'b', 'c']), loop(backwards, ['c', 'b', 'a'])];
  loop(killed, ['b', 'c', 'a']).catch(() => {});
  await eventually(() => grants(killed) > killAfter * 3, { timeoutMs: 60_000 });
  await killed.kill();
  await Promise.all(loops);

  const survivors = [forwards, backwards];
  const { violations } = checkHistory(survivors.flatMap(({ history }) => history));
  return { violations, grants: survivors.map(grants) };
}
