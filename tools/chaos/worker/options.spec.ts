import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveLockedOptions } from '../../../lib/options/locked-options.js';
import { LOCK_DEFAULTS, resolveLockOptions } from '../../../lib/locking/lock-options.js';
import { resolveModuleOptions } from '../../../lib/options/resolve-module-options.js';
import type { AttemptPlan } from '../../attempts/attempt-plan.js';
import { attemptPlans } from '../../attempts/attempt-plans.js';
import { simpleResource } from '../../attempts/simple-resources.js';
import { modulePlans } from '../schedule/module-plan.js';
import { attemptOptions } from '../../attempts/attempt-options.js';
import { defaultsOf, moduleOptions } from './module-options.js';

const DRAWINGS = 300;
const SERVERS = [{ host: '127.0.0.1', port: 2181 }];
const drawnModules = fc.sample(fc.noBias(modulePlans), { seed: 7, numRuns: DRAWINGS });
const plans = attemptPlans(['r', simpleResource('s')], 7);
const drawnAttempts = Array.from({ length: DRAWINGS }, () => plans.next().value as AttemptPlan);

/** The names of all options, from the library's error about an unknown one. */
function accepted(resolve: (options: object) => unknown): string[] {
  try {
    resolve({ nonsense: true });
  } catch (error) {
    return /accepted are ([\w, ]+)/.exec(String(error))?.[1]?.split(', ') ?? [];
  }
  return [];
}

function given(options: readonly object[]): Set<string> {
  return new Set(
    options.flatMap((one) => Object.entries(one).flatMap(([key, value]) => (value === undefined ? [] : key))),
  );
}

describe('the drawn options', () => {
  const modules = drawnModules.map((module) =>
    moduleOptions({ servers: SERVERS, sessionTimeout: 2_000, module }),
  );
  const attempts = drawnAttempts.map((plan) =>
    attemptOptions('p1.1#1', plan, { ttl: 0 }, new AbortController().signal),
  );

  it('are all options of the module except those that chaos cannot judge', () => {
    // The proxies cannot read TLS; only Nest uses the warning.
    const unused = ['tls', 'shutdownHookWarning'];
    const known = accepted(resolveModuleOptions).filter((option) => !unused.includes(option));

    expect(known.length).toBeGreaterThan(15);
    expect(given(modules)).toEqual(new Set([...known, 'name']));
  });

  it('are all options of an acquisition', () => {
    const known = accepted((options) =>
      resolveLockOptions(options, { ...LOCK_DEFAULTS, owner: 'me', hasStableOwner: true }),
    );

    expect(known.length).toBeGreaterThan(5);
    expect(given(attempts)).toEqual(new Set(known));
  });

  it('are all options of @Locked', () => {
    const known = accepted((options) => resolveLockedOptions('@Locked', options));
    const calls = drawnAttempts.map(({ locked }) => ({ ...locked, key: undefined }));

    expect(known.length).toBeGreaterThan(8);
    expect(given([...attempts, ...calls, { service: 'orders' }])).toEqual(new Set([...known, 'signal']));
  });

  it('are accepted by the library', () => {
    for (const { name: _name, ...options } of modules) resolveModuleOptions(options);
    for (const [index, module] of drawnModules.entries()) {
      const defaults = { ...LOCK_DEFAULTS, ...defaultsOf(module), owner: 'me', hasStableOwner: false };
      const signal = new AbortController().signal;
      resolveLockOptions(attemptOptions('p1.1#1', drawnAttempts[index]!, defaults, signal), defaults);
    }
  });

  it('configure the same root path', () => {
    const roots = modules.map(
      ({ name: _name, ...options }) => resolveModuleOptions(options).ensembles[0].root,
    );

    expect(new Set(roots)).toEqual(new Set(['/chaos/locks']));
  });
});
