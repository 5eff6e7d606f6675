/** Counts and latencies of one connection or of the server. */
export class Statistics {
  received = 0;
  sent = 0;
  minResponseBytes = -1;
  maxResponseBytes = -1;
  lastResponseBytes = -1;
  #answered = 0;
  #totalLatency = 0;
  #minLatency = Infinity;
  #maxLatency = 0;

  get latency(): { readonly min: number; readonly average: number; readonly max: number } {
    const average = this.#answered === 0 ? 0 : this.#totalLatency / this.#answered;
    return { min: this.#answered === 0 ? 0 : this.#minLatency, average, max: this.#maxLatency };
  }

  /** @param ms between a request and its reply */
  answered(ms: number): void {
    const latency = Math.round(ms);
    this.#answered += 1;
    this.#totalLatency += latency;
    this.#minLatency = Math.min(this.#minLatency, latency);
    this.#maxLatency = Math.max(this.#maxLatency, latency);
  }

  responded(bytes: number): void {
    this.lastResponseBytes = bytes;
    this.maxResponseBytes = Math.max(this.maxResponseBytes, bytes);
    this.minResponseBytes = this.minResponseBytes < 0 ? bytes : Math.min(this.minResponseBytes, bytes);
  }

  reset(): void {
    this.received = 0;
    this.sent = 0;
    this.minResponseBytes = -1;
    this.maxResponseBytes = -1;
    this.lastResponseBytes = -1;
    this.#answered = 0;
    this.#totalLatency = 0;
    this.#minLatency = Infinity;
    this.#maxLatency = 0;
  }
}
