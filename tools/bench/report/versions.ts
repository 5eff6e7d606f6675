import { spawnSync } from 'node:child_process';

const PACKAGES = [
  'zookeeper',
  'openjdk-*-jre-headless',
  'libcurator-recipes-java',
  'python3-kazoo',
  'redis-server',
  'postgresql',
];

/** What was measured, as far as it was installed with the packages of Debian. */
export function versions(): string {
  // Elsewhere there is no such command. If a package is missing, it lists the others.
  const { stdout } = spawnSync(
    'dpkg-query',
    ['--show', '--showformat=${Package} ${Version}\n', ...PACKAGES],
    { encoding: 'utf8' },
  );
  const packages = (stdout ?? '').matchAll(/^(?<name>\S+) (?:\d+:)?(?<version>[\d.]+)/gm);
  const named = Array.from(packages, ({ groups }) => `${groups!['name']} ${groups!['version']}`);
  return [`Node ${process.versions.node}`, ...named].join(', ');
}
