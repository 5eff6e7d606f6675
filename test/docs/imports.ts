import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The files of the library's entries, by the names that readers import them by. */
export const ENTRIES: Readonly<Record<string, string>> = {
  'nestjs-locked': 'lib/index.ts',
  'nestjs-locked/schedule': 'lib/schedule/index.ts',
  'nestjs-locked/testing': 'lib/testing/index.ts',
};
/** The modules from which `withImports` adds missing imports to the examples. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  ...ENTRIES,
  './app.module.js': 'test/docs/app.module.ts',
  './payments.js': 'test/docs/payments.ts',
  './stubs.js': 'test/docs/stubs.ts',
};
/** Declares the lock service that examples use without creating it. */
const AT_HAND = 'declare const locks: LockService;';

const exported = Object.entries(WELL_KNOWN).map(([module, file]) => ({ module, names: exportsOf(file) }));

/** Adds the missing imports to the first line of an example, so that its line numbers stay the same. */
export function withImports(text: string): string {
  // All words, because an import that the example does not need does no harm.
  const missing = new Set(text.match(/\w+/g));
  for (const name of declaredIn(text)) missing.delete(name);
  if (missing.has('locks')) missing.add('LockService');
  const imports = exported.flatMap(({ module, names }) => {
    const taken = names.filter((name) => missing.delete(name));
    return taken.length === 0 ? [] : [`import { ${taken.join(', ')} } from '${module}';`];
  });
  return [...imports, missing.has('locks') ? AT_HAND : '', 'export {};', text].join(' ');
}

function exportsOf(file: string): string[] {
  const { module } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'));
  const names = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName }) => exportName.name),
  );
  return names.filter((name) => name !== null);
}

/** The imports and the top level of an example; nothing if it has a syntax error, which the compiler reports. */
function declaredIn(text: string): string[] {
  const { module, program } = parseSync('example.ts', text);
  const imported = module.staticImports.flatMap(({ entries }) =>
    entries.map(({ localName }) => localName.value),
  );
  const declared = program.body.flatMap((statement): (object | null)[] => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type === 'VariableDeclaration') return declaration.declarations.map(({ id }) => id);
    return declaration !== null && 'id' in declaration ? [declaration.id] : [];
  });
  const names = declared.flatMap((id) => (id !== null && 'name' in id ? String(id.name) : []));
  return [...imported, ...names];
}
