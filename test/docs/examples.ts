import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { LIBRARY, ROOT, compilerOptions, exportsOf, type Exported } from './compiler.js';
import type { CodeBlock } from './document.js';

const HERE = dirname(fileURLToPath(import.meta.url));
/** Where the examples take from what they do not import themselves; a reader knows these. */
const WELL_KNOWN = [
  'nestjs-locked',
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
/** Every example has a lock service at hand. */
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

  /** What the compiler says about the example that begins at this line; undefined if nothing. */
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

/** Where an example pretends to be, so that a message of the compiler leads to it. */
function pathOf({ file, line }: CodeBlock): string {
  return join(HERE, `${file.replaceAll('/', '-')}-line-${line}.ts`);
}

/** An example with the imports it leaves to its reader, in its first line, so that the line numbers stay. */
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
    // `x.name` and `{ name: x }` name nothing of their own.
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
