import * as fc from 'fast-check';
import type { FaultAction } from '../../../test/support/fault-rules.js';
import type { HolderFault, LinkFault, NetworkFault, ProcessFault, ServerFault } from './fault.js';
import { weighted } from '../../attempts/weighted.js';

const OPERATIONS = ['create2', 'createContainer', 'delete', 'getChildren2', 'getData', 'multi', 'connect'];
const ACTIONS: readonly FaultAction[] = [
  'cutBeforeForward',
  'rst',
  'forwardThenCutBeforeReply',
  'cutWithinReply',
];

/** A duration of some percent of a session timeout. */
function share(sessionTimeout: number, min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min, max }).map((percent) => Math.round((percent / 100) * sessionTimeout));
}

export function networkFaults(sessionTimeout: number): fc.Arbitrary<NetworkFault> {
  const ms = fc.constant(sessionTimeout);
  return weighted<NetworkFault>(
    [2, fc.record({ kind: fc.constantFrom('cut', 'reset') })],
    [3, fc.record({ kind: fc.constant('blackHole'), ms: share(sessionTimeout, 5, 200) })],
    [
      1,
      fc.record({
        kind: fc.constant('delay'),
        ms: share(sessionTimeout, 25, 150),
        by: fc.integer({ min: 5, max: 250 }),
      }),
    ],
    [1, fc.record({ kind: fc.constant('midPacketCut'), bytes: fc.integer({ min: 1, max: 60 }), ms })],
    [
      6,
      fc.record({
        kind: fc.constant('frameFault'),
        operation: fc.constantFrom(...OPERATIONS),
        action: fc.constantFrom(...ACTIONS),
        occurrence: fc.integer({ min: 1, max: 4 }),
        ms,
      }),
    ],
  );
}

export function processFaults(sessionTimeout: number): fc.Arbitrary<ProcessFault> {
  return weighted<ProcessFault>(
    [2, fc.record({ kind: fc.constant('sessionExpiry') })],
    [3, fc.record({ kind: fc.constant('stop'), ms: share(sessionTimeout, 5, 200) })],
    [2, fc.record({ kind: fc.constant('block'), ms: share(sessionTimeout, 5, 200) })],
    [3, fc.record({ kind: fc.constantFrom('kill', 'shutdown'), ms: share(sessionTimeout, 0, 100) })],
  );
}

/** Long enough for the lock to be lost, and for a rival to be granted it. */
export function holderFaults(
  resources: readonly string[],
  sessionTimeout: number,
): fc.Arbitrary<HolderFault> {
  return fc.record({
    kind: fc.constant('holderBlackHole'),
    resource: fc.constantFrom(...resources),
    ms: share(sessionTimeout, 100, 250),
  });
}

export function serverFaults(servers: number, sessionTimeout: number): fc.Arbitrary<ServerFault> {
  const server = fc.integer({ min: 1, max: servers });
  const down = share(sessionTimeout, 5, 150);
  const alone: [number, fc.Arbitrary<ServerFault>][] = [
    [3, fc.record({ kind: fc.constant('serverKill'), server, ms: down })],
    [2, fc.record({ kind: fc.constant('serverPause'), server, ms: down })],
  ];
  if (servers < 3) return weighted<ServerFault>(...alone);
  return weighted<ServerFault>(
    ...alone,
    [4, fc.record({ kind: fc.constant('leaderKill'), ms: down })],
    [2, fc.record({ kind: fc.constant('quorumLoss'), survivor: server, ms: down })],
    [1, fc.record({ kind: fc.constant('ensembleRestart'), ms: down })],
  );
}

export function linkFaults(servers: number, sessionTimeout: number): fc.Arbitrary<LinkFault> {
  const follower = fc.integer({ min: 1, max: servers - 1 });
  return weighted<LinkFault>(
    [
      3,
      fc.record({
        kind: fc.constant('linkStall'),
        follower,
        directions: fc.constantFrom(
          ['toLeader'] as const,
          ['toFollower'] as const,
          ['toLeader', 'toFollower'] as const,
        ),
        ms: share(sessionTimeout, 10, 200),
      }),
    ],
    [
      2,
      fc.record({
        kind: fc.constant('doubleStall'),
        follower,
        ms: share(sessionTimeout, 20, 90),
        thenMs: share(sessionTimeout, 50, 200),
      }),
    ],
  );
}
