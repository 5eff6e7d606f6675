/** Ratios on a logarithmic axis, whose ends are powers of ten. */
export class LogScale {
  private constructor(
    private readonly low: number,
    private readonly high: number,
    private readonly width: number,
  ) {}

  /** The axis shows all values, and 0.1 to 10 in any case. */
  static of(values: readonly number[], width: number): LogScale {
    const logs = values.map((value) => Math.log10(value));
    return new LogScale(Math.floor(Math.min(-1, ...logs)), Math.ceil(Math.max(1, ...logs)), width);
  }

  /** The distance from the left end of the axis. */
  x(value: number): number {
    return ((Math.log10(value) - this.low) / (this.high - this.low)) * this.width;
  }

  /** The powers of ten. */
  get decades(): number[] {
    return Array.from({ length: this.high - this.low + 1 }, (_, i) => Number(`1e${this.low + i}`));
  }
}
