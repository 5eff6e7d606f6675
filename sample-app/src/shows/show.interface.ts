/** The taken seats: the file that all processes read, change and write back. */
export interface SeatPlan {
  readonly capacity: number;
  /** The customers of seats 1, 2, 3, ... */
  readonly customers: readonly string[];
}

/** A sold ticket. */
export interface Ticket {
  readonly show: string;
  readonly seat: number;
  readonly customer: string;
  /** The token of the lock under which it was sold; absent without a lock. */
  readonly fencingToken?: bigint;
}

/** A customer's visit to the counter, as recorded in the journal. */
export interface Visit {
  readonly outcome: 'sold' | 'soldOut';
  readonly customer: string;
  /** Present if sold. */
  readonly seat?: number;
  /** Present under a lock; a decimal string, because it is a bigint. */
  readonly fencingToken?: string;
  /** The process that served the customer. */
  readonly pid: number;
}

/** The state of a show, for the page and the demo. */
export interface ShowReport {
  readonly show: string;
  readonly capacity: number;
  /** The number of sold tickets in the journal. */
  readonly sold: number;
  /** The number of tickets without a seat. */
  readonly oversold: number;
  /** The number of sales missing from the seat plan, because an older plan overwrote them. */
  readonly lost: number;
  /** The number of customers for whom the show was sold out. */
  readonly turnedAway: number;
  /** How often seat 1, 2, 3, ... was sold. */
  readonly ticketsPerSeat: readonly number[];
}
