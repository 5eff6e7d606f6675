/** A change that removes the handling of one hazard, and the specs that must fail because of it. */
export interface Mutant {
  readonly name: string;
  /** The rule that the change removes. */
  readonly undoes: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Arguments for vitest. */
  readonly specs: readonly string[];
}

/** @throws Error if `from` does not occur exactly once in `text` */
export function mutated(text: string, { file, from, to, name }: Mutant): string {
  const parts = text.split(from);
  if (parts.length !== 2) {
    throw new Error(`'${name}' no longer fits: \`${from}\` occurs ${parts.length - 1} times in ${file}`);
  }
  return parts.join(to);
}
