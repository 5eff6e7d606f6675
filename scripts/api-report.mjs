// Compares the public API, as the declarations of the build say it, with the reports in etc/; `--update` writes them.
// Types that a signature names and that no entry exports are errors.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const update = process.argv.includes('--update');
/** Entry point to the name of its report. The others may name what the first exports. */
const ENTRIES = {
  index: 'nestjs-locked',
  'schedule/index': 'nestjs-locked-schedule',
  'testing/index': 'nestjs-locked-testing',
};

const configs = Object.entries(ENTRIES).map(([entry, name]) => ({ name, config: configFor(entry, name) }));
// The declarations of all packages are read once.
const compilerState = CompilerState.create(configs[0].config, {
  additionalEntryPoints: configs.slice(1).map(({ config }) => config.mainEntryPointFilePath),
});
const exported = new Set();
for (const { name, config } of configs) {
  const { succeeded } = Extractor.invoke(config, {
    compilerState,
    localBuild: update,
    printApiReportDiff: !update,
    messageCallback(message) {
      const [, missing] = /^The symbol "(\w+)" needs to be exported/.exec(message.text) ?? [];
      if (exported.has(missing) || message.messageId === 'console-preamble') message.logLevel = 'none';
      if (message.messageId === 'console-api-report-not-copied')
        message.text = `The public API is not that of etc/${name}.api.md: run \`npm run api:update\`, review and commit`;
    },
  });
  if (!succeeded) process.exitCode = 1;
  const report = readFileSync(join(root, `build/api/${name}.api.md`), 'utf8');
  for (const [, symbol] of report.matchAll(/^export (?:abstract )?\w+ (\w+)/gm)) exported.add(symbol);
}

function configFor(entry, name) {
  const packageJsonFullPath = join(root, 'package.json');
  return ExtractorConfig.prepare({
    packageJsonFullPath,
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: root,
      newlineKind: 'lf',
      mainEntryPointFilePath: join(root, `dist/${entry}.d.ts`),
      compiler: {
        // The declarations alone: the sources are not looked at.
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2022',
            lib: ['ES2023', 'ESNext.Disposable'],
            module: 'NodeNext',
            moduleResolution: 'NodeNext',
            strict: true,
            skipLibCheck: false,
            types: ['node'],
          },
          files: Object.keys(ENTRIES).map((file) => `dist/${file}.d.ts`),
        },
      },
      apiReport: {
        enabled: true,
        reportFolder: join(root, 'etc'),
        reportTempFolder: join(root, 'build/api'),
        reportFileName: `${name}.api.md`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        extractorMessageReporting: {
          default: { logLevel: 'error' },
          // What an entry exports is public; `@publicApi` is the tag of Nest's own packages.
          'ae-missing-release-tag': { logLevel: 'none' },
          // What a name says needs no comment.
          'ae-undocumented': { logLevel: 'none' },
        },
        // Comments are written for editors, in JSDoc.
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });
}
