/** Which seats are taken: the file that all processes read, change and write back. */
export interface SeatPlan {
  readonly capacity: number;
  /** Who has seat 1, 2, 3, ... */
  readonly customers: readonly string[];
}

/** What a customer takes home. */
export interface Ticket {
  readonly show: string;
  readonly seat: number;
  readonly customer: string;
  /** Token of the lock it was sold under; none if there was no lock. */
  readonly fencingToken?: bigint;
}

/** A customer's visit to the counter, as the journal keeps it. */
export interface Visit {
  readonly outcome: 'sold' | 'soldOut';
  readonly customer: string;
  /** Only if sold. */
  readonly seat?: number;
  /** Only under a lock; in decimal digits, because it is a bigint. */
  readonly fencingToken?: string;
  /** The process at whose counter it was. */
  readonly pid: number;
}

/** A show as the page and the demo look at it. */
export interface ShowReport {
  readonly show: string;
  readonly capacity: number;
  /** Tickets that customers hold, by the journal. */
  readonly sold: number;
  /** Tickets for which there is no seat. */
  readonly oversold: number;
  /** Sales that the seat plan has forgotten, because somebody wrote an older plan over them. */
  readonly lost: number;
  /** Customers who were told that the show is sold out. */
  readonly turnedAway: number;
  /** How often seat 1, 2, 3, ... was sold. */
  readonly ticketsPerSeat: readonly number[];
}
