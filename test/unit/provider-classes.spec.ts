import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Visitor, parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';

/** Interfaces by which Nest calls an object, decorated or not. */
const CALLED_BY_NEST =
  /^(On(Module|Application)\w+|BeforeApplicationShutdown|NestInterceptor|ExceptionFilter|PipeTransform|CanActivate)$/;

type ClassNode = Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]['ClassDeclaration']>>[0];

/** Nest may wrap such an object in a Proxy (`instrument.instanceDecorator`), which cannot access `#` members. */
function isMadeForNest({ decorators, superClass, implements: interfaces }: ClassNode): boolean {
  const bases = [superClass, ...(interfaces ?? []).map(({ expression }) => expression)];
  return (
    decorators.length > 0 ||
    bases.some((base) => base?.type === 'Identifier' && CALLED_BY_NEST.test(base.name))
  );
}

/** `Class.#member` of all classes that Nest may inject. */
function hashMembersIn(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ClassNode): void => {
    if (!isMadeForNest(node)) return;
    for (const member of node.body.body) {
      if ('key' in member && member.key.type === 'PrivateIdentifier') {
        found.push(`${node.id?.name}.#${member.key.name}`);
      }
    }
  };
  const { program, errors } = parseSync(file, readFileSync(file, 'utf8'));
  expect(errors).toEqual([]);
  new Visitor({ ClassDeclaration: visit, ClassExpression: visit }).visit(program);
  return found;
}

test.each(['lib', 'sample-app/src'])('the providers of %s work behind a Proxy: no # members', (directory) => {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(directory, file));
  expect(files.flatMap(hashMembersIn)).toEqual([]);
});
