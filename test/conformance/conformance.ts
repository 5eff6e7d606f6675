import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScenarioRun, type Script } from './scenario-run.js';
import { startCandidate, startReference, type Server, type Settings } from './servers.js';

/**
 * Starts a real ZooKeeper and the embedded server, or another candidate, for a file of scenarios. Each scenario runs on
 * both, and both transcripts must be equal.
 *
 * The clients of this suite have separate tables, readers and writers (`protocol/`, `test/support`), so that the suite
 * finds errors in `lib/zookeeper/protocol`, which the library and the embedded server share.
 */
export function conformance(
  settings: Settings = {},
  { skip = false } = {},
): (name: string, script: Script) => void {
  let reference: Server;
  let candidate: Server;
  let scenarios = 0;

  beforeAll(async () => {
    [reference, candidate] = await Promise.all([startReference(settings), startCandidate(settings)]);
  });

  afterAll(async () => {
    await Promise.all([reference, candidate].map((server) => server?.[Symbol.asyncDispose]()));
  });

  return (name, script) =>
    it.skipIf(skip)(name, async () => {
      const root = `/scenario-${(scenarios += 1)}`;
      const [expected, actual] = await Promise.all([
        ScenarioRun.perform(reference, root, script),
        ScenarioRun.perform(candidate, root, script),
      ]);
      // To see what ZooKeeper does: `SHOW=1 npx vitest run test/conformance -t 'a name'`.
      if (process.env['SHOW'] !== undefined) console.info(`${name}\n${expected}`);
      expect(actual, 'what clients of the candidate received').toBe(expected);
      expect(expected, 'the transcript of ZooKeeper').not.toContain('the script failed');
    });
}
