import { defineConfig, type TestUserConfig } from 'vitest/config';
import { WalkReporter } from './test/faults/frame-walk/walk-reporter.js';
import { ResourceReporter } from './test/resources/resource-reporter.js';
import { SkippedSpecsReporter } from './test/support/skipped-specs-reporter.js';
import { specGroups } from './test/support/spec-groups.js';
import { whyNoZooKeeper } from './test/support/zookeeper-installation.js';

const { plain, anyServer, realServer } = specGroups();
const noZooKeeper = whyNoZooKeeper();
// A run that is to judge a change must not leave anything out.
if (noZooKeeper !== undefined && process.env['CI']) throw new Error(noZooKeeper);

const projects: { name: string; include: string[]; env: Record<string, string> }[] = [
  { name: 'plain', include: [...plain], env: {} },
  { name: 'embedded', include: [...anyServer], env: { TEST_SERVER: 'embedded' } },
  ...(noZooKeeper === undefined ? [{ name: 'real', include: [...anyServer, ...realServer], env: {} }] : []),
];

/** What all runs of tests have in common, whichever tests they are. */
export const SHARED = {
  setupFiles: ['test/support/strict-processes.ts', 'test/fixtures/console-logger.ts'],
  // What a passing test has logged is of no interest.
  silent: 'passed-only',
  // Specs spend most of their time waiting, so that two cores serve three files at once. More would make servers miss
  // their own ticks.
  maxWorkers: 3,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // A rejection nobody handles is a defect of this library by definition (H46): never ignore one.
  dangerouslyIgnoreUnhandledErrors: false,
} satisfies TestUserConfig;

export default defineConfig({
  test: {
    ...SHARED,
    projects: projects.map((project) => ({
      extends: true,
      test: {
        ...project,
        typecheck: {
          enabled: project.name === 'plain',
          include: ['test/types/**/*.spec-d.ts'],
          tsconfig: './tsconfig.json',
        },
      },
    })),
    reporters: [
      'default',
      ...(process.env['GITHUB_ACTIONS'] ? ['github-actions'] : []),
      new WalkReporter(),
      new ResourceReporter(),
      // Last, because it says what the others could not see.
      new SkippedSpecsReporter(noZooKeeper, [...anyServer, ...realServer]),
    ],
  },
});
