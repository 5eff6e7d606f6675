import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import type { CodeBlock } from './document.js';

/** A directory in the package, so that the program can import the package by name, from `dist`. */
const DIRECTORY = fileURLToPath(new URL('../../build/docs/', import.meta.url));

/** Whether an example is a complete program, which calls its `main()` or `bootstrap()`. */
export function isProgram({ text }: CodeBlock): boolean {
  return /^(?:void |await )?(?:main|bootstrap)\(\);$/m.test(text);
}

/** An example that runs in a separate process, as CommonJS like the output of `nest new`. Killed when the test ends. */
export class DocumentProgram implements AsyncDisposable {
  /** All output so far. */
  output = '';
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown[]>;

  private constructor(file: string) {
    this.#child = spawn(process.execPath, [file], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.#closed = once(this.#child, 'close');
  }

  /** @param replacements strings to replace in the text, such as a port; each must occur in it */
  static start(block: CodeBlock, replacements: Readonly<Record<string, string>>): DocumentProgram {
    let text = block.text;
    for (const [from, to] of Object.entries(replacements)) {
      if (!text.includes(from)) throw new Error(`${block.file} has no '${from}' in its program`);
      text = text.replaceAll(from, to);
    }
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: {
        module: ts.ModuleKind.CommonJS,
        target: ts.ScriptTarget.ES2022,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
      },
    });
    mkdirSync(DIRECTORY, { recursive: true });
    const file = join(DIRECTORY, `${block.file.replaceAll('/', '-')}-${process.pid}-${block.line}.cjs`);
    writeFileSync(file, outputText);
    return endedWithTest(new DocumentProgram(file));
  }

  /** Sends SIGTERM, as platforms do; resolves with the exit code and the signal when all output has arrived. */
  terminate(): Promise<unknown[]> {
    this.#child.kill('SIGTERM');
    return this.#closed;
  }

  /** Resolves with the exit code and the signal when the program has ended. */
  ended(): Promise<unknown[]> {
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}
