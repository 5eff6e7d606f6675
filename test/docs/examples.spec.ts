import { beforeAll, describe, expect, test } from 'vitest';
import { Document, type CodeBlock } from './document.js';
import { Examples } from './examples.js';

const documents = Document.readAll();
const blocks = documents.flatMap((document) => document.blocks('ts'));
/** A locked method that does not compile, as the page on troubleshooting says. */
const SYNCHRONOUS: CodeBlock = {
  text: "class S { @Locked('x') report(): void {} }",
  file: 'synchronous',
  line: 0,
};
let examples: Examples;

beforeAll(() => {
  examples = new Examples([...blocks, SYNCHRONOUS]);
});

describe('every example compiles', () => {
  test.for(blocks)('$file, line $line', (block) => {
    expect(examples.problemsOf(block)).toBeUndefined();
  });

  test('and one that must not, does not', () => {
    const headings = Document.read('docs/troubleshooting.md').headings(2);
    expect(examples.problemsOf(SYNCHRONOUS)).toContain(headings.find((text) => text.startsWith('TS1241')));
  });
});

test('everything that can be imported is named', () => {
  const text = documents.map((document) => document.text).join('\n');
  expect(examples.values.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});
