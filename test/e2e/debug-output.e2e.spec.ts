import { expect, test } from 'vitest';
import { Program } from '../fixtures/program.js';
import { Replica } from '../fixtures/replica.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';
import { eventually } from '../support/eventually.js';

const SECRET = 'user:long-and-secret';

const zooKeeper = useZooKeeper();

test('NODE_DEBUG=nestjs-locked prints the steps of the connection and of the queue, and no secrets', async () => {
  const auth = { credential: SECRET };
  const options = zooKeeper.options({ auth });
  const replica = await Replica.open(options);
  const held = await replica.hold('x');
  const program = Program.start('context-app', options, { NODE_DEBUG: 'nestjs-locked' });
  await replica.hasWaiters('x', 1);
  await held.release();
  expect(await program.ended).toEqual({ code: 0, signal: null });

  const server = zooKeeper.server.connectString;
  const contender = String.raw`path=${options.root}/x/\S+-lock-0000000001`;
  const steps = [
    `connection trying server=${server}`,
    `connection handshake server=${server} session=new`,
    String.raw`connection connected server=${server} session=0x[0-9a-f]+ timeout=20000`,
    String.raw`queue created ${contender} session=0x[0-9a-f]+`,
    `queue queued ${contender} ahead=1`,
    String.raw`queue watching ${contender} predecessor=${options.root}/x/\S+-lock-0000000000`,
    String.raw`queue granted ${contender} token=\d+`,
    `queue released ${contender} result=deleted`,
    'session ended session=0x[0-9a-f]+ reason=closed',
  ];
  const lines = program.output.split('\n').filter((line) => line.startsWith('NESTJS-LOCKED'));
  expect(lines).toEqual(
    steps.map((step) => expect.stringMatching(new RegExp(String.raw`^NESTJS-LOCKED \d+: ${step}$`))),
  );
  expect(program.output).not.toContain('long-and-secret');
});

test('without NODE_DEBUG none of these lines is printed', async () => {
  const program = Program.start('context-app', zooKeeper.options());
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.output).toBe('closed\n');
});

test('a failed attempt is printed with its cause', async () => {
  const options = zooKeeper.options({ connectString: '127.0.0.1:1', connectTimeout: 60_000 });
  const program = Program.start('context-app', options, { NODE_DEBUG: 'nestjs-locked' });
  const failed = ': connection failed server=127.0.0.1:1 cause="connect ECONNREFUSED 127.0.0.1:1"';
  await eventually(() => expect(program.output).toContain(failed));
});
