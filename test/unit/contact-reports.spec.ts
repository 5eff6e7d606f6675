import { beforeEach, describe, expect, test } from 'vitest';
import type { ConnectionInfo } from '../../lib/locking/lock-provider.interface.js';
import { ContactReports } from '../../lib/zookeeper/session/contact-reports.js';

type Member = 'a' | 'b';
type Step =
  | `${Member} ${'connected' | 'disconnected' | 'expired' | 'closed'}`
  | `${Member} authenticationFailed`;

let events: string[];
const listener = {
  ready: ({ server }: ConnectionInfo) => void events.push(`ready ${server}`),
  resumed: ({ server }: ConnectionInfo) => void events.push(`resumed ${server}`),
  suspended: (cause: Error) => void events.push(`suspended ${cause.message}`),
  sessionExpired: (session: string) => void events.push(`sessionExpired ${session}`),
  authenticationFailed: () => void events.push('authenticationFailed'),
  attemptFailed: () => {},
  warning: () => {},
};

beforeEach(() => {
  events = [];
});

function play(contact: ContactReports<Member>, steps: readonly Step[]): void {
  for (const step of steps) {
    const [member, change] = step.split(' ') as [Member, string];
    if (change === 'connected')
      contact.connected(member, { session: `0x${member}`, server: member, sessionTimeout: 1 });
    else if (change === 'disconnected') contact.disconnected(member, new Error(member));
    else if (change === 'expired') contact.expired(member);
    else if (change === 'closed') contact.closed(member);
    else contact.authenticationFailed();
  }
}

const BOTH: readonly Step[] = ['a connected', 'b connected'];

describe('permanent members, such as ensembles', () => {
  test.for([
    ['are ready when the last one is', BOTH, ['ready b']],
    ['are not ready without one of them', ['a connected'], []],
    ['are suspended as soon as one is', [...BOTH, 'a disconnected'], ['ready b', 'suspended a']],
    [
      'are suspended once, and resumed when all have contact again',
      [...BOTH, 'a disconnected', 'b disconnected', 'b connected', 'a connected'],
      ['ready b', 'suspended a', 'resumed a'],
    ],
    [
      'are ready again when the member that has expired has another session',
      [...BOTH, 'a disconnected', 'a expired', 'b disconnected', 'b connected', 'a connected'],
      ['ready b', 'suspended a', 'sessionExpired 0xa', 'ready a'],
    ],
    [
      'wait for all whose sessions have ended, and report the end once',
      [...BOTH, 'a expired', 'b expired', 'a connected', 'b connected'],
      ['ready b', 'sessionExpired 0xa', 'ready b'],
    ],
    [
      'report no loss of a contact that has not been reported',
      ['a connected', 'a disconnected', 'a expired', 'a connected', 'b connected'],
      ['ready b'],
    ],
    [
      'report nothing more after refused credentials',
      [
        ...BOTH,
        'a authenticationFailed',
        'b authenticationFailed',
        'b disconnected',
        'b expired',
        'b connected',
      ],
      ['ready b', 'authenticationFailed'],
    ],
  ] as [string, Step[], string[]][])('%s', ([, steps, expected]) => {
    play(new ContactReports<Member>(listener, new Set(['a', 'b'])), steps);
    expect(events).toEqual(expected);
  });
});

describe('members that come and go, such as sessions', () => {
  test.for([
    ['are ready with the first one', ['a connected', 'b connected'], ['ready a']],
    [
      'are ready without one that has expired',
      [...BOTH, 'a expired'],
      ['ready a', 'sessionExpired 0xa', 'ready b'],
    ],
    [
      'report no end of one that never had contact',
      ['a connected', 'a disconnected', 'b expired', 'a connected'],
      ['ready a', 'suspended a', 'resumed a'],
    ],
    [
      'are resumed without one that is not needed any more',
      [...BOTH, 'b disconnected', 'b closed'],
      ['ready a', 'suspended b', 'resumed a'],
    ],
  ] as [string, Step[], string[]][])('%s', ([, steps, expected]) => {
    play(new ContactReports<Member>(listener), steps);
    expect(events).toEqual(expected);
  });
});
