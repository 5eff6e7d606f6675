export type Parameters = Readonly<Record<string, number | string>>;

/** One question about many locks, asked at any size. */
export interface Scenario<P extends Parameters> {
  readonly name: string;
  readonly about: string;
  /** Its parameters at full size. */
  readonly defaults: P;
  readonly run: (parameters: P, findings: Findings) => Promise<void>;
}

/** What a run has measured, and which expectations it has not met. */
export class Findings {
  readonly figures: [name: string, value: number | string][] = [];
  /** Of what has to hold on any machine. */
  readonly failures: string[] = [];
  /** Of what is measured in time: noise can be the reason. */
  readonly slow: string[] = [];

  constructor(private readonly say: (line: string) => void = () => {}) {}

  figure(name: string, value: number | string): void {
    const shown = typeof value === 'number' ? Math.round(value * 100) / 100 : value;
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

/** The error's message, on few lines. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
