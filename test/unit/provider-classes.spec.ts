import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Interfaces by which Nest calls an object, decorated or not. */
const CALLED_BY_NEST =
  /^(On(Module|Application)\w+|BeforeApplicationShutdown|NestInterceptor|ExceptionFilter|PipeTransform|CanActivate)$/;

/** Nest may wrap such an object in a Proxy (`instrument.instanceDecorator`), which cannot access `#` members. */
function isMadeForNest(node: ts.ClassLikeDeclaration): boolean {
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.map((type) => type.expression.getText()),
  );
  return (ts.getDecorators(node) ?? []).length > 0 || bases.some((base) => CALLED_BY_NEST.test(base));
}

/** `Class.#member` of all classes that Nest may inject. */
function hashMembersIn(file: string): string[] {
  const found: string[] = [];
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node) && isMadeForNest(node)) {
      for (const { name } of node.members) {
        if (name !== undefined && ts.isPrivateIdentifier(name)) found.push(`${node.name?.text}.${name.text}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test.each(['lib', 'sample-app/src'])('the providers of %s work behind a Proxy: no # members', (directory) => {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(directory, file));
  expect(files.flatMap(hashMembersIn)).toEqual([]);
});
