import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Specs that need a server mostly wait and leave the cores to others; a run that ends with them would leave a core idle. */
const PROJECTS = ['embedded', 'model', 'real', 'plain'];

/** Specs of 15 s and more, the longest first: one that starts as the last of its project would delay the end of the run. */
const LONGEST = [
  'faults/holder-cut-off.zookeeper.spec.ts',
  'sample-app/page.spec.ts',
  'faults/ensemble-down.server.spec.ts',
  'locks/scheduled-jobs.zookeeper.spec.ts',
  'interop/locks.zookeeper.spec.ts',
  'conformance/expiry.zookeeper.spec.ts',
  'security/hostile-replies-to-holders.zookeeper.spec.ts',
  'faults/late-heartbeat.zookeeper.spec.ts',
  'faults/stalled-process.server.spec.ts',
  'simulation/search.spec.ts',
  'locks/crash-guard.server.spec.ts',
  'faults/flapping.zookeeper.spec.ts',
  'faults/wall-clock.zookeeper.spec.ts',
  'docs/programs.spec.ts',
  'resources/resources.zookeeper.spec.ts',
  'interop/members.zookeeper.spec.ts',
  'security/hostile-replies.zookeeper.spec.ts',
  'security/secrets.zookeeper.spec.ts',
  'e2e/signals.e2e.spec.ts',
  'e2e/failed-start.e2e.spec.ts',
  'e2e/stalled-stream.e2e.spec.ts',
];

/** Orders the specs so that both cores have work until the end, also on a machine that has never run them. */
export class SpecOrder extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specs);
    return sorted.sort((one, other) => projectRank(one) - projectRank(other) || rank(one) - rank(other));
  }
}

function projectRank({ project }: TestSpecification): number {
  return PROJECTS.indexOf(project.name);
}

function rank({ moduleId }: TestSpecification): number {
  const index = LONGEST.findIndex((path) => moduleId.endsWith(path));
  return index === -1 ? LONGEST.length : index;
}
