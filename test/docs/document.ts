import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface CodeBlock {
  readonly text: string;
  /** Path of its document, relative to the repository. */
  readonly file: string;
  /** Number of its first line in that document. */
  readonly line: number;
}

/** One row of a table: column title to cell. */
export type Row = Readonly<Record<string, string>>;

const FENCE = /^```(\w*)$/;

/** A page of the documentation: its headings, tables, links and code blocks. */
export class Document {
  readonly #lines: readonly string[];

  constructor(
    /** Path of the page, relative to the repository. */
    readonly file: string,
    readonly text: string,
  ) {
    this.#lines = text.split('\n');
  }

  static read(file: string): Document {
    return new Document(file, readFileSync(join(ROOT, file), 'utf8'));
  }

  /** Reads the README and all pages of docs/. */
  static readAll(): Document[] {
    const pages = readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md'));
    return ['README.md', ...pages.sort().map((file) => `docs/${file}`)].map((file) => Document.read(file));
  }

  /** All code blocks of a language. */
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
        if (open.language === language) blocks.push({ text, file: this.file, line: open.from + 1 });
        open = undefined;
      }
    }
    return blocks;
  }

  /** The part under a heading, up to the next heading of the same or a higher rank. */
  section(title: string): Document {
    const from = this.#lines.findIndex((line) => rankOf(line) > 0 && line.replace(/^#+ /, '') === title);
    if (from === -1) throw new Error(`${this.file} has no section '${title}'`);
    const rank = rankOf(this.#lines[from]!);
    const rest = this.#lines.slice(from + 1);
    const length = rest.findIndex((line) => rankOf(line) > 0 && rankOf(line) <= rank);
    return new Document(this.file, rest.slice(0, length === -1 ? undefined : length).join('\n'));
  }

  /** The text of all headings of a rank, without the marks of code. */
  headings(rank: number): string[] {
    return this.#lines
      .filter((line) => rankOf(line) === rank)
      .map((line) => line.slice(rank + 1).replace(/^`+ ?(.*?) ?`+$/, '$1'));
  }

  /** The targets of all links, in order. */
  links(): string[] {
    return [...this.#prose().matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1]!);
  }

  /** The anchors of this page, as GitHub and npm derive them from the headings. */
  anchors(): string[] {
    const seen = new Map<string, number>();
    return this.#prose()
      .split('\n')
      .filter((line) => rankOf(line) > 0)
      .map((line) => {
        const anchor = anchorOf(line.replace(/^#+ /, ''));
        const earlier = seen.get(anchor) ?? 0;
        seen.set(anchor, earlier + 1);
        return earlier === 0 ? anchor : `${anchor}-${earlier}`;
      });
  }

  /** All inline code between the headings, without the backticks. It may contain a line break. */
  quotes(): string[] {
    const text = this.#lines.filter((line) => rankOf(line) === 0).join('\n');
    return [...text.matchAll(/(?<!`)(`+)(?!`)([^]+?)(?<!`)\1(?!`)/g)].map((match) =>
      match[2]!.replaceAll('`', '').replace(/\s+/g, ' ').trim(),
    );
  }

  /** The rows of every table whose first column has the title `column`. */
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

  /** The text without code blocks. */
  #prose(): string {
    return this.text.replace(/^```[^]*?^```$/gm, '');
  }
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** The inline code of a cell, without the backticks. */
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
