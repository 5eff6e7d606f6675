import { afterAll, beforeAll, expect, it } from 'vitest';
import { Play, type Script } from './scenario-run.js';
import { startCandidate, startJudge, type Server, type Settings } from './servers.js';

/**
 * Starts a ZooKeeper and the embedded server for a file of scenarios. Each scenario runs on both, and everything that its
 * clients heard has to be the same, in the same order.
 */
export function conformance(settings: Settings = {}): (name: string, script: Script) => void {
  let judge: Server;
  let candidate: Server;
  let scenarios = 0;

  beforeAll(async () => {
    [judge, candidate] = await Promise.all([startJudge(settings), startCandidate(settings)]);
  });

  afterAll(async () => {
    await Promise.all([judge, candidate].map((server) => server?.[Symbol.asyncDispose]()));
  });

  return (name, script) =>
    it(name, async () => {
      const root = `/scenario-${(scenarios += 1)}`;
      const [expected, actual] = await Promise.all([
        Play.perform(judge, root, script),
        Play.perform(candidate, root, script),
      ]);
      // What ZooKeeper does, for people: `SHOW=1 npx vitest run test/conformance -t 'a name'`.
      if (process.env['SHOW'] !== undefined) console.info(`${name}\n${expected}`);
      expect(actual, 'what clients of the embedded server heard').toBe(expected);
      expect(expected, 'the transcript of ZooKeeper').not.toContain('the script failed');
    });
}
