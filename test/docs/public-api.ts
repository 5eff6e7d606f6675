import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const LIBRARY = entry('index');
const SCHEDULE_LIBRARY = entry('schedule/index');
const TESTING_LIBRARY = entry('testing/index');

interface Exported {
  readonly name: string;
  readonly isValue: boolean;
  /** Whether a comment describes it and marks it as `@publicApi`. */
  readonly isDocumented: boolean;
}

/** What the built library exports, as the compiler sees it. */
export class PublicApi {
  readonly #program = declarations(LIBRARY, SCHEDULE_LIBRARY, TESTING_LIBRARY);

  /** Names of everything the library exports that exists at run time. */
  get values(): string[] {
    return [LIBRARY, SCHEDULE_LIBRARY, TESTING_LIBRARY]
      .flatMap((entry) => exportsOf(this.#program, entry))
      .filter(({ isValue }) => isValue)
      .map(({ name }) => name);
  }

  /** Names of all exports, also of the other entries, without a comment that marks them as `@publicApi`. */
  get undocumented(): string[] {
    return [LIBRARY, SCHEDULE_LIBRARY, TESTING_LIBRARY]
      .flatMap((entry) => exportsOf(this.#program, entry))
      .filter(({ isDocumented }) => !isDocumented)
      .map(({ name }) => name);
  }

  /** Names of the members of an exported interface. */
  membersOf(name: string): string[] {
    return this.#typeOf(name)
      .getProperties()
      .map((property) => property.name);
  }

  /** Members of an exported interface whose comment has a `@default`, to its text without the marks of code. */
  defaultsOf(name: string): Record<string, string> {
    const tagged = this.#typeOf(name)
      .getProperties()
      .flatMap((member) =>
        member
          .getJsDocTags()
          .filter((tag) => tag.name === 'default')
          .map((tag) => [member.name, ts.displayPartsToString(tag.text).replaceAll('`', '').trim()] as const),
      );
    return Object.fromEntries(tagged);
  }

  /** The texts of an exported union of them. */
  literalsOf(name: string): string[] {
    return membersOfUnion(this.#typeOf(name)).map((member) => (member as ts.StringLiteralType).value);
  }

  /** The exported union of events: `type` to the names of the other fields. */
  eventsOf(name: string): Map<string, string[]> {
    const checker = this.#program.getTypeChecker();
    return new Map(
      membersOfUnion(this.#typeOf(name)).map((event) => {
        const type = checker.getTypeOfSymbol(event.getProperty('type')!) as ts.StringLiteralType;
        const fields = event.getProperties().map((property) => property.name);
        return [type.value, fields.filter((field) => field !== 'type')];
      }),
    );
  }

  #typeOf(name: string): ts.Type {
    const checker = this.#program.getTypeChecker();
    const file = checker.getSymbolAtLocation(this.#program.getSourceFile(LIBRARY)!)!;
    const symbol = checker.getExportsOfModule(file).find((candidate) => candidate.name === name);
    if (symbol === undefined) throw new Error(`The library does not export ${name}`);
    const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return checker.getDeclaredTypeOfSymbol(declared);
  }
}

function entry(name: string): string {
  return fileURLToPath(new URL(`../../dist/${name}.d.ts`, import.meta.url));
}

/** Only the library's own declarations: those of other packages take seconds to read. */
function declarations(...entries: readonly string[]): ts.Program {
  const absent = entries.filter((file) => !ts.sys.fileExists(file));
  if (absent.length > 0) throw new Error(`There is no ${absent.join(', ')}: run npm run build`);
  const options: ts.CompilerOptions = {
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    // For `Omit`, with which one interface extends another.
    lib: ['lib.es5.d.ts'],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, from, options, host) : { resolvedModule: undefined },
    );
  return ts.createProgram(entries, options, host);
}

function exportsOf(program: ts.Program, file: string): Exported[] {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
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

function membersOfUnion(type: ts.Type): ts.Type[] {
  return type.isUnion() ? type.types : [type];
}
