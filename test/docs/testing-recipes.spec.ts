import { compileFunction } from 'node:vm';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import * as common from '@nestjs/common';
import * as nestTesting from '@nestjs/testing';
import * as vitest from 'vitest';
import * as library from '../../lib/index.js';
import * as libraryTesting from '../../lib/testing/index.js';
import { AppModule } from './app.module.js';
import { Document, type CodeBlock } from './document.js';
import * as payments from './payments.js';

/** The modules that the recipes import, by specifier. */
const MODULES: Readonly<Record<string, object>> = {
  '@nestjs/common': common,
  '@nestjs/testing': nestTesting,
  vitest,
  'nestjs-locked': library,
  'nestjs-locked/testing': libraryTesting,
  './app.module': { AppModule },
  './payments': payments,
};

const page = Document.read('docs/testing.md');
const recipes = page.blocks('ts').filter(({ text }) => /^ *it\(/m.test(text));

test('the page has recipes', () => {
  expect(recipes.length).toBeGreaterThan(4);
});

// Each recipe is a separate suite, with the tests that a reader would run.
for (const recipe of recipes) describe(`line ${recipe.line}`, () => evaluate(recipe));

/** Runs a recipe. All exports of `MODULES` are in scope, also those that it does not import. */
function evaluate({ text, file, line }: CodeBlock): void {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const atHand = Object.assign({}, ...Object.values(MODULES)) as Record<string, unknown>;
  // The recipe is in a block, so that it can declare these names itself.
  const filename = `${file}, line ${line}`;
  const run = compileFunction(`{ ${outputText}\n}`, ['require', 'exports', ...Object.keys(atHand)], {
    filename,
  }) as (...values: unknown[]) => void;
  run((name: string) => MODULES[name], {}, ...Object.values(atHand));
}
