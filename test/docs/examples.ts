import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodeBlock } from './document.js';
import { ENTRIES, withImports } from './imports.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIRECTORY = 'build/examples';
/** As in most applications, the examples import types and values in one statement, and files without an extension. */
const CONFIGURATION = {
  extends: '../../tsconfig.json',
  compilerOptions: {
    module: 'Preserve',
    moduleResolution: 'Bundler',
    verbatimModuleSyntax: false,
    rootDir: '../..',
    // The examples import the files of test/docs as their neighbours.
    rootDirs: ['.', '../../test/docs'],
    paths: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, [`../../${file}`]])),
  },
  include: ['*.ts', '../../lib/**/*.d.ts'],
  exclude: [],
};

/** The documentation's examples, compiled against the library. */
export class Examples {
  readonly #problems = new Map<CodeBlock, string>();

  constructor(blocks: readonly CodeBlock[]) {
    const files = new Map(blocks.map((block) => [fileOf(block), block]));
    const directory = join(ROOT, DIRECTORY);
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(CONFIGURATION));
    for (const [file, { text }] of files) writeFileSync(join(ROOT, file), withImports(text));
    for (const message of compilerMessages()) {
      const [, file, line, problem] = /^(.+)\((\d+),\d+\): ([^]+)$/.exec(message) ?? [];
      const block = files.get(file!);
      if (block === undefined) throw new Error(`The compiler could not check the examples: ${message}`);
      const located = `${block.file}, line ${block.line + Number(line) - 1}: ${problem}`;
      this.#problems.set(block, [this.#problems.get(block) ?? [], located].flat().join('\n'));
    }
  }

  /** Returns the compiler's messages about an example, or undefined if there are none. */
  problemsOf(block: CodeBlock): string | undefined {
    return this.#problems.get(block);
  }
}

/** The path of an example, which names its page and line. */
function fileOf({ file, line }: CodeBlock): string {
  return `${DIRECTORY}/${file.replaceAll('/', '-')}-line-${line}.ts`;
}

/** What `tsc` prints: the native one, which checks all examples in a second. */
function compilerMessages(): string[] {
  const tsc = spawnSync('node_modules/.bin/tsc', ['-p', DIRECTORY, '--pretty', 'false'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (tsc.error !== undefined) throw tsc.error;
  // The further lines of a message are indented.
  return `${tsc.stdout}${tsc.stderr}`.split(/\n(?! )/).filter((message) => message !== '');
}
