/** One handling of a hazard undone, and the specs that must notice. */
export interface Sabotage {
  readonly name: string;
  /** What is undone. */
  readonly undoes: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Arguments of vitest. */
  readonly specs: readonly string[];
}

/** @throws Error if the code has changed so that the sabotage fits it no more */
export function sabotaged(text: string, { file, from, to, name }: Sabotage): string {
  const parts = text.split(from);
  if (parts.length !== 2) {
    throw new Error(`'${name}' does not fit any more: ${file} has ${parts.length - 1} times \`${from}\``);
  }
  return parts.join(to);
}
