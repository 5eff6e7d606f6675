import type { Mutant } from './mutant.js';

const specs = ['test/unit/local-queue.spec.ts'];
const readerSpecs = ['test/unit/local-readers.spec.ts'];
const lingerSpecs = ['test/unit/local-queue-linger.spec.ts'];

/** How callers of one process share a place in the queue of the store. */
export const LOCAL_QUEUE_MUTANTS: readonly Mutant[] = [
  {
    name: 'handed over after a ttl',
    undoes: 'after a ttl or a loss the next caller waits for a new place',
    file: 'lib/locking/local-queue/local-queue.ts',
    from: 'if (passOn) return',
    to: 'if ((true as boolean) || passOn) return',
    specs,
  },
  {
    name: 'a turn lost between two callers',
    undoes: 'a place that is lost while nobody holds the lock is given up (H03)',
    file: 'lib/locking/local-queue/local-queue.ts',
    from: 'if (!turn.isHeld) turn.release();',
    to: '',
    specs,
  },
  {
    name: 'handed over after the deadline',
    undoes: 'a place is passed on only before the deadline of its session',
    file: 'lib/locking/local-queue/turn.ts',
    from: ' && this.context.clock.elapsed() < this.deadline',
    to: '',
    specs,
  },
  {
    name: 'busy because of its own idle lock',
    undoes: 'the store is asked when it has confirmed that a lock that lingered in another mode is given up',
    file: 'lib/locking/local-queue/local-queues.ts',
    from: 'if (end === undefined) return this.#store.enter(request);',
    to: 'if (end === undefined || (true as boolean)) return this.#store.enter(request);',
    specs: lingerSpecs,
  },
  {
    name: 'a place for nobody',
    undoes: 'a place in the store is left when the last caller who waits for it is refused',
    file: 'lib/locking/local-queue/local-queue.ts',
    from: 'if (this.#waiting.first === undefined) this.#advance();',
    to: '',
    specs,
  },
  {
    name: 'one token for a whole turn',
    undoes: 'every caller has a larger token than the one before',
    file: 'lib/locking/local-queue/turn.ts',
    from: 'this.#grants += 1;',
    to: '',
    specs,
  },
  {
    name: 'others ignored',
    undoes: 'a caller that asks later waits behind other processes',
    file: 'lib/locking/local-queue/turn.ts',
    from: "if (!this.#isLate(number)) return 'yes';",
    to: "if ((true as boolean) || !this.#isLate(number)) return 'yes';",
    specs,
  },
  {
    name: 'hand-overs without end',
    undoes: 'a turn serves no more than handOver callers that ask later (H25)',
    file: 'lib/locking/local-queue/turn.ts',
    from: "return this.#handOvers < this.context.handOver ? 'yes' : 'no';",
    to: "return 'yes';",
    specs,
  },
  {
    name: 'given up by the first reader',
    undoes: 'readers of a process have their node until the last of them has ended',
    file: 'lib/locking/local-queue/local-queue.ts',
    from: 'if (turn.isHeld) return DONE_RELEASE;',
    to: '',
    specs: readerSpecs,
  },
  {
    name: 'readers that ignore who has joined',
    undoes: 'a reader joins others only if no writer has joined the queue since that was last known',
    file: 'lib/locking/local-queue/turn.ts',
    from: 'return this.context.shares ? undefined : 1;',
    to: 'return this.context.shares ? 0 : 1;',
    specs: readerSpecs,
  },
  {
    name: 'lost for one reader',
    undoes: 'readers of a process lose their node together',
    file: 'lib/locking/local-queue/turn.ts',
    from: 'for (const { listener } of this.holders) listener?.lost(reason, cause);',
    to: 'this.holders[0]?.listener?.lost(reason, cause);',
    specs: readerSpecs,
  },
  {
    name: 'linger not given up',
    undoes: 'a lock that nobody in the process wants goes to another process at once',
    file: 'lib/locking/local-queue/turn.ts',
    from: '!this.#canGoOn || (this.#others ?? 0) !== 0) return false;',
    to: '!this.#canGoOn) return false;',
    specs: lingerSpecs,
  },
  {
    name: 'lingering although asked for',
    undoes: 'a lock that is released because somebody has asked for it goes to that one',
    file: 'lib/locking/local-queue/turn.ts',
    from: '    this.#isAskedFor = true;\n',
    to: '',
    specs: lingerSpecs,
  },
];
