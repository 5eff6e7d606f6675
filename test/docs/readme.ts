import { readFileSync } from 'node:fs';

export interface CodeBlock {
  readonly text: string;
  /** Of its first line in the README. */
  readonly line: number;
}

/** One row of a table: column title to cell. */
export type Row = Readonly<Record<string, string>>;

const FENCE = /^```(\w*)$/;

/** The README as its reader sees it: headings, tables and blocks of code. */
export class Readme {
  readonly #lines: readonly string[];

  constructor(readonly text: string) {
    this.#lines = text.split('\n');
  }

  static read(): Readme {
    return new Readme(readFileSync(new URL('../../README.md', import.meta.url), 'utf8'));
  }

  /** All blocks of a language. */
  blocks(language: string): CodeBlock[] {
    const blocks: CodeBlock[] = [];
    let open: { language: string; from: number } | undefined;
    for (const [i, line] of this.#lines.entries()) {
      const fence = FENCE.exec(line);
      if (fence === null) continue;
      if (open === undefined) {
        open = { language: fence[1]!, from: i + 1 };
      } else {
        const text = this.#lines.slice(open.from, i).join('\n');
        if (open.language === language) blocks.push({ text, line: open.from + 1 });
        open = undefined;
      }
    }
    return blocks;
  }

  /** The part under a heading, up to the next one of its rank or above. */
  section(title: string): Readme {
    const from = this.#lines.findIndex((line) => rankOf(line) > 0 && line.replace(/^#+ /, '') === title);
    if (from === -1) throw new Error(`The README has no section '${title}'`);
    const rank = rankOf(this.#lines[from]!);
    const rest = this.#lines.slice(from + 1);
    const length = rest.findIndex((line) => rankOf(line) > 0 && rankOf(line) <= rank);
    return new Readme(rest.slice(0, length === -1 ? undefined : length).join('\n'));
  }

  /** The text of all headings of a rank, without the marks of code. */
  headings(rank: number): string[] {
    return this.#lines
      .filter((line) => rankOf(line) === rank)
      .map((line) => line.slice(rank + 1).replace(/^`+ ?(.*?) ?`+$/, '$1'));
  }

  /** What is marked as code in the text between the headings, without the marks; it may go over the end of a line. */
  quotes(): string[] {
    const text = this.#lines.filter((line) => rankOf(line) === 0).join('\n');
    return [...text.matchAll(/(?<!`)(`+)(?!`)([^]+?)(?<!`)\1(?!`)/g)].map((match) =>
      match[2]!.replaceAll('`', '').replace(/\s+/g, ' ').trim(),
    );
  }

  /** Every table in which `column` is the title of the first column. */
  tables(column: string): Row[] {
    return this.#lines.flatMap((line, i) => {
      const titles = cellsOf(line);
      if (titles[0] !== column || !/^\| ?-/.test(this.#lines[i + 1] ?? '')) return [];
      const body = this.#lines.slice(i + 2);
      const length = body.findIndex((row) => !row.startsWith('|'));
      return body
        .slice(0, length === -1 ? undefined : length)
        .map((row) => Object.fromEntries(cellsOf(row).map((cell, c) => [titles[c] ?? '', cell])));
    });
  }
}

/** The texts marked as code in a cell. */
export function codeIn(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
}

function rankOf(line: string): number {
  return /^(#+) /.exec(line)?.[1]!.length ?? 0;
}

function cellsOf(line: string): string[] {
  if (!line.startsWith('|')) return [];
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
