import { ByteProxy } from './byte-proxy.js';
import type { Disturbance } from './disturbance.js';
import { DISTURBANCES } from './disturbance.js';
import { drain, type Drain } from './drain.js';
import type { Findings, Scenario } from './scenario.js';
import { startServers } from './servers.js';

export interface StormParameters extends Record<string, number | string> {
  /** The number of waiters in each process. */
  readonly waiters: number;
  readonly processes: number;
  readonly disturbance: Disturbance;
  /** 0: skips the undisturbed drain for comparison. */
  readonly compare: number;
  /** The time from the disturbance to the release, ms. */
  readonly releaseAfter: number;
  readonly timeout: number;
  readonly tick: number;
  /** The time limit of a drain after the release, ms. */
  readonly limit: number;
}

/** An unrelated lock must be granted within a second. */
const PROBE_LIMIT_MS = 1_000;

/** H62: thousands of waiters whose connections end at the same time must not overload the server or the process. */
export const storm: Scenario<StormParameters> = {
  name: 'storm',
  about: `very many waiters of one name meet a ${DISTURBANCES.join(', ')}; then all are granted in turn`,
  defaults: {
    waiters: 10_000,
    processes: 1,
    disturbance: 'reset',
    compare: 1,
    releaseAfter: 10_000,
    timeout: 20_000,
    tick: 2_000,
    limit: 600_000,
  },
  run: async (parameters, findings) => {
    const { disturbance, tick } = parameters;
    const ensemble = disturbance === 'leader-kill' || disturbance === 'rolling-restart';
    await using servers = await startServers(ensemble ? 3 : 1, { tickTime: tick, startTimeoutMs: 60_000 });
    await using proxy = disturbance === 'reset' ? await ByteProxy.start(servers.servers[0]!) : undefined;
    const options = { ...parameters, servers, proxy };

    const compared = parameters.compare > 0 && disturbance !== 'none';
    const calm = compared ? await drain(options, 'none') : undefined;
    if (calm) report('undisturbed', calm, findings);
    const disturbed = await drain(options, disturbance);
    report(disturbance, disturbed, findings);
    if (calm && disturbed.granted === disturbed.attempts) {
      const ratio = calm.drainMs / disturbed.drainMs;
      findings.figure('drain rate, disturbed / undisturbed', ratio);
      findings.expectInTime(ratio >= 0.5, `the drain rate is ${ratio.toFixed(2)} of the undisturbed one`);
    }
  },
};

function report(name: string, result: Drain, findings: Findings): void {
  const { attempts, granted, drainMs, dropped, lost, probe, counts, requeued } = result;
  const { failures, reasons, longestTurn, placeMs } = result;
  findings.figure(`${name}: granted`, `${granted} of ${attempts}`);
  findings.figure(`${name}: into the queue, ms`, Math.round(placeMs));
  findings.figure(`${name}: grants per second`, Math.round((granted * 1_000) / drainMs));
  findings.figure(`${name}: connections dropped`, counts['suspended'] ?? 0);
  findings.figure(`${name}: sessions expired`, counts['sessionExpired'] ?? 0);
  findings.figure(`${name}: requeued`, requeued);
  findings.figure(`${name}: dropped because`, [...new Set(reasons)].join('; ').slice(0, 200));
  findings.figure(`${name}: longest turn, ms`, Math.round(longestTurn));
  const { probes, p50, p99, max, duringOutage } = probe;
  const durations = [p50, p99, max].map((ms) => Math.round(ms)).join(' / ');
  findings.figure(
    `${name}: probes p50 / p99 / max, ms`,
    `${durations} (${probes}; in the outage ${duringOutage})`,
  );

  const rest = JSON.stringify(failures);
  findings.expect(granted === attempts, `${name}: ${granted} of ${attempts} were granted; ${rest}`);
  const sample = lost.slice(0, 3).join('; ');
  findings.expect(dropped.length === 0, `${name}: ${dropped.length} unrelated locks were lost; ${sample}`);
  const failed = JSON.stringify(probe.failures);
  findings.expect(failed === '{}', `${name}: probes failed: ${failed}`);
  findings.expect(probe.unfinished === 0, `${name}: ${probe.unfinished} probes were never granted`);
  findings.expectInTime(p99 < PROBE_LIMIT_MS, `${name}: an unrelated lock took ${p99} ms (p99)`);
}
