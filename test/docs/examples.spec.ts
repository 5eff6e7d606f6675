import { beforeAll, describe, expect, test } from 'vitest';
import { Document, type CodeBlock } from './document.js';
import { Examples } from './examples.js';

const blocks = Document.readAll().flatMap((document) => document.blocks('ts'));
/** A locked method that does not compile; docs/troubleshooting.md quotes the error. */
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

  test('a synchronous locked method does not compile', () => {
    const headings = Document.read('docs/troubleshooting.md').headings(2);
    expect(examples.problemsOf(SYNCHRONOUS)).toContain(headings.find((text) => text.startsWith('TS1241')));
  });
});
