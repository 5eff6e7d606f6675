import { defineConfig, type TestUserConfig } from 'vitest/config';
import { WalkReporter } from './test/faults/frame-walk/walk-reporter.js';
import { ResourceReporter } from './test/resources/resource-reporter.js';
import { MAX_WORKERS } from './test/support/max-workers.js';
import { SpecOrder } from './test/support/spec-order.js';
import { SkippedSpecsReporter } from './test/support/skipped-specs-reporter.js';
import { whyNoZooKeeper } from './test/support/zookeeper-installation.js';

const noZooKeeper = whyNoZooKeeper();
// A run that is to judge a change must not leave anything out.
if (noZooKeeper !== undefined && process.env['CI']) throw new Error(noZooKeeper);

/** The end of a spec's name says which servers it needs; CONTRIBUTING.md lists the endings. */
export const specs = (...endings: string[]): string[] =>
  endings.flatMap((ending) => ['test', 'tools'].map((directory) => `${directory}/**/*.${ending}.ts`));

/** What runs before the specs that need real servers or foreign clients. */
export const WITH_JAVA = {
  globalSetup: ['test/interop/java-setup.ts'],
} satisfies TestUserConfig;

/** What all runs of tests have in common, whichever tests they are. */
export const SHARED = {
  setupFiles: [
    'test/support/strict-processes.ts',
    'test/support/declared-server.ts',
    'test/fixtures/console-logger.ts',
  ],
  // What a passing test has logged is of no interest.
  silent: 'passed-only',
  // All projects share the workers: while the slowest file of one runs, the others go on.
  maxWorkers: MAX_WORKERS,
  // To load Nest and the library takes longer than most specs. Neither keeps state in its modules: specs can share them.
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // A rejection nobody handles is a defect of this library by definition (H46): never ignore one.
  dangerouslyIgnoreUnhandledErrors: false,
} satisfies TestUserConfig;

const embedded = {
  name: 'embedded',
  include: specs('spec'),
  exclude: [...specs('{zookeeper,soak}.spec'), 'test/consumers/**'],
  env: { PROJECT_SERVER: 'embedded' },
  typecheck: { enabled: true, include: ['test/types/**/*.spec-d.ts'], tsconfig: './tsconfig.types.json' },
};

const real = {
  ...WITH_JAVA,
  name: 'real',
  include: specs('server.spec', 'zookeeper.spec'),
  env: { PROJECT_SERVER: 'real' },
};

export default defineConfig({
  test: {
    ...SHARED,
    sequence: { sequencer: SpecOrder },
    projects: [embedded, ...(noZooKeeper === undefined ? [real] : [])].map((test) => ({
      extends: true,
      test,
    })),
    reporters: [
      'default',
      ...(process.env['GITHUB_ACTIONS'] ? ['github-actions'] : []),
      new WalkReporter(),
      new ResourceReporter(),
      // Last, because it says what the others could not see.
      new SkippedSpecsReporter(noZooKeeper),
    ],
  },
});
