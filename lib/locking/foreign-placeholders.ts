import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { escapeControls } from './escape-controls.js';

/** The content of placeholders in various languages: `{id}`, `{$id}`, `{#id}`, `{.Id}`, `{-1}`. */
const WORD = String.raw`[\p{L}\p{N}_$#@.-][^{}]*`;

/**
 * Matches from the left, as the template is compiled: consumes `{{` and our own placeholders. A brace followed by a quote,
 * a bracket or a colon may be JSON, and does not match.
 */
const PLACEHOLDERS = new RegExp(
  [
    String.raw`(?<templateLiteral>\$\{(?!\{)[^{}]*\}?)`,
    // Two escaped braces.
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
  empty: 'which has no argument number',
  named: 'but arguments are numbered, because parameter names are not known at run time',
  route: 'which looks like a route parameter',
};

/**
 * Refuses placeholders in the syntax of other libraries. They would be literal text, so unrelated calls would share a lock.
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
  const escape = isRoute ? 'set' : "write '{{' for '{', or set";
  return new LockConfigurationError(
    `The resource template '${escapeControls(template)}' contains '${escapeControls(found)}', ${explanation}: all calls would share ` +
      "one lock. Use the argument number, as in 'order:{0}' or 'order:{0.id}', or a key function, as in " +
      `(id) => \`order:\${id}\`. If this literal name is intended, ${escape} allowLiteral: true`,
  );
}
