import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './program.js';

/** Files of the application, or of programs that are not checked here. */
const NOT_CONFIGURATION = /\.md$|^src\/|spec\.ts$|eslint|oxlint|prettier/;

/** Generates an application with Nest's schematics; resolves with its directory. */
export async function writeScaffold(workspace: string, scaffold: string, name: string): Promise<string> {
  const schematic = `${join(workspace, scaffold, 'dist/collection.json')}:application`;
  await run(
    `node_modules/.bin/schematics '${schematic}' --name=app --directory='${name}' --package-manager=npm --dry-run=false`,
    { cwd: join(workspace, 'nest11') },
  );
  return join(workspace, 'nest11', name);
}

/** @throws Error that names the first configuration file that differs from the scaffold */
export async function assertUntouched(
  workspace: string,
  scaffold: string,
  application: string,
): Promise<void> {
  const written = await writeScaffold(workspace, scaffold, `scaffold-of-${application.split('/').at(-1)!}`);
  const files = readdirSync(written, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(written.length + 1))
    .filter((file) => !NOT_CONFIGURATION.test(file));
  if (!files.includes('package.json'))
    throw new Error(`The scaffold has written no package.json: ${files.join()}`);
  for (const file of files) {
    if (readFileSync(join(written, file), 'utf8') !== readFileSync(join(application, file), 'utf8'))
      throw new Error(`${file} of ${application} is not as the scaffold wrote it`);
  }
}
