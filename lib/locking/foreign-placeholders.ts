import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { escapeControls } from './escape-controls.js';

/** What stands in braces in some language or other: `{id}`, `{$id}`, `{#id}`, `{.Id}`, `{-1}`. */
const WORD = String.raw`[\p{L}\p{N}_$#@.-][^{}]*`;

/**
 * Reads a template from the left, as it will be compiled: `{{` and placeholders are taken out of the way of what follows.
 * A brace that is followed by a quote, a bracket or a colon may be JSON, and is left alone.
 */
const PLACEHOLDERS = new RegExp(
  [
    String.raw`(?<templateLiteral>\$\{(?!\{)[^{}]*\}?)`,
    // Twice '{', each of them escaped.
    String.raw`\{\{\{\{`,
    String.raw`(?<mustache>\{\{\s*(?:${WORD})?\}\})`,
    String.raw`\{\{`,
    String.raw`\{\d[^{}]*\}?`,
    String.raw`(?<empty>\{\s*\})`,
    String.raw`(?<named>\{\s*${WORD}\}?)`,
    String.raw`(?<=^|/)(?<route>:[\p{L}_][\p{L}\p{N}_]*)`,
  ].join('|'),
  'gu',
);

type Foreign = 'templateLiteral' | 'mustache' | 'empty' | 'named' | 'route';

const EXPLANATIONS: Record<Foreign, string> = {
  templateLiteral: 'which is replaced only between backticks',
  mustache: "in which '{{' stands for one '{'",
  empty: 'which says the number of no argument',
  named: 'but arguments have numbers here, because the names of parameters are not known at run time',
  route: 'which looks like the parameter of a route',
};

/**
 * Refuses placeholders as other libraries write them. They would stand for themselves, and so make one lock of many.
 *
 * @throws LockConfigurationError
 */
export function assertNoForeignPlaceholder(template: string): void {
  for (const { groups = {} } of template.matchAll(PLACEHOLDERS)) {
    for (const [kind, explanation] of Object.entries(EXPLANATIONS)) {
      const found = groups[kind];
      if (found !== undefined) throw refusal(template, found, explanation, kind === 'route');
    }
  }
}

function refusal(
  template: string,
  found: string,
  explanation: string,
  isRoute: boolean,
): LockConfigurationError {
  const escape = isRoute ? 'say' : "write '{{' for '{', or say";
  return new LockConfigurationError(
    `The resource template '${escapeControls(template)}' has '${escapeControls(found)}' in it, ${explanation}: all calls would share ` +
      "one lock. Write the number of the argument, as in 'order:{0}' or 'order:{0.id}', or a key function, as in " +
      `(id) => \`order:\${id}\`. If the name is meant as it is, ${escape} allowLiteral: true`,
  );
}
