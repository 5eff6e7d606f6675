import { describe, expect, test } from 'vitest';
import { OperationError } from '../../../lib/testing/tree/operation-error.js';
import { isValidPath, parentOf, parentOfDeletable } from '../../../lib/testing/tree/paths.js';

describe('a path is valid', () => {
  test.for([
    '/',
    '/a',
    '/a/b',
    '/...',
    '/.a',
    '/a.',
    '/..a',
    '/a..b',
    '/ ',
    '/a:b',
    '/東京',
    '/\u00a0',
    '/\ud7ff',
    '/\uf900',
    '/\uffef',
  ])('%j', (path) => {
    expect(isValidPath(path)).toBe(true);
  });
});

describe('a path is not valid', () => {
  test.for([
    '',
    'a',
    'a/b',
    '//',
    '/a/',
    '//a',
    '/a//b',
    '/.',
    '/..',
    '/./a',
    '/../a',
    '/a/.',
    '/a/..',
    '/a/../b',
    '/a\u0000',
    '/\u0001',
    '/\u001f',
    '/\u007f',
    '/\u009f',
    '/\ud800',
    '/\u{1f512}',
    '/\ue000',
    '/\uf8ff',
    '/\ufff0',
    '/\uffff',
  ])('%j', (path) => {
    expect(isValidPath(path)).toBe(false);
  });
});

test('the parent of a child of the root has no name', () => {
  expect([parentOf('/a'), parentOf('/a/b')]).toEqual(['', '/a']);
});

test.for(['', 'a', '/a\0/b'])('%j has no parent', (path) => {
  expect(() => parentOf(path)).toThrow(OperationError);
});

test.for(['/', '/zookeeper', '/zookeeper/quota', '/zookeeper/config'])('%s cannot be deleted', (path) => {
  expect(() => parentOfDeletable(path)).toThrow(OperationError);
});

test('nodes of clients below the nodes of the server can be deleted', () => {
  expect(parentOfDeletable('/zookeeper/quota/a')).toBe('/zookeeper/quota');
});
