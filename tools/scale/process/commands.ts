/** The commands of a program, by name; arguments and results must be structured-cloneable. */
export type Commands<C> = Record<keyof C & string, (...args: never[]) => unknown>;

export interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The reply to the call with this id; 0: the program is ready. */
export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Runs in the program: replies to every call, and exits when the parent exits. */
export function serveCommands<C extends Commands<C>>(commands: C): void {
  const byName = new Map(Object.entries<(...args: never[]) => unknown>(commands));
  const answer = (message: Answer): void => void process.send?.(message);
  const obey = async ({ id, name, args }: Call): Promise<void> => {
    try {
      answer({ id, value: await byName.get(name)!(...(args as never[])) });
    } catch (error) {
      answer({ id, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
    }
  };
  process.on('message', (call: Call) => void obey(call));
  process.on('disconnect', () => process.exit());
  answer({ id: 0 });
}

/** The monotonic clock that all processes of a machine share, ms. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
