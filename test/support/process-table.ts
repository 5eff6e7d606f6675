import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The processes whose parent is `pid`. */
export function childrenOf(pid: number): readonly number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' });
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, command]) => Number(parent) === pid && command !== 'ps')
    .map(([child]) => Number(child));
}

/** False for a process that has ended and whose parent knows. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A file of Linux about a process, such as `cmdline`, split at its zero bytes. */
export function processFile(pid: number, name: 'cmdline' | 'environ'): readonly string[] {
  return readFileSync(`/proc/${pid}/${name}`, 'utf8')
    .split('\0')
    .filter((text) => text !== '');
}

const SIGHUP = 1;

/** True if the process handles SIGHUP. */
export function handlesHangup(pid: number): boolean {
  const caught = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & (1n << BigInt(SIGHUP - 1))) !== 0n;
}
