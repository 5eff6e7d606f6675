/** A token of a ZooKeeper ensemble after many elections. */
const TOKEN = '1152921504606846975';
const OWNER = 'box-office-with-a-long-name-6d5f8c7b9d-x2x4q:1234567:0767e16f';
const SINCE = new Date(Date.now() - 1_000_000).toISOString();

const MEMBER = {
  fencingToken: TOKEN,
  owner: { owner: OWNER, since: SINCE, purpose: 'SeatsController.buyLockedWithAVeryLongMethodName' },
};

const SHOW = {
  capacity: 40,
  sold: 12_345,
  oversold: 12_305,
  lost: 12_305,
  turnedAway: 12_345,
  ticketsPerSeat: Array.from({ length: 40 }, () => 308),
};

const PAGE = {
  number: 12_345,
  text: 'a text as long as the printer takes it, which is not much more than these words',
  fencingToken: TOKEN,
  highestToken: TOKEN,
  pid: 1_234_567,
};

const STATE = {
  owner: OWNER,
  connection: 'connected',
  shows: [
    { show: 'matinee', ...SHOW },
    { show: 'evening', ...SHOW },
  ],
  printer: {
    highestToken: TOKEN,
    printed: 12_345,
    refused: 12_345,
    pages: ['printed', 'refused', 'reset'].map((outcome) => ({ ...PAGE, outcome })),
  },
  locks: [{ resource: 'show:evening', holder: MEMBER, waiters: Array.from({ length: 300 }, () => MEMBER) }],
};

const EVENTS = ['acquired', 'sessionExpired', 'authenticationFailed'].map((type) => ({
  type,
  at: SINCE,
  resource: 'show:a-resource-with-a-name-that-is-longer-than-any-of-ours',
  fencingToken: TOKEN,
  waitedMs: 123_456,
  heldMs: 123_456,
  error: 'LockLostError: The resource was lost, and this is a message as long as the library writes them',
}));

/** The stream that the page reads, with the longest possible values. */
export const LONGEST_VALUES = [
  ...EVENTS.map((event) => `event: lock\ndata: ${JSON.stringify(event)}\n\n`),
  `event: state\ndata: ${JSON.stringify(STATE)}\n\n`,
].join('');
