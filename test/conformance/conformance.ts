import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScenarioRun, type Script } from './scenario-run.js';
import {
  chosenCandidate,
  startCandidate,
  startReference,
  type Candidate,
  type Server,
  type Settings,
} from './servers.js';

interface Candidates {
  /** Compared with ZooKeeper unless the environment chooses another one. @default the embedded server */
  readonly candidates?: readonly Candidate[];
  /** Those that lack what the scenarios are about. */
  readonly unable?: readonly Candidate[];
}

/**
 * Starts a real ZooKeeper and the candidates for a file of scenarios. Each scenario runs on all of them, and all
 * transcripts must be equal.
 *
 * The clients of this suite have separate tables, readers and writers (`protocol/`, `test/support`), so that the suite
 * finds errors in `lib/zookeeper/protocol`, which the library and the embedded server share.
 */
export function conformance(
  settings: Settings = {},
  { candidates = ['embedded'], unable = [] }: Candidates = {},
): (name: string, script: Script) => void {
  const chosen = chosenCandidate();
  const tested = chosen === undefined ? candidates : [chosen];
  const skip = tested.some((candidate) => unable.includes(candidate));
  let servers: readonly Server[] = [];
  let scenarios = 0;

  beforeAll(async () => {
    servers = await Promise.all([
      startReference(settings),
      ...tested.map((candidate) => startCandidate(candidate, settings)),
    ]);
  });

  afterAll(async () => {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  });

  return (name, script) =>
    it.skipIf(skip)(name, async () => {
      const root = `/scenario-${(scenarios += 1)}`;
      const [expected, ...actual] = await Promise.all(
        servers.map((server) => ScenarioRun.perform(server, root, script)),
      );
      // To see what ZooKeeper does: `SHOW=1 npx vitest run test/conformance -t 'a name'`.
      if (process.env['SHOW'] !== undefined) console.info(`${name}\n${expected}`);
      actual.forEach((transcript, index) => {
        expect(transcript, `what clients of the candidate "${tested[index]}" received`).toBe(expected);
      });
      expect(expected, 'the transcript of ZooKeeper').not.toContain('the script failed');
    });
}
