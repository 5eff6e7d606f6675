import { expect, test } from 'vitest';
import { nextPlace } from '../../lib/zookeeper/recipe/closing-place.js';
import { numberedName } from '../../lib/zookeeper/recipe/contender-name.js';
import type { ContenderNode } from '../../lib/zookeeper/recipe/contender-node.js';
import { fencingToken, LOCAL_GRANTS } from '../../lib/zookeeper/recipe/fencing-token.js';
import type { FormerHead } from '../../lib/zookeeper/recipe/former-head.js';
import type { RecipeContext } from '../../lib/zookeeper/recipe/recipe-context.js';
import { QueuePositionLostError } from '../../lib/zookeeper/recipe/session-requests.js';

const PREFIX = '_c_00000000-0000-4000-8000-000000000000-closing-lock-';
const FORMER: FormerHead = {
  name: numberedName(PREFIX, 50),
  czxid: 1_000n,
  children: 2,
  token: fencingToken(1_000n),
};

function placeAfter(former: FormerHead | undefined, lastZxid = 1_002n): ReturnType<typeof nextPlace> {
  const contender = {
    session: { client: { lastZxid } },
    nameWith: (sequence: number) => numberedName(PREFIX, sequence),
    joining: { op: 'create', path: PREFIX, mode: 'ephemeral-sequential', acl: [] },
  };
  const formerHeads = { get: () => former, take: () => former };
  return nextPlace(contender as unknown as ContenderNode, { formerHeads } as unknown as RecipeContext);
}

test('a contender is closed at once with the next number and the next token', () => {
  const place = placeAfter(FORMER);
  expect(place).toMatchObject({ name: numberedName(PREFIX, 52), token: fencingToken(1_000n, 1) });
  expect(place?.formerHead(1_003n)).toEqual({
    name: numberedName(PREFIX, 52),
    czxid: 1_003n,
    children: 2,
    token: fencingToken(1_000n, 1),
  });
});

test.each([
  ['there is no former head', undefined, 1_002n],
  ['the former head was not that of a closed lock', { ...FORMER, token: undefined }, 1_002n],
  [
    'the other tokens are for takeovers',
    { ...FORMER, token: fencingToken(1_000n, LOCAL_GRANTS / 2 - 1) },
    1_002n,
  ],
  ['numbers repeat from here on (H20)', { ...FORMER, name: numberedName(PREFIX, 2 ** 31 - 3) }, 1_002n],
  ['its numbers may have restarted', FORMER, 1_026n],
])('a contender queues if %s', (_reason, former, lastZxid) => {
  expect(placeAfter(former, lastZxid)).toBeUndefined();
});

test('a contender queues again if its number may be that of a lock path made again', () => {
  expect(() => placeAfter(FORMER)?.formerHead(1_027n)).toThrow(QueuePositionLostError);
});
