import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { mutated, type Mutant } from '../../mutants/mutant.js';

/**
 * A copy of the compiled project with one mutant in it. Only the mutated file is compiled again, without a check of its
 * types: `npm run test:mutants` shows that each mutant compiles.
 */
export class MutatedBuild {
  readonly directory = mkdtempSync(join(tmpdir(), 'mutant-'));

  constructor(mutant: Mutant) {
    cpSync('build', join(this.directory, 'build'), { recursive: true });
    cpSync('package.json', join(this.directory, 'package.json'));
    symlinkSync(join(process.cwd(), 'node_modules'), join(this.directory, 'node_modules'));
    const { outputText } = ts.transpileModule(mutated(readFileSync(mutant.file, 'utf8'), mutant), {
      fileName: mutant.file,
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ESNext,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        verbatimModuleSyntax: true,
      },
    });
    writeFileSync(join(this.directory, 'build', mutant.file.replace(/\.ts$/, '.js')), outputText);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
