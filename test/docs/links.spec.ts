import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Document } from './document.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAINTAINERS = ['CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'sample-app/README.md'];
const documents = [...Document.readAll(), ...MAINTAINERS.map((file) => Document.read(file))];
const anchors = new Map(documents.map((document) => [document.file, new Set(document.anchors())]));

test.for(documents)('every relative link of $file has a target', (document) => {
  const relative = document.links().filter((link) => !/^[a-z]+:/.test(link));
  expect(relative.filter((link) => !resolves(document.file, link))).toEqual([]);
});

/** Details belong in docs/. */
const README_BYTES = 9_500;

test('the README has at most 9.5 KB', () => {
  expect(Buffer.byteLength(Document.read('README.md').text)).toBeLessThanOrEqual(README_BYTES);
});

test('every page of docs/ is at most two links away from the README', () => {
  const near = linkedFrom('README.md');
  const linked = new Set([...near, ...near.flatMap(linkedFrom)]);
  const pages = documents.map(({ file }) => file).filter((file) => file.startsWith('docs/'));
  expect(pages.filter((file) => !linked.has(file))).toEqual([]);
});

/** The documents that one links to. */
function linkedFrom(file: string): string[] {
  const links = documents.find((document) => document.file === file)?.links() ?? [];
  return links.map((link) => join(dirname(file), link.replace(/#.*/, '')));
}

function resolves(from: string, link: string): boolean {
  const [path, anchor] = link.split('#') as [string, string?];
  const target = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchors.get(target)?.has(anchor) === true;
}
