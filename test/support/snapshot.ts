import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JuteReader } from './jute.js';

/** Offset of `cversion` in the record of a node: after data, ACL number, czxid, mzxid, ctime, mtime and version. */
const BYTES_FROM_DATA_TO_CVERSION = 8 + 4 * 8 + 4;
const BYTES_FROM_CVERSION_TO_END = 4 + 4 + 8 + 8;

/**
 * Sets the `cversion` of a node, which numbers its sequential children, in the data of a stopped server: the only way
 * to reach an overflow without two billion creates. The server must have been started twice, so that its latest
 * snapshot contains the node, and with `-Dzookeeper.digest.enabled=false`.
 */
export async function setChildVersion(dataDir: string, path: string, cversion: number): Promise<void> {
  const directory = join(dataDir, 'version-2');
  const files = await readdir(directory);
  const snapshot = newest(files.filter((file) => file.startsWith('snapshot.')));
  const bytes = await readFile(join(directory, snapshot));
  const { cversionAt, sealAt } = locate(bytes, path);
  bytes.writeInt32BE(cversion, cversionAt);
  bytes.writeBigInt64BE(BigInt(adler32(bytes.subarray(0, sealAt))), sealAt);
  await writeFile(join(directory, snapshot), bytes);
  // Replaying the log would reset the number.
  await Promise.all(files.filter((file) => file.startsWith('log.')).map((file) => rm(join(directory, file))));
}

function newest(snapshots: string[]): string {
  const zxid = (file: string): bigint => BigInt(`0x${file.split('.')[1]}`);
  return snapshots.toSorted((a, b) => (zxid(a) < zxid(b) ? 1 : -1))[0]!;
}

function locate(bytes: Buffer, wanted: string): { cversionAt: number; sealAt: number } {
  const reader = new JuteReader(bytes);
  const offset = (): number => bytes.length - reader.remaining;
  skipHeader(reader);
  let cversionAt: number | undefined;
  for (let path = reader.string(); path !== '/'; path = reader.string()) {
    reader.buffer();
    if (path === wanted) cversionAt = offset() + BYTES_FROM_DATA_TO_CVERSION;
    skip(reader, BYTES_FROM_DATA_TO_CVERSION + BYTES_FROM_CVERSION_TO_END);
  }
  if (cversionAt === undefined) throw new Error(`The snapshot has no node ${wanted}.`);
  return { cversionAt, sealAt: offset() };
}

/** File header, sessions and access lists. */
function skipHeader(reader: JuteReader): void {
  skip(reader, 4 + 4 + 8);
  for (let sessions = reader.int(); sessions > 0; sessions -= 1) skip(reader, 8 + 4);
  for (let lists = reader.int(); lists > 0; lists -= 1) {
    reader.long();
    for (let rules = reader.int(); rules > 0; rules -= 1) {
      reader.int();
      reader.string();
      reader.string();
    }
  }
}

function skip(reader: JuteReader, bytes: number): void {
  for (let left = bytes; left > 0; left -= 4) reader.int();
}

/** The checksum of a snapshot. @see RFC 1950, section 8.2 */
function adler32(bytes: Buffer): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}
