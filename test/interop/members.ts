import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { LockMode } from '../../lib/index.js';
import { builtProgram } from '../support/built-program.js';
import { untilStopped } from '../support/child-process.js';
import { ForeignProcess } from './foreign-process.js';
import { curatorProgram } from './installations.js';
import { libraryOf } from './witness.js';

export interface MemberPlan {
  readonly connectString: string;
  /** ms */
  readonly sessionTimeout: number;
  readonly root: string;
  readonly resource: string;
  readonly modes: readonly LockMode[];
  readonly grants: number;
  readonly seat: string;
  readonly witnessPort: number;
}

/** A process of ours or of Curator that takes one lock again and again. */
export interface Member extends AsyncDisposable {
  readonly pid: number;
  /** Resolves when it has had all its grants and closed its session. */
  readonly ended: Promise<void>;
  /** Then its pid may be that of another process. */
  readonly hasEnded: boolean;
}

export function startMember(plan: MemberPlan): Member {
  return libraryOf(plan.seat) === 'curator' ? startOfCurator(plan) : startOfOurs(plan);
}

/** Kills the process; when this returns it does nothing any more. */
export function killMember({ pid, ended }: Member): void {
  ended.catch(() => {});
  process.kill(pid, 'SIGKILL');
  untilStopped(pid);
}

function startOfCurator(plan: MemberPlan): Member {
  const { connectString, sessionTimeout, root, resource, modes, grants, seat, witnessPort } = plan;
  const path = `${root}/${resource}`;
  const args = [connectString, sessionTimeout, path, modes.join(','), grants, seat, witnessPort].map(String);
  const process = ForeignProcess.start(curatorProgram('CuratorMember')!, args);
  return {
    pid: process.pid,
    ended: process.end(),
    get hasEnded() {
      return process.hasExited;
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

function startOfOurs({ connectString, sessionTimeout, root, ...settings }: MemberPlan): Member {
  const options = { connectString, sessionTimeout, root };
  const child = fork(builtProgram('test/processes/witnessed-member'), [
    JSON.stringify({ options, ...settings }),
  ]);
  const exited = once(child, 'exit');
  const ended = exited.then(([code, signal]) => {
    if (code !== 0) throw new Error(`${settings.seat} ended with ${String(code ?? signal)}`);
  });
  return {
    pid: child.pid!,
    ended,
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
