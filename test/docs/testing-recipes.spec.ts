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

/** What the recipes import, by the name they use. */
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

// Each is a suite of its own, whose tests are those that the reader would run.
for (const recipe of recipes) describe(`line ${recipe.line}`, () => evaluate(recipe));

/** Runs a recipe with everything at hand that it does not import, such as the globals of Jest. */
function evaluate({ text, file, line }: CodeBlock): void {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const atHand = Object.assign({}, ...Object.values(MODULES)) as Record<string, unknown>;
  // In a block of its own, so that the recipe can declare these names.
  const filename = `${file}, line ${line}`;
  const run = compileFunction(`{ ${outputText}\n}`, ['require', 'exports', ...Object.keys(atHand)], {
    filename,
  }) as (...values: unknown[]) => void;
  run((name: string) => MODULES[name], {}, ...Object.values(atHand));
}
