import { readFile } from 'node:fs/promises';

/** `USER_HZ`, which is 100 on all platforms of Linux that Node supports. */
const MICROS_PER_TICK = 10_000;
/** The positions of utime and stime after the name of the process, which is in parentheses. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** The CPU time that processes have used, µs, to 10 ms; undefined without `/proc`. */
export async function cpuMicros(pids: readonly number[]): Promise<number | undefined> {
  try {
    const times = await Promise.all(pids.map(processMicros));
    return times.reduce((sum, time) => sum + time, 0);
  } catch {
    return undefined;
  }
}

async function processMicros(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * MICROS_PER_TICK;
}

/** The child processes of a process; empty without `/proc`. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '');
  return children.split(' ').filter(Boolean).map(Number);
}
