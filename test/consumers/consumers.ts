/** A small application that uses the package as its users do. */
export interface Consumer {
  readonly name: string;
  /** Its installed packages: a directory of `installs/`. Some have @nestjs/schedule, which is optional. */
  readonly install: string;
  /** Its files: directories of `apps/`, later ones on top. */
  readonly layers: readonly string[];
  /** The package whose schematic wrote its configuration, which must be unchanged. */
  readonly scaffold?: string;
  /** Commands that must exit with code 0. */
  readonly commands: readonly string[];
  /** Programs for Node that serve HTTP until SIGTERM. */
  readonly starts: readonly string[];
}

const COMMONJS = { layers: ['nest11', 'nest11-commonjs'], scaffold: 'nest11/node_modules/schematics-11.0.5' };
const JEST = ['npm test', 'npm run test:e2e'];

export const CONSUMERS: readonly Consumer[] = [
  {
    name: 'nest11-commonjs-jest30',
    install: 'nest11',
    ...COMMONJS,
    commands: [...JEST, 'npm run build'],
    starts: ['dist/main'],
  },
  {
    name: 'nest11-commonjs-jest29',
    install: 'nest11-jest29',
    ...COMMONJS,
    layers: [...COMMONJS.layers, 'scheduled'],
    commands: JEST,
    starts: [],
  },
  {
    name: 'nest11-commonjs-types',
    install: 'nest11',
    ...COMMONJS,
    commands: ['node16', 'node18'].map(
      (kind) =>
        `npx --no-install tsc --noEmit --module ${kind} --moduleResolution node16 --incremental false`,
    ),
    starts: [],
  },
  {
    name: 'nest11-nodenext',
    install: 'nest11',
    layers: ['nest11', 'nest11-nodenext'],
    scaffold: 'nest11/node_modules/@nestjs/schematics',
    commands: [...JEST, 'npm run build'],
    starts: ['dist/main'],
  },
  {
    name: 'nest11-swc',
    install: 'nest11',
    layers: ['nest11', 'nest11-swc'],
    commands: [...JEST, 'npm run build'],
    starts: ['dist/main'],
  },
  {
    name: 'nest11-webpack',
    install: 'nest11',
    layers: ['nest11', 'nest11-webpack'],
    commands: ['npm test', 'npm run build'],
    starts: ['dist/main'],
  },
  {
    name: 'esbuild',
    install: 'nest11',
    layers: ['esbuild'],
    commands: ['npm test', 'npm run build'],
    starts: ['dist/main'],
  },
  {
    name: 'nest12-vitest',
    install: 'nest12',
    layers: ['nest12', 'scheduled'],
    scaffold: 'nest12/node_modules/@nestjs/schematics',
    commands: [
      'npm test',
      'npm run test:e2e',
      'npm run build',
      // As Node finds the names, which Vitest would find in other ways too.
      `node --input-type=module --eval "import { LockedCron } from 'nestjs-locked/schedule'"`,
    ],
    starts: ['dist/main.js'],
  },
  {
    name: 'plain',
    install: 'plain',
    layers: ['plain'],
    commands: ['npm test', 'npm run build'],
    starts: ['src/main.mjs', 'src/main.cjs'],
  },
];
