import ts from 'typescript';
import { LIBRARY, SCHEDULE_LIBRARY, TESTING_LIBRARY, compilerOptions, exportsOf } from './compiler.js';

/** What the library exports, as the compiler sees it. */
export class PublicApi {
  readonly #program = ts.createProgram([LIBRARY, SCHEDULE_LIBRARY, TESTING_LIBRARY], compilerOptions());

  /** Names of everything the library exports that exists at run time. */
  get values(): string[] {
    return [LIBRARY, SCHEDULE_LIBRARY]
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

function membersOfUnion(type: ts.Type): ts.Type[] {
  return type.isUnion() ? type.types : [type];
}
