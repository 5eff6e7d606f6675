import { conformance } from './conformance.js';
import {
  create,
  create2,
  createContainer,
  createTtl,
  exists,
  FLAGS,
  getChildren2,
  multi,
  remove,
  setData,
  type Call,
} from './protocol/calls.js';

const scenario = conformance({}, { candidates: ['embedded', 'follower'] });

function next(parent: string, flags: number = FLAGS.sequential): Call {
  return create2(`${parent}/n-`, { flags });
}

scenario('numbers are shared by all kinds of children and both clients', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(next('~'), next('~', FLAGS.ephemeralSequential), create('~/plain'), next('~'));
  await b.does(next('~', FLAGS.ephemeralSequential), create('~/other-', { flags: FLAGS.sequential }));
  await a.does(createContainer('~/container'), createTtl('~/t-', 60_000, { flags: FLAGS.ttlSequential }));
  await a.does(next('~'), getChildren2('~'));
});

scenario('numbers are not reused after a delete', async (run) => {
  const a = await run.connect('a');
  await a.does(next('~'), next('~'), remove('~/n-0000000001'), next('~'), remove('~/n-0000000000'));
  await a.does(remove('~/n-0000000002'), next('~'), exists('~'));
});

scenario('numbers restart with a new parent', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/p'), next('~/p'), next('~/p'));
  await a.does(remove('~/p/n-0000000000'), remove('~/p/n-0000000001'), remove('~/p'));
  await a.does(createContainer('~/p'), next('~/p'), exists('~/p'));
});

scenario('failed requests and changes of data use no number', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'), next('~'), create('~/x'), create('~/bad//n-', { flags: FLAGS.sequential }));
  await a.does(
    create('~/n-', { flags: FLAGS.sequential, acl: [] }),
    next('~'),
    setData('~', 'data'),
    next('~'),
  );
  await a.does(create('~/n-0000000005'), next('~'), next('~'), exists('~'));
});

scenario('a name may consist of only the number', async (run) => {
  const a = await run.connect('a');
  await a.does(
    create('~/', { flags: FLAGS.sequential }),
    create2('~/', { flags: FLAGS.ephemeralSequential }),
  );
  await a.does(create('~/deep/', { flags: FLAGS.sequential }), create('~/0000000000'));
});

scenario('the nodes of a session that ends leave a gap', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(next('~', FLAGS.ephemeralSequential), next('~', FLAGS.ephemeralSequential));
  await b.does(next('~', FLAGS.ephemeralSequential));
  await a.closes();
  await b.does(next('~', FLAGS.ephemeralSequential), exists('~'), getChildren2('~'));
});

scenario('a transaction numbers its nodes in order, or creates none', async (run) => {
  const a = await run.connect('a');
  await a.does(multi(next('~'), next('~'), create('~/plain'), next('~')));
  await a.does(multi(next('~'), remove('~/missing')), next('~'));
  await a.pipelines(next('~'), remove('~/n-0000000000'), next('~'), create('~/plain'), next('~'));
  await a.does(exists('~'), getChildren2('~'));
});
