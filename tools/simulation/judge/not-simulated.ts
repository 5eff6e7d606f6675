/** Under load, calls take longer; nothing breaks. */
const SPEED = 'costs time or requests, and breaks no invariant';
const WAITS_FOR_ITSELF = 'nested calls of a simulation ask for what the lock around them includes';
const MEMORY = 'costs memory on one side, and breaks no invariant';
const WATCHED = 'the node that is watched has gone when all calls have ended, and the watch with it';
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
const ENDED =
  'needs a process without holders that stops for a moment while it shuts down, before its session ends';
const AWAITED = 'a shutdown has waited for what it has to leave behind, unless that takes longer than 2 s';
const REFUSED =
  'needs an abort within the round trip of a transaction that is refused, or only repeats the attempt';
const SIZE = 'the names and queues of a simulation are far from the limits';
const OPEN = 'all clients of a simulation may use all nodes';
const CURRENT = 'no code of a simulation asks which lock is current';
const NO_CLIENTS = 'no code of a simulation works for a client that can leave';
const TOGETHER = 'several locks that are lost together break no invariant';
const HOLDER_DELETED = 'no operator of a simulation deletes the sign of a holder';
const ONE_SERVICE = 'no code of a simulation uses two lock services';
const AFTER_TTL = 'breaks no invariant: the next caller holds a lock that is valid, with a larger token';
const SAME_GAP =
  'needs servers that lose their data and then repeat as many transactions as before, and a session that survives that';
const BOTH_GONE =
  'needs an operator who deletes the node of a waiter within the moment in which its predecessor leaves';
const ALONE_AGAIN =
  'whoever waits for a writer lists again when it has left, and then no other contender has the number of the reader';
const QUIET_LISTENERS = 'no listener of a simulation asks for a lock when another one is lost';
const LOST_NOTIFICATION = 'no connection of a simulation loses a notification and goes on';
const UNTOLD =
  'needs a lost reply, and the checker demands that a holder is told only while nothing is disturbed';
const TAKEN_OVER =
  'needs an owner who takes a lock over within the round trip of a request that has read the record';
const ASKED_OFTEN = 'a holder is asked so often in a simulation that one report more is not one too many';
const OTHERS_QUEUED = 'the checker accepts a busy lock whenever anybody else may be in its queue';
const CAME_BACK =
  'needs a caller of the same owner who comes only when the holder has had a new session for long; before, the takeover is no violation';
const WRITTEN_AGAIN =
  'needs a holder who writes its record again within the round trip of the call that frees its lock';
const OVERWRITTEN =
  'needs a caller of the same owner who looks within the round trip in which the holder writes its record again';
const UNGUARDED =
  'the resources of a simulation are guarded by fences in ZooKeeper alone, and only exclusive holders write them';
const NOTE_REFUSED =
  'the servers refuse the note of a lock that is lost, unless it is lost only by its deadline';
const LATE_RUN = 'a run that begins without its lock cannot complete, which is all that a simulation demands';
const PILE = 'runs that pile up find their time complete, one after the other';
const CRON = 'a simulation computes the scheduled times without the package cron';
const TAKEN_AND_OVERWRITTEN =
  'needs an owner whose lock is taken over, and then overwritten, while it has no session';
const DESCRIPTORS = 'no simulated process runs out of file descriptors';
const NO_REFUSAL =
  'no server of a simulation refuses credentials, and a service that closes ends its holds itself';
const ONE_LIST = 'all processes of a simulation have the same code, and the same list of ensembles';
const READY = 'the checker does not judge when a service with several ensembles is ready';
const ASLEEP =
  'only after the sleep of a machine is a deadline found passed long before its timer, and no simulated machine sleeps';
const STALLED =
  'a process that stood still may find ZooKeeper unavailable: the checker demands the contrary only where nothing is disturbed';
const FULL_WINDOW =
  'needs a removal that waits for a full window while somebody else watches the node: the queues of a simulation are far from the limits';
const UNHEARD =
  'needs a lock path that is removed and made again while a create is on its way, with as many contenders as before, one of which is there';
const LEFT_LATER = 'costs others a round trip: a place for nobody is left when it is the first one';
const HELD_BACK = 'a simulation holds back a reply only with all that follow on its connection';
const ONE_THREAD =
  'a process of a simulation has one thread: the pipe of its guard ends when it dies, and not before';
const LOOKS_AFTER_FAILURES =
  'a delete that fails looks before the next one, so that it needs a release within the round trip after a reconnection';
const NOTE_AFTER_DELETION =
  'needs a run whose lock an operator deletes, and that ends while it has no contact and another one runs: found in 138 runs that all had such operators and a job';
const ONE_WRITE =
  'needs a change of the number between two reads that leave in one write, which a simulated server answers in one moment';
const THREE_CALLS =
  'needs three calls of one owner: one gives up and does not hear of that, one takes the lock over meanwhile, and one looks before that work ends';
const FREED_BY_A_PERSON =
  'a caller that sleeps behind a failed lock of its own owner wakes up when a person frees that, and nothing bounds its wait';
const SLOW_HANDSHAKES = 'costs time while servers answer handshakes slowly, and nothing bounds a wait then';

const REFUSED_CLEAN_UP =
  'needs a server that refuses just the clean-up of an attempt that has failed: nothing in 100 runs with lost replies';

const BETWEEN_HOLDERS =
  'needs a request for the release in the moment between two holders of one process: nothing in 125 seeds';

const MOVE_WITHOUT_REPLY =
  'needs a call for several locks that gives up while the reply to the move of one of them is lost: nothing in 105 seeds';
const LAGGING_NEXT =
  'needs a connection that ends right after a notification, and a next server that lags behind the one before';
const NO_EARLIEST_END = 'no rule of the checker says when a release ends at the earliest';
const ASKED_OUT_OF_CONTACT =
  'needs a caller who asks, and another one whose work ends, between a handshake and a commit after it: nothing in 130 seeds';
const LISTED_WITHOUT_WATCH =
  'needs a change of the number while two callers list that no watch tells of it: nothing in 279 seeds';
const BETWEEN_RELEASES =
  'needs a process that stands still between two releases of a call until the ttl has passed: found after 1,093 seeds';
const CHANGES_HANDS = 'the checker accepts what an inspection shows of a lock that changes hands';
const BESIDE_A_PERSON =
  'needs a closed node that goes in the moment in which a person frees another one of its path: nothing in 105 seeds';

/** Mutants of code, or of hazards, that a simulation does not reach, and why. */
export const NOT_SIMULATED: ReadonlyMap<string, string> = new Map([
  ['no window', SPEED],
  ['a removed lock path taken for known', SPEED],
  ['lock paths known for ever', SPEED],
  ['lock paths in use forgotten', SPEED],
  ['a refused removal of a path given up', REFUSED_CLEAN_UP],
  ['a sign left for a refusal', REFUSED_CLEAN_UP],
  ['a leader without its lock', 'no leader of a simulation releases its lock itself'],
  ['a time that cron takes for another', CRON],
  ['a time dropped with its lock', 'a simulation demands only that a run which has begun completes'],
  ['the right to make what exists', NO_REFUSAL],
  ['closed before its attempts have ended', ENDED],
  ['an end before what waits for the window', AWAITED],
  ['next without an own node', BOTH_GONE],
  ['next with an own node that a look has not found', LOST_NOTIFICATION],
  ['a reader with the number of a writer by its age', ALONE_AGAIN],
  ['told in the locks of others', QUIET_LISTENERS],
  ['no refused conversion', WAITS_FOR_ITSELF],
  ['holders count as waiters', BUSY],
  ['others counted once in a turn', BUSY],
  [
    'queued again for the first time',
    'a head of the queue that loses its place says so, too, and has not waited',
  ],
  ['a window without bytes', SPEED],
  ['creates ahead of urgent lists', SPEED],
  ['a move that leaves a living session', MOVE_WITHOUT_REPLY],
  ['a release that ends undecided', NO_EARLIEST_END],
  ['a release that is sent undecided', NO_EARLIEST_END],
  ['a pending release without contact', ASKED_OUT_OF_CONTACT],
  ['a departure that the next server does not know', SPEED],
  ['a note of a server that lags behind', LAGGING_NEXT],
  ['a foreign child taken for a holder', SPEED],
  ['a lock that seems free while it changes hands', CHANGES_HANDS],
  ['a force release that ends at a node that is gone', BESIDE_A_PERSON],
  ['a semaphore without a path among releases', SPEED],
  ['a release and the next create in two writes', SPEED],
  ['a window of fixed size', SPEED],
  ['heartbeats in the window', SPEED],
  ['session requests last', SPEED],
  ['a try for each caller', SPEED],
  ['asked for in vain each time', SPEED],
  ['asked for without contact', SPEED],
  ['nobody else where nobody knows', SPEED],
  ['one lane', SPEED],
  ['contenders without a lane', SPEED],
  ['no priority for the next contender', SPEED],
  ['no priority for releases', SPEED],
  ['a list request for each call', SPEED],
  ['concurrent list requests', SPEED],
  ['a list with permits for each caller', SPEED],
  ['a lost group that waits for its releases', BETWEEN_RELEASES],
  ['a list with permits from before the call', LISTED_WITHOUT_WATCH],
  ['heartbeats without priority', SPEED],
  ['a list after each reconnection', SPEED],
  ['silence since the heartbeat', SPEED],
  ['a shared list that keeps its place', SPEED],
  ['room never given back', SPEED],
  ['timers before sockets', SPEED],
  ['handed over after a ttl', AFTER_TTL],
  ['a head of the connection before', SAME_GAP],
  ['held without any session to come', NO_REFUSAL],
  ['followed into an ended session', NO_REFUSAL],
  ['queue place kept past a session', NO_REFUSAL],
  ['interrupted runs complete', NOTE_REFUSED],
  ['a run without a lock', LATE_RUN],
  ['runs that pile up', PILE],
  ['the next scheduled time', CRON],
  ['ensembles by another hash', ONE_LIST],
  ['any list of ensembles', ONE_LIST],
  ['locks before the marker', ONE_LIST],
  ['the marker read once', ONE_LIST],
  ['ready with the first ensemble', READY],
  ['a guard that trusts its pipe', ONE_THREAD],
  ['a grant after the owner ahead has been read', HELD_BACK],
  ['a passed deadline kept to itself', ASLEEP],
  ['a late heartbeat before the sockets', STALLED],
  ['a removal that comes after the next watch', FULL_WINDOW],
  ['numbers that have restarted', UNHEARD],
  ['closed on a lock path made again', UNHEARD],
  ['a closed lock without a grant', UNHEARD],
  ['granted although taken over', HOLDER_DELETED],
  ['closed by what the last connection told', SAME_GAP],
  ['a restricted root that goes', OPEN],
  ['a lost lock that is current no more', CURRENT],
  ['requests in an ended hold', CURRENT],
  ['a nested call that leaves', NO_CLIENTS],
  ['lost after its release', TOGETHER],
  ['a place for nobody', LEFT_LATER],
  ['busy because of its own idle lock', OTHERS_QUEUED],
  ['asleep behind its own lock', FREED_BY_A_PERSON],
  ['no patience after the deadline', SLOW_HANDSHAKES],
  ['a lost session kept alive', SLOW_HANDSHAKES],
  ['a delete without a look after a reconnection', LOOKS_AFTER_FAILURES],
  ['permits read before the list', ONE_WRITE],
  ['notes without a fence', NOTE_AFTER_DELETION],
  ['given up without a check', THREE_CALLS],
  ['the sign of another call removed', THREE_CALLS],
  ['busy believed at once', BUSY],
  ['deadline from the acknowledgement', TOUCH],
  ['deadline of the connect request', DEPOSED],
  ['adoption without the owner', BY_HAND],
  ['a session left open', CLOSED],
  ['suspensions not counted', 'no simulated machine sleeps: its monotonic clock never stands still'],
  ['a pause taken for a suspension', 'a simulated process reads its clocks in one moment'],
  ['heartbeats without a pause', TOUCH],
  ['no barrier', HEARTBEAT_FIRST],
  ['no barrier before a clean-up', HEARTBEAT_FIRST],
  ['no barrier before a look at the one node', HEARTBEAT_FIRST],
  ['zxid not sent', HEARTBEAT_FIRST_READ],
  ['watches kept', WATCHED],
  ['a watch on the holder kept', WATCHED],
  ['listeners kept', MEMORY],
  ['requests kept that have left', MEMORY],
  ['promises that retain holds', MEMORY],
  ['nested in the lock of another service', ONE_SERVICE],
  ['ended holds kept', MEMORY],
  ['steps without a check of the clock', 'only generators and streams of decorated methods have steps'],
  ['a create sent again after an abort', REFUSED],
  ['a list before the create', REFUSED],
  ['heartbeats wait for the window', SIZE],
  ['a failed list blocks the next one', SIZE],
  ['any number 0', SIZE],
  ['no budget', SIZE],
  ['paths removed and made for ever', SPEED],
  ['room given back at once', SIZE],
  ['room of a simple lock given back at once', SIZE],
  ['watches in large requests', SIZE],
  ['a contender replaced unseen', SIZE],
  ['a guard without pipes', DESCRIPTORS],
  ['any overwritten record', TAKEN_AND_OVERWRITTEN],
  ['no record overwritten twice', TAKEN_AND_OVERWRITTEN],
  ['a candidate ended by another ensemble', NO_REFUSAL],
  ['a process that ends between two attempts', 'no simulated process ends because nothing keeps it alive'],
  ['a candidate ended by an unfair lock', 'the checker lets a candidate end when others do not queue'],
  ['a leader after a stall', 'needs a stall in the turn between a grant and the start of the work'],
  ['subscribers in the holds of others', QUIET_LISTENERS],
  ['a stall during a heartbeat not noticed', 'only a line of the log is missing'],
  ['names of any length', SIZE],
  ['sequence numbers trusted up to the overflow', SIZE],
  ['no sign of the holder in the next session', CAME_BACK],
  ['asked whoever has it', TAKEN_OVER],
  ['a request reported after the record is back', UNTOLD],
  ['not freed while its record comes back', WRITTEN_AGAIN],
  ['not ours without a record', OVERWRITTEN],
  ['requests reported again', ASKED_OFTEN],
  ['a waiter asked instead of a holder', ASKED_OFTEN],
  ['an idle lock kept from its own process', OTHERS_QUEUED],
  [
    'retained although lost',
    'needs a nested call that has ended, and whose minHold lasts until the ttl of the call around it has passed: nothing in 1,303 seeds',
  ],
  ['a table that accepts smaller tokens', UNGUARDED],
  ['one write for each grant', UNGUARDED],
  ['tokens as numbers', UNGUARDED],
  ['version 0 believed', 'needs a fence that an operator has created'],
  ['a guard that only counts', UNGUARDED],
  ['readers fenced', UNGUARDED],
  ['refused deletions waited for', OPEN],
  ['closing on a dead link', CLOSED],
  [
    'a guard that prolongs',
    'costs others one more session timeout after a guard whose connection ends between its two requests: nothing in 209 seeds',
  ],
  [
    'a refused watch forgotten',
    'needs an operator who deletes the node of a lock without a queue while its server refuses the watch: nothing in 130 seeds',
  ],
  [
    'moved after it was given up',
    'needs a closed lock that is given up within the round trip in which it moves to its next session: nothing in 130 seeds',
  ],
  [
    'a failed lock of its owner overlooked',
    'needs an owner who fails while another call of that owner waits behind somebody else: nothing in 117 seeds',
  ],
  [
    'prolonged across outages',
    'needs outages that follow each other within a session timeout: nothing in 130 seeds',
  ],
  [
    'a shorter session known late',
    'all servers of a simulation grant the same session timeout: nothing in 130 seeds',
  ],
  ['a time dropped in silence', 'a run that is not repeated breaks no rule with `skip`'],
  ['a full queue refuses one caller', 'the others are refused by one answer each'],
  ['lingering while it stops', 'a closing service ends its sessions soon after'],
  ['nested holds told last', TOGETHER],
  ['a loss that is unknown while others are told', TOGETHER],
  ['a closed lock behind others taken over', BY_HAND],
  ['freed although taken over', TAKEN_OVER],
  ['moved behind those who queue', SIZE],
  ['a further session closed too early', 'no call of a simulation uses a session without a contender'],
  [
    'a session ended by a reply',
    'no server of a simulation says that a session has expired which others keep',
  ],
  [
    'unavailable behind a holder of its process',
    'a wait that has ended may have either error: nothing in 115 seeds',
  ],
  ['a request between two holders forgotten', BETWEEN_HOLDERS],
  ['a request before the holder listens forgotten', BETWEEN_HOLDERS],
  ['a request lost with a declined grant', BETWEEN_HOLDERS],
  ['a heartbeat before its time', 'no timer of a simulation is early'],
  [
    'a reused path deleted in a group',
    'needs an operator who deletes the node of a lock within the round trip of its release together with another one',
  ],
  ['members lost one after the other', TOGETHER],
  ['stored by a hold that is lost', 'a run that is not repeated breaks no rule with `skip`'],
  ['the ttl of a run from the grant', 'the jobs of a simulation have no ttl'],
  ['any answer of a database accepted', UNGUARDED],
  ['left behind by the last write', CLOSED],
  ['one of several names', 'each server of a simulation has one name, and none speaks TLS'],
  ['a late answer left open', 'no handler of Nest runs in a simulation'],
  ['told who led before', 'no rule is about what a candidate hears of other leaders'],
]);
