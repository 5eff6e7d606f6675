/** A lock event as sent to the page: JSON over server-sent events. */
export interface RecordedEvent {
  readonly type: string;
  readonly resource?: string;
  readonly fencingToken?: string;
  readonly waitedMs?: number;
}

/** Records the event stream of one process. */
export class EventRecorder implements AsyncDisposable {
  readonly events: RecordedEvent[] = [];
  readonly #controller = new AbortController();
  #reading: Promise<void> | undefined;

  /** Resolves when the stream is open. */
  async open(url: string): Promise<this> {
    const { body } = await fetch(`${url}/events`, { signal: this.#controller.signal });
    this.#reading = this.#read(body!).catch((error: unknown) => {
      if (!this.#controller.signal.aborted) throw error;
    });
    return this;
  }

  of(type: string, resource: string): RecordedEvent[] {
    return this.events.filter((event) => event.type === type && event.resource === resource);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    await this.#reading;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        if (line.startsWith('data: ')) this.events.push(JSON.parse(line.slice(6)) as RecordedEvent);
      }
    }
  }
}
