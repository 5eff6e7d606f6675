import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../sample-app/dist/src/main.js', import.meta.url));

/** Starts the built sample app, on any free port. */
export function startBoxOffice(settings: Readonly<Record<string, string>>): ChildProcess {
  const { ZOOKEEPER: _ZOOKEEPER, ...env } = process.env;
  return fork(PROGRAM, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...env, HOST: '127.0.0.1', PORT: '0', NO_COLOR: '1', ...settings },
  });
}

/** Resolves with the URL, which the app sends when it listens. */
export async function opened(child: ChildProcess): Promise<string> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const ended = once(child, 'close').then(() => {
    throw new Error(`The sample app exited before it was open:\n${output}`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }];
  return message.url;
}

export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
