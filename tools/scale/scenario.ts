export type Parameters = Readonly<Record<string, number | string>>;

/** A measurement with many locks, at any size. */
export interface Scenario<P extends Parameters> {
  readonly name: string;
  readonly about: string;
  /** The parameters at full size. */
  readonly defaults: P;
  readonly run: (parameters: P, findings: Findings) => Promise<void>;
}

/** The measurements of a run, and the expectations that were not met. */
export class Findings {
  readonly figures: [name: string, value: number | string][] = [];
  /** Checks a condition that must hold on any machine. */
  readonly failures: string[] = [];
  /** Checks a condition about time, which can fail because of noise. */
  readonly slow: string[] = [];

  constructor(private readonly say: (line: string) => void = () => {}) {}

  figure(name: string, value: number | string): void {
    const shown = typeof value === 'number' ? Number(value.toPrecision(4)) : value;
    this.figures.push([name, shown]);
    this.say(`${name}: ${shown}`);
  }

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.failures.push(otherwise);
  }

  expectInTime(holds: boolean, otherwise: string): void {
    if (!holds) this.slow.push(otherwise);
  }
}

/** The message of an error, on a few lines. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
