import type { ShowReport, Visit } from '../src/shows/show.interface.js';
import type { BoxOfficeProcess } from './box-office-process.js';
import type { EventRecorder } from './event-recorder.js';
import { eventually } from './eventually.js';
import { read, send, type Answer } from './http.js';

export interface SaleResult {
  readonly requests: number;
  readonly report: ShowReport;
  /** Responses other than a ticket or "sold out". */
  readonly unexpected: readonly Answer[];
  /** Customers with a ticket for a seat that was sold before. */
  readonly sharedSeats: number;
  /** The wait for each grant, ms. Empty without locks. */
  readonly waits: readonly number[];
  /** The tokens in the order of the visits. Empty without locks. */
  readonly tokens: readonly bigint[];
}

export interface Sale {
  readonly show: string;
  readonly counter: 'locked' | 'unlocked';
  readonly capacity: number;
  readonly customersPerProcess: number;
}

/** Sends all customers at once, half of them to each process, and then reads the files. */
export async function runSale(
  sale: Sale,
  processes: readonly BoxOfficeProcess[],
  logs: readonly EventRecorder[],
): Promise<SaleResult> {
  const { show, counter, capacity, customersPerProcess } = sale;
  const base = processes[0]!.url;
  await send('PUT', `${base}/shows/${show}`, { capacity });

  const customers = processes.flatMap(({ url }) =>
    Array.from({ length: customersPerProcess }, () => send('POST', `${url}/${counter}/shows/${show}/seats`)),
  );
  const answers = await Promise.all(customers);

  const report = await read<ShowReport>(`${base}/shows/${show}`);
  const visits = await read<Visit[]>(`${base}/shows/${show}/visits`);
  const tokens = visits.flatMap(({ fencingToken }) =>
    fencingToken === undefined ? [] : [BigInt(fencingToken)],
  );
  const visited = new Set(tokens);
  // Events arrive on other connections, possibly later than the responses. Opening the show was a grant, too.
  const grants = await eventually(() => {
    const all = logs.flatMap((log) => log.of('acquired', `show:${show}`));
    const seen = all.filter(({ fencingToken }) => visited.has(BigInt(fencingToken!)));
    return seen.length >= visited.size && seen;
  }, 'an event of every grant');
  return {
    requests: answers.length,
    report,
    unexpected: answers.filter(({ status }) => status !== 201 && status !== 409),
    sharedSeats: report.ticketsPerSeat.reduce((sum, tickets) => sum + Math.max(0, tickets - 1), 0),
    waits: grants.map(({ waitedMs }) => waitedMs!),
    tokens,
  };
}
