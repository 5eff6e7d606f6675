import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const LIBRARY = join(ROOT, 'lib/index.ts');
export const SCHEDULE_LIBRARY = join(ROOT, 'lib/schedule/index.ts');
export const TESTING_LIBRARY = join(ROOT, 'lib/testing/index.ts');

/** Timeout for compiling, which takes ten seconds, or several times as long on a busy machine. */
export const COMPILER_PATIENCE_MS = 300_000;

export interface Exported {
  readonly name: string;
  readonly isValue: boolean;
  /** Whether a comment describes it and marks it as `@publicApi`. */
  readonly isDocumented: boolean;
}

export function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, ROOT);
  // As in most applications, the examples import types and values in one statement, and files without an extension.
  return {
    ...options,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    verbatimModuleSyntax: false,
    noUnusedLocals: false,
  };
}

export function exportsOf(program: ts.Program, file: string): Exported[] {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file)!);
  if (module === undefined) throw new Error(`${file} is not a module`);
  return checker.getExportsOfModule(module).map((symbol) => {
    const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return {
      name: symbol.name,
      isValue: (declared.flags & ts.SymbolFlags.Value) !== 0,
      isDocumented:
        declared.getDocumentationComment(checker).length > 0 &&
        declared.getJsDocTags(checker).some((tag) => tag.name === 'publicApi'),
    };
  });
}
