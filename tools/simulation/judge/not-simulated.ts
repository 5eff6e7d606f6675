/** Under load, calls take longer; nothing breaks. */
const SPEED = 'costs time or requests, and breaks no invariant';
const WAITS_FOR_ITSELF = 'no call of a simulation is made under the lock that it asks for';
const MEMORY = 'costs memory on one side, and breaks no invariant';
const BUSY =
  'a busy answer is judged only if all rivals are known to be gone, which is rarely so right after a release';
const TOUCH =
  'needs a partition within the moment in which a touch is a whole heartbeat late; tests of the deadline compute it exactly';
const HEARTBEAT_FIRST =
  'the first request of each connection is a committed heartbeat, behind which the look-up is answered anyway';
const HEARTBEAT_FIRST_READ =
  'the first request of each connection is a committed heartbeat, so no later read is older, whichever server accepts it';
const DEPOSED =
  'needs a leader that is deposed without knowing it, and answers just then; tests of the deadline compute it exactly';
const CLOSED =
  'costs others a session timeout when a closing process has just lost its connection, and nothing bounds their wait then';
const BY_HAND = 'no session makes a node with the id of another attempt, unless an operator does';
const REFUSED =
  'needs an abort within the round trip of a transaction that is refused, or only repeats the attempt';
const SIZE = 'the names and queues of a simulation are far from the limits';
const ONE_LOCK = 'every simulated call is for one lock, and holds no other; there are no leaders';
const AFTER_TTL = 'breaks no invariant: the next caller holds a lock that is valid, with a larger token';
const SAME_GAP =
  'needs servers that lose their data and then repeat as many transactions as before, and a session that survives that';
const BOTH_GONE =
  'needs an operator who deletes the node of a waiter within the moment in which its predecessor leaves';
const ONE_NUMBER = 'all calls of a simulation for one resource name the same number of permits';
const CHILD = 'a simulation has no child processes';

/** Mutants of code, or of hazards, that a simulation does not reach, and why. */
export const NOT_SIMULATED: ReadonlyMap<string, string> = new Map([
  ['no window', SPEED],
  ['permits not agreed', ONE_NUMBER],
  ['permits agreed by the first list alone', ONE_NUMBER],
  ['a new number of permits wakes nobody', ONE_NUMBER],
  ['next without an own node', BOTH_GONE],
  ['next after a lost connection', BOTH_GONE],
  ['no refused conversion', WAITS_FOR_ITSELF],
  ['holders count as waiters', BUSY],
  ['a window without bytes', SPEED],
  ['a window of fixed size', SPEED],
  ['heartbeats in the window', SPEED],
  ['session requests last', SPEED],
  ['one lane', SPEED],
  ['contenders without a lane', SPEED],
  ['no priority for the next contender', SPEED],
  ['no priority for releases', SPEED],
  ['a list request for each call', SPEED],
  ['concurrent list requests', SPEED],
  ['heartbeats without priority', SPEED],
  ['a list after each reconnection', SPEED],
  ['silence since the heartbeat', SPEED],
  ['a shared list that keeps its place', SPEED],
  ['room never given back', SPEED],
  ['timers before sockets', SPEED],
  ['handed over after a ttl', AFTER_TTL],
  ['a head of the connection before', SAME_GAP],
  ['a guard that closes a stopped parent', CHILD],
  ['a guard that trusts its pipe', CHILD],
  ['busy believed at once', BUSY],
  ['deadline of the heartbeat before', TOUCH],
  ['deadline from the acknowledgement', TOUCH],
  ['deadline of the connect request', DEPOSED],
  ['adoption without the owner', BY_HAND],
  ['a session left open', CLOSED],
  ['suspensions not counted', 'no simulated machine sleeps: its monotonic clock never stands still'],
  ['no margin', TOUCH],
  ['heartbeats without a pause', TOUCH],
  ['no barrier', HEARTBEAT_FIRST],
  ['no barrier before a clean-up', HEARTBEAT_FIRST],
  ['zxid not sent', HEARTBEAT_FIRST_READ],
  ['watches kept', MEMORY],
  ['listeners kept', MEMORY],
  ['promises that retain holds', MEMORY],
  ['later locks kept during a wait', ONE_LOCK],
  ['the order of the caller', ONE_LOCK],
  ['others kept after a loss', ONE_LOCK],
  ['deaf while it waits for the next', ONE_LOCK],
  ['freed by the first of nested holds', ONE_LOCK],
  ['a nested ttl of its own', ONE_LOCK],
  ['nested in the lock of another service', ONE_LOCK],
  ['a leader beside its own old work', ONE_LOCK],
  ['a leader until the end of the shutdown', ONE_LOCK],
  ['ended holds kept', 'the calls of a simulation are not made inside of each other'],
  ['steps without a check of the clock', 'only generators and streams of decorated methods have steps'],
  ['a create sent again after an abort', REFUSED],
  ['a list before the create', REFUSED],
  ['heartbeats wait for the window', SIZE],
  ['a failed list blocks the next one', SIZE],
  ['any number 0', SIZE],
  ['no budget', SIZE],
  ['paths removed and made for ever', SPEED],
  ['room given back at once', SIZE],
  ['names of any length', SIZE],
  ['sequence numbers trusted up to the overflow', SIZE],
]);
