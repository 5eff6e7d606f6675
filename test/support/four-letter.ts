import { connect } from 'node:net';
import type { Endpoint } from './raw-connection.js';

/** The four-letter words that tests use. */
export type FourLetterWord =
  | 'conf'
  | 'cons'
  | 'dump'
  | 'envi'
  | 'isro'
  | 'mntr'
  | 'ruok'
  | 'srst'
  | 'srvr'
  | 'stat'
  | 'wchc'
  | 'wchp'
  | 'wchs';

/** Sends one word; the server answers and closes the connection. */
export function fourLetter(
  { host, port }: Endpoint,
  word: FourLetterWord,
  timeoutMs = 5_000,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port }, () => socket.write(word));
    const timer = setTimeout(
      () => socket.destroy(new Error(`No answer to ${word} within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new Error(`The server ended the connection without an answer to ${word}.`));
    });
  });
}
