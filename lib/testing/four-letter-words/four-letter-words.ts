import { cons } from './connections.js';
import { dump } from './dump.js';
import { envi } from './environment.js';
import { mntr } from './monitor.js';
import { conf, srvr, stat } from './server.js';
import { wchc, wchp, wchs } from './watches.js';
import type { WordContext } from './word-context.js';

/** The four-letter words: a client sends one as the first bytes of a connection and gets a text. */
const WORDS: ReadonlyMap<string, (context: WordContext) => string> = new Map([
  ['ruok', () => 'imok'],
  ['isro', () => 'rw'],
  ['srvr', srvr],
  ['stat', stat],
  ['conf', conf],
  ['cons', cons],
  ['dump', dump],
  ['envi', envi],
  ['mntr', mntr],
  ['wchc', wchc],
  ['wchp', wchp],
  ['wchs', wchs],
  ['dirs', () => 'datadir_size: 0\nlogdir_size: 0\n'],
  ['srst', resetServer],
  ['crst', resetConnections],
]);

export function answerTo(word: string, context: WordContext): (() => string) | undefined {
  const answer = WORDS.get(word);
  return answer && (() => answer(context));
}

function resetServer({ service }: WordContext): string {
  service.statistics.reset();
  return 'Server stats reset.\n';
}

function resetConnections({ service }: WordContext): string {
  for (const { stats } of service.connections) stats.reset();
  return 'Connection stats reset.\n';
}
