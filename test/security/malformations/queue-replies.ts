import { PAYLOAD, STAT_BYTES, malformations, rewritten, withInt, type Malformation } from './malformation.js';

type Change = Malformation['change'];

const noStat: Change = (frame) => frame.fill(0xa5, frame.length - STAT_BYTES);
/** The first field of a stat. */
const czxid =
  (value: bigint): Change =>
  (frame) => {
    frame.writeBigInt64BE(value, frame.length - STAT_BYTES);
    return frame;
  };

const created =
  (change: (path: string, holder: string) => string): Change =>
  (frame, holder) =>
    rewritten(frame, (payload, writer) => writer.string(change(payload.string(), holder)));
const directory = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** Malformations of the reply to create2, a path and a stat. */
export const OF_CREATED = malformations([
  ['a path of negative length', (frame) => withInt(frame, PAYLOAD, -5)],
  ['no path', (frame) => withInt(frame, PAYLOAD, -1)],
  ['a path longer than the frame', (frame) => withInt(frame, PAYLOAD, 1_000_000)],
  ['a path that is invalid UTF-8', (frame) => frame.fill(0xff, PAYLOAD + 8, PAYLOAD + 9)],
  ["the path of the holder's node", created((path, holder) => `${directory(path)}/${holder}`)],
  ['a path with another uuid', created((path) => path.replace(/_c_.{8}/, '_c_00000000'))],
  ['a path somewhere else', created((path) => `/elsewhere${path}`)],
  ['a path without a sequence number', created((path) => path.slice(0, -10))],
  ['a path with letters instead of a sequence number', created((path) => `${path.slice(0, -10)}aaaaaaaaaa`)],
  ['a path with an additional segment', created((path) => `${path}/x`)],
  ['czxid 0', czxid(0n)],
  ['czxid -1', czxid(-1n)],
  ['a czxid beyond all epochs', czxid(2n ** 62n)],
  ['no stat', noStat],
]);

const listed =
  (change: (names: string[], holder: string) => readonly string[]): Change =>
  (frame, holder) =>
    rewritten(frame, (payload, writer) => {
      const names = change(payload.strings(), holder);
      return names.reduce((list, name) => list.string(name), writer.int(names.length));
    });
const insteadOfHolder = (name: (holder: string, others: string[]) => string): Change =>
  listed((names, holder) => {
    const others = names.filter((other) => other !== holder);
    return [...others, name(holder, others)];
  });
/** Replaces its last digit by an invalid byte. */
const noText: Change = (frame, holder) => {
  const end = frame.indexOf(holder) + holder.length;
  return frame.fill(0xff, end - 1, end);
};

/** Malformations of the reply to getChildren2, names and a stat. */
export const OF_CHILDREN = malformations([
  ['a negative count', (frame) => withInt(frame, PAYLOAD, -5)],
  ['no list', (frame) => withInt(frame, PAYLOAD, -1)],
  ['a count of 2^31 - 1', (frame) => withInt(frame, PAYLOAD, 2 ** 31 - 1)],
  ['a count that is too small', (frame) => withInt(frame, PAYLOAD, frame.readInt32BE(PAYLOAD) - 1)],
  ['a count that is too large', (frame) => withInt(frame, PAYLOAD, frame.readInt32BE(PAYLOAD) + 1)],
  ['a count of 0', (frame) => withInt(frame, PAYLOAD, 0)],
  ['a name of negative length', (frame) => withInt(frame, PAYLOAD + 4, -5)],
  ['a name longer than the frame', (frame) => withInt(frame, PAYLOAD + 4, 1_000_000)],
  ['every name twice', listed((names) => [...names, ...names])],
  ['every name but that of the holder', listed((names, holder) => names.filter((name) => name !== holder))],
  ['another name twice, and no holder', insteadOfHolder((_, others) => others[0] ?? '')],
  ['an empty name for the holder', insteadOfHolder(() => '')],
  ['a path for the holder', insteadOfHolder((holder) => `${holder}/x`)],
  ['two dots for the holder', insteadOfHolder(() => '..')],
  ['a holder that is invalid UTF-8', noText],
]);

/** Malformations of the reply to getData, data and a stat. */
export const OF_DATA = malformations([
  ['data of negative length', (frame) => withInt(frame, PAYLOAD, -5)],
  ['data of 2 GiB', (frame) => withInt(frame, PAYLOAD, 2 ** 31 - 1)],
  ['data longer than the frame', (frame) => withInt(frame, PAYLOAD, 1_000_000)],
  ['data of noise', (frame) => frame.fill(0xa5, PAYLOAD + 4, frame.length - STAT_BYTES)],
  ['no stat', noStat],
]);

/** Malformations of the reply to exists, a stat. */
export const OF_STATS = malformations([
  ['no stat', noStat],
  ['czxid 0', czxid(0n)],
  ['czxid -1', czxid(-1n)],
  ['a czxid beyond all epochs', czxid(2n ** 62n)],
]);
