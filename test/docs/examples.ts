import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { LIBRARY, ROOT, compilerOptions, exportsOf, type Exported } from './compiler.js';
import type { CodeBlock } from './document.js';

const HERE = dirname(fileURLToPath(import.meta.url));
/** The modules from which `withImports` adds missing imports to the examples. */
const WELL_KNOWN = [
  'nestjs-locked',
  'nestjs-locked/schedule',
  'nestjs-locked/testing',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/schedule',
  '@nestjs/terminus',
  '@nestjs/testing',
  'rxjs',
  'vitest',
  './app.module.js',
  './payments.js',
  './stubs.js',
];
/** Declares the lock service that examples use without creating it. */
const AT_HAND = 'declare const locks: LockService;';

/** The documentation's examples, compiled against the library. */
export class Examples {
  readonly #program: ts.Program;
  readonly #files = new Map<string, string>();

  constructor(blocks: readonly CodeBlock[]) {
    const options = {
      ...compilerOptions(),
      paths: {
        'nestjs-locked': ['./lib/index.ts'],
        'nestjs-locked/schedule': ['./lib/schedule/index.ts'],
        'nestjs-locked/testing': ['./lib/testing/index.ts'],
      },
    };
    const host = ts.createCompilerHost(options);
    const disk = { ...host };
    host.fileExists = (file) => this.#files.has(file) || disk.fileExists(file);
    host.getSourceFile = (file, language) => {
      const text = this.#files.get(file);
      return text === undefined
        ? disk.getSourceFile(file, language)
        : ts.createSourceFile(file, text, language, true);
    };
    const library = ts.createProgram([LIBRARY, ...WELL_KNOWN.map(resolved)], options, host);
    const exported = new Map(WELL_KNOWN.map((name) => [name, exportsOf(library, resolved(name))]));
    for (const block of blocks) {
      this.#files.set(pathOf(block), withImports(block.text, exported));
    }
    this.#program = ts.createProgram([LIBRARY, ...this.#files.keys()], options, host, library);

    function resolved(name: string): string {
      const found = ts.resolveModuleName(name, join(HERE, 'examples.ts'), options, host).resolvedModule;
      if (found === undefined) throw new Error(`Cannot resolve ${name}`);
      return found.resolvedFileName;
    }
  }

  /** Returns the compiler's diagnostics for an example, or undefined if there are none. */
  problemsOf(block: CodeBlock): string | undefined {
    const file = this.#program.getSourceFile(pathOf(block));
    const problems = ts.getPreEmitDiagnostics(this.#program, file);
    if (problems.length === 0) return undefined;
    return ts.formatDiagnostics(problems, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => ROOT,
      getNewLine: () => '\n',
    });
  }
}

/** The virtual path of an example, which names its page and line in the compiler's messages. */
function pathOf({ file, line }: CodeBlock): string {
  return join(HERE, `${file.replaceAll('/', '-')}-line-${line}.ts`);
}

/** Adds the missing imports to the first line of an example, so that its line numbers stay the same. */
function withImports(text: string, exported: ReadonlyMap<string, readonly Exported[]>): string {
  const source = ts.createSourceFile('example.ts', text, ts.ScriptTarget.Latest, true);
  const missing = identifiersOf(source);
  for (const name of declaredIn(source)) missing.delete(name);
  if (missing.has('locks')) missing.add('LockService');
  const imports = [...exported].flatMap(([module, names]) => {
    const taken = names.map(({ name }) => name).filter((name) => missing.delete(name));
    return taken.length === 0 ? [] : [`import { ${taken.join(', ')} } from '${module}';`];
  });
  return [...imports, missing.has('locks') ? AT_HAND : '', 'export {};', text].join(' ');
}

function identifiersOf(source: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    // In `x.name` and `{ name: x }`, `name` does not refer to a variable.
    const isMember =
      (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
      (ts.isPropertyAssignment(node.parent) && node.parent.name === node);
    if (ts.isIdentifier(node) && !isMember) names.add(node.text);
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return names;
}

function declaredIn(source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    if (ts.isClassDeclaration(statement)) return [statement.name!.text];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    }
    const named = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
    return named !== undefined && ts.isNamedImports(named) ? named.elements.map(({ name }) => name.text) : [];
  });
}
