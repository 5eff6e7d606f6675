/** The commands and the program of the README's quick start. */
export interface QuickStart {
  /** Command lines that exit. */
  readonly install: readonly string[];
  /** The command line that keeps running. */
  readonly zookeeper: string;
  readonly fileName: string;
  readonly program: string;
  readonly start: string;
  /** Shell lines that send requests. */
  readonly requests: string;
}

const SECTION = /^## Quick start\n([^]*?)^## /m;
const BLOCK = /^```(\w+)\n([^]*?)^```$/gm;

/**
 * Parses the section "Quick start": the shell block that installs, the program in TypeScript, the shell block that
 * sends requests, and between them the names of the file and of the start command.
 */
export function readQuickStart(readme: string): QuickStart {
  const section = SECTION.exec(readme)?.[1];
  if (section === undefined) throw new Error('README.md has no section "## Quick start"');
  const blocks = [...section.matchAll(BLOCK)].map(([, language, text]) => ({ language, text: text! }));
  const block = (language: string, contains: string) =>
    present(
      blocks.find((candidate) => candidate.language === language && candidate.text.includes(contains))?.text,
      `a ${language} block with "${contains}"`,
    );
  const lines = block('sh', 'npm i')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const isServer = (line: string) => line.includes('nestjs-locked zookeeper');
  return {
    install: lines.filter((line) => !isServer(line)),
    zookeeper: present(lines.find(isServer), 'a line with "nestjs-locked zookeeper"'),
    fileName: present(/`(src\/\S+\.ts)`/.exec(section)?.[1], 'the name of a file for the program'),
    program: block('ts', 'NestFactory.create'),
    start: present(/`(npm (?:run )?start\S*)`/.exec(section)?.[1], 'the command that starts the program'),
    requests: block('sh', 'curl'),
  };
}

function present(text: string | undefined, what: string): string {
  if (text === undefined) throw new Error(`The section "Quick start" of README.md lacks ${what}`);
  return text;
}
