/** The connection that rows come from. */
export interface Flow {
  pause(): void;
  resume(): void;
}

const MIB = 1_048_576;
/** From here on nothing more is read from the connection. */
const MAX_BYTES = MIB;
const MAX_ROWS = 1_000;

/** What holds rows between a connection that gives them and whoever reads them: one batch at a time. */
export class RowQueue<Row> {
  private rows: Row[] = [];
  private bytes = 0;
  private isPaused = false;
  private end: { readonly error?: Error } | undefined;
  private wake: () => void = () => undefined;

  /** @param sizeOf bytes of a row, about. */
  constructor(
    private readonly flow: Flow,
    private readonly sizeOf: (row: Row) => number,
  ) {}

  push(row: Row): void {
    if (this.end !== undefined) return;
    this.rows.push(row);
    this.bytes += this.sizeOf(row);
    if (!this.isPaused && (this.bytes >= MAX_BYTES || this.rows.length >= MAX_ROWS)) {
      this.isPaused = true;
      this.flow.pause();
    }
    this.wake();
  }

  /** No row comes any more. The first end counts. @param error what reading fails with behind the last row. */
  finish(error?: Error): void {
    this.end ??= error === undefined ? {} : { error };
    this.wake();
  }

  /** Everything that has come, and then what comes; once. Throws what {@link finish} was given. */
  async *batches(): AsyncGenerator<readonly Row[]> {
    for (;;) {
      if (this.rows.length > 0) yield this.take();
      else if (this.end === undefined) await this.more();
      else if (this.end.error !== undefined) throw this.end.error;
      else return;
    }
  }

  private take(): readonly Row[] {
    const taken = this.rows;
    this.rows = [];
    this.bytes = 0;
    if (this.isPaused) {
      this.isPaused = false;
      this.flow.resume();
    }
    return taken;
  }

  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
