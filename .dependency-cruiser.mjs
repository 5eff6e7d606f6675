const NEST = '^(@nestjs/|node_modules/@nestjs/)';

/** The layers. Imports point down only: from the Nest modules to the locking core, and from the store to its port. */
export default {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-circular-folders',
      comment:
        'A folder counts with its subfolders, so a file of a folder may import from the folder above it.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'locking-knows-no-nest-and-no-store',
      comment: 'lib/locking defines locks independently of framework and store.',
      severity: 'error',
      from: { path: '^lib/locking/' },
      to: { path: ['^lib/(?!locking/)', NEST, 'node-zookeeper-client'] },
    },
    {
      name: 'execution-knows-no-nest',
      comment: 'lib/execution runs calls under a lock, for decorators and interceptors alike.',
      severity: 'error',
      from: { path: '^lib/execution/' },
      to: { path: ['^lib/(?!execution/|locking/|lock\\.service\\.ts$)', NEST] },
    },
    {
      name: 'fencing-needs-no-lock-service',
      comment:
        'A guarded resource has neither locks nor a connection to ZooKeeper: it knows names, checks of options, errors and error codes.',
      severity: 'error',
      from: { path: '^lib/fencing/' },
      to: {
        path: '^lib/',
        pathNot: [
          '^lib/fencing/',
          '^lib/locking/(describe-value|resource-name|resource-key|lock-modes|lock-provider\\.interface|errors/.*)\\.ts$',
          '^lib/locking/(option-table|option-checks|options-object|forgotten-promise)\\.ts$',
          '^lib/zookeeper/protocol/error-codes\\.ts$',
          '^lib/(filters/lock-exception\\.filter|safe-logger)\\.ts$',
        ],
      },
    },
    {
      name: 'fencing-of-stores-knows-no-nest',
      severity: 'error',
      from: { path: '^lib/fencing/', pathNot: '^lib/fencing/http/' },
      to: { path: NEST },
    },
    {
      name: 'zookeeper-knows-only-the-port',
      comment: 'lib/zookeeper implements the LockProvider port and must not import the rest of lib/locking.',
      severity: 'error',
      from: { path: '^lib/zookeeper/' },
      to: {
        path: '^lib/(?!zookeeper/)',
        pathNot:
          '^lib/locking/(lock-provider\\.interface|clock|random-source|abort|abortable|lazy-abort|drop-oldest|isolated|linked-list|lock-modes|retry-policy|describe-value|owner-text|escape-controls|errors/.*)\\.ts$',
      },
    },
    {
      name: 'zookeeper-knows-no-nest',
      severity: 'error',
      from: { path: '^lib/zookeeper/' },
      to: { path: NEST },
    },
    {
      name: 'session-stands-on-the-client-interface',
      comment:
        'Sessions and the lock recipe see the interface of the client and its errors, never its connections.',
      severity: 'error',
      from: { path: '^lib/zookeeper/(session|recipe)/' },
      to: {
        path: '^lib/zookeeper/client/',
        pathNot: '/(zookeeper-client\\.interface|zookeeper-error|lookup-error)\\.ts$',
      },
    },
    {
      name: 'session-knows-no-recipe',
      severity: 'error',
      from: { path: '^lib/zookeeper/(session|client)/' },
      to: { path: '^lib/zookeeper/recipe/' },
    },
    {
      name: 'client-knows-no-session',
      severity: 'error',
      from: { path: '^lib/zookeeper/client/' },
      to: { path: '^lib/zookeeper/session/' },
    },
    {
      name: 'one-door-to-the-client-package',
      severity: 'error',
      from: { path: '^lib/', pathNot: '^lib/zookeeper/client/package-internals\\.ts$' },
      to: { path: 'node-zookeeper-client' },
    },
    {
      name: 'schedule-is-optional',
      comment:
        'Applications without @nestjs/schedule load the library: only nestjs-locked/schedule may import it.',
      severity: 'error',
      from: { path: '^lib/', pathNot: '^lib/schedule/' },
      to: { path: ['^lib/schedule/', '^(node_modules/)?@nestjs/schedule'] },
    },
    {
      name: 'only-public-nest',
      comment: 'Nest has an exports map: deep imports break with its next release.',
      severity: 'error',
      from: { path: '^lib/' },
      to: {
        path: '^(node_modules/)?@nestjs/[^/]+/.+',
        pathNot: '^node_modules/@nestjs/(common|core|schedule/dist)/index\\.(d\\.ts|js)$',
      },
    },
    {
      name: 'only-tests-run-the-embedded-server',
      comment: 'The library must never load the code of nestjs-locked/testing.',
      severity: 'error',
      from: { path: '^lib/', pathNot: '^lib/testing/' },
      to: { path: '^lib/testing/' },
    },
    {
      name: 'embedded-server-stands-alone',
      comment:
        'It is the other end of the connection: it shares time, checks of options with their messages, and the tables of the protocol with ' +
        'the library, but reads and writes frames with its own code.',
      severity: 'error',
      from: { path: '^lib/testing/', pathNot: '^lib/testing/(nest/|index\\.ts$)' },
      to: {
        path: ['^lib/(?!testing/)', '^lib/testing/nest/', NEST, 'node-zookeeper-client'],
        pathNot: [
          '^lib/locking/(clock|describe-value|option-checks|option-table|options-object|errors/.*)\\.ts$',
          '^lib/zookeeper/protocol/',
        ],
      },
    },
    {
      name: 'testing-knows-no-client',
      comment:
        'Of lib/zookeeper, LockTesting and FakeLockService use the names and records of the lock recipe, never the client.',
      severity: 'error',
      from: { path: '^lib/testing/' },
      to: { path: '^lib/zookeeper/', pathNot: '^lib/zookeeper/(protocol|recipe)/' },
    },
    {
      name: 'protocol-imports-nothing',
      comment:
        'lib/zookeeper/protocol holds tables and shapes of ZooKeeper 3.8, for the client and the embedded server.',
      severity: 'error',
      from: { path: '^lib/zookeeper/protocol/' },
      to: { pathNot: '^lib/zookeeper/protocol/' },
    },
    {
      name: 'library-does-not-import-tests-or-samples',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(test|sample-app|tools)/' },
    },
    {
      name: 'sample-app-is-an-application-of-its-own',
      comment: 'It can be copied: it imports the library by the name of the package.',
      severity: 'error',
      from: { path: '^sample-app/' },
      to: { path: '^(?!sample-app/)', dependencyTypes: ['local'] },
    },
    {
      name: 'sample-app-names-its-dependencies',
      comment: 'Dependencies of the library do not count.',
      severity: 'error',
      from: { path: '^sample-app/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: ['node_modules', '^dist/'] },
    exclude: { path: '^sample-app/dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
