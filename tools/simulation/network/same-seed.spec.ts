import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Hosts } from './spec-hosts.js';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('a seed', () => {
  /** Three clients that talk to a server on a bad network. */
  const traceOf = async (seed: string): Promise<string> => {
    const hosts = new Hosts(seed);
    const random = hosts.random.fork('plan');
    hosts.listen((socket) => socket.on('data', (data: Buffer) => socket.write(data)));
    for (const name of ['a', 'b', 'c']) {
      const loop = hosts.start(name);
      const direction = hosts.network.direction(name, 'server');
      direction.splitChance = 0.3;
      for (let connection = 0; connection < 10; connection++) {
        const start = random.between(0, 1_000);
        hosts.at(start, () =>
          loop.run(() => void hosts.connect((socket) => socket.write(bytes('hello')), loop)),
        );
        hosts.at(random.between(0, 1_000), () => hosts.network.cutAfter(name, 'server', 3));
        hosts.at(random.between(0, 1_000), () => hosts.network.reset(name, 'server'));
        hosts.at(random.between(0, 1_000), () =>
          direction.stalled ? direction.resume() : direction.stall(),
        );
      }
    }
    await hosts.scheduler.run(() => hosts.scheduler.now > 2_000);
    return hosts.trace.join('\n');
  };

  it('gives the same trace again, and another seed another one', async () => {
    const trace = await traceOf('1');
    expect(trace.split('\n').length).toBeGreaterThan(100);
    for (let round = 0; round < 5; round++) expect(await traceOf('1')).toBe(trace);
    expect(await traceOf('2')).not.toBe(trace);
  });

  it('gives the same trace on every version of Node', async () => {
    // A change of the simulator changes it too; a version of Node must not.
    const digest = createHash('sha256')
      .update(await traceOf('1'))
      .digest('hex');
    expect(digest.slice(0, 16)).toBe('2e056c2678587322');
  });
});
