import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findZooKeeper } from './zookeeper-installation.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'zookeeper-home-'));
});
afterEach(() => rm(home, { recursive: true }));

test('finds a ZooKeeper and a Java on this machine', () => {
  const { java, classPath } = findZooKeeper();
  expect(java).toMatch(/java$/);
  expect(classPath).toMatch(/zookeeper/);
});

test('ZOOKEEPER_HOME takes precedence', async () => {
  await mkdir(join(home, 'lib'));
  await writeFile(join(home, 'lib', 'zookeeper-3.9.4.jar'), '');
  const { classPath } = findZooKeeper({ ...process.env, ZOOKEEPER_HOME: home });
  expect(classPath).toBe(`${home}/lib/*:${home}/conf`);
});

test('the error says what is missing and what to install', async () => {
  expect(() => findZooKeeper({ ...process.env, ZOOKEEPER_HOME: home })).toThrow(
    `ZOOKEEPER_HOME is ${home}, but there is no lib/zookeeper-<version>.jar in it: unset it and run "npm run setup".`,
  );
  expect(() => findZooKeeper({ PATH: home })).toThrow(
    'No Java 17 or newer in JAVA_HOME or PATH: run "npm run setup" (installs default-jre-headless on Debian or Ubuntu).',
  );
});

test('ignores a Java that is too old', async () => {
  await writeFile(join(home, 'java'), '#!/bin/sh\necho \'openjdk version "11.0.2"\' >&2\n', { mode: 0o755 });
  expect(() => findZooKeeper({ PATH: home })).toThrow('No Java 17 or newer');
  expect(findZooKeeper({ PATH: `${home}:${process.env['PATH']}` }).java).not.toContain(home);
});
