import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Document, codeIn } from './document.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const contributing = Document.read('CONTRIBUTING.md');

/** The folders of the layout block, which indents a folder by two spaces more than its parent. */
function listedFolders(): string[] {
  const [layout] = contributing.section('Where things live').blocks('text');
  const parents: string[] = [];
  return layout!.text.split('\n').map((line) => {
    const [, indentation, name] = /^( *)([\w-]+)\/ +\S/.exec(line)!;
    parents.length = indentation!.length / 2;
    parents.push(name!);
    return parents.join('/');
  });
}

function foldersIn(folder: string, recursive: boolean): string[] {
  return readdirSync(join(ROOT, folder), { recursive, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length));
}

describe('CONTRIBUTING', () => {
  test('lists every folder of lib and tools', () => {
    const listed = new Set(listedFolders());
    const folders = [...foldersIn('lib', true), ...foldersIn('tools', false)];
    expect(folders.filter((folder) => !listed.has(folder))).toEqual([]);
  });

  test('lists exactly the folders of test', () => {
    const listed = contributing.tables('directory').map((row) => codeIn(row['directory'])[0]!.slice(0, -1));
    expect(listed.sort()).toEqual(foldersIn('test', false).sort());
  });
});

test.for(['CONTRIBUTING.md', 'docs/architecture.md'])('every path in %s exists', (file) => {
  const quoted = Document.read(file).quotes();
  const paths = quoted.filter((text) => /^(lib|test|tools|scripts|etc|\.github|\.ci)\/[\w./-]+$/.test(text));
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
