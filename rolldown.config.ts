import { readdirSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const PROGRAMS = ['test/processes', 'test/fixtures/programs'].flatMap((directory) =>
  readdirSync(directory).map((file) => `${directory}/${file}`),
);

/**
 * The programs that specs start, each with its packages in a few files. A run of the tests starts more than a hundred of
 * them: to load the thousand files of Nest, rxjs and the library one by one takes four times as long.
 */
export default defineConfig({
  input: Object.fromEntries(PROGRAMS.map((file) => [file.replace(/\.ts$/, ''), file])),
  platform: 'node',
  tsconfig: 'tsconfig.json',
  external: [
    // It says where it is, so that the library finds its crash guard.
    /guard-program\.cjs$/,
    // Nest and Postgres use them where they are installed.
    /^@fastify\//,
    /^@nestjs\/(microservices|websockets)/,
    'class-transformer',
    'class-validator',
    'pg-native',
  ],
  output: { dir: 'build', chunkFileNames: 'test/chunks/[name].js', strictExecutionOrder: true },
});
