import type { Connection, FieldDef, Submittable } from 'pg';
import { RowQueue } from '../database/row-queue';
import type { AnswerLimit } from '../database/answer-limit';

/** Of the statement on its connection; there is one. */
const NAME = 'penstock';

/** Cells of a row as the server writes them. */
export type TextRow = readonly (string | null)[];

/** Parses a statement and describes its columns, without running it. Several statements at once are refused. */
export class Description implements Submittable {
  /** Empty where it gives no rows. Rejects with the driver's error. */
  readonly columns: Promise<readonly FieldDef[]>;
  private fields: readonly FieldDef[] = [];
  private resolve: (fields: readonly FieldDef[]) => void = () => undefined;
  private reject: (error: Error) => void = () => undefined;

  constructor(private readonly text: string) {
    this.columns = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  submit(connection: Connection): void {
    connection.parse({ name: NAME, text: this.text, types: [] }, false);
    connection.describe({ type: 'S', name: NAME }, false);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.fields = fields;
  }

  handleError(error: Error): void {
    this.reject(error);
  }

  handleReadyForQuery(): void {
    this.resolve(this.fields);
  }
}

const sizeOf = (row: TextRow): number =>
  row.reduce((sum, cell) => sum + 8 + (cell === null ? 0 : cell.length), 0);

/**
 * Runs the statement that was described. The server sends rows only as fast as they are read: it waits when the
 * connection does.
 */
export class Rows implements Submittable {
  private queue: RowQueue<TextRow> | undefined;
  private begun: () => void = () => undefined;
  private readonly submitted = new Promise<void>((resolve) => {
    this.begun = resolve;
  });
  /** Whether the server has nothing left to do. */
  isDone = false;

  /** @param answers of the connection that it is run on. */
  constructor(private readonly answers: AnswerLimit) {}

  submit(connection: Connection): void {
    this.queue = new RowQueue<TextRow>(connection.stream, sizeOf);
    connection.bind({ statement: NAME, values: [] }, false);
    connection.execute({}, false);
    connection.sync();
    this.answers.beginRows();
    this.begun();
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    this.queue?.push(fields);
  }

  handleCommandComplete(): void {
    // What counts is that the connection is ready again.
  }

  handleError(error: Error): void {
    this.queue?.finish(error);
  }

  handleReadyForQuery(): void {
    this.isDone = true;
    this.queue?.finish();
  }

  async *batches(): AsyncGenerator<readonly TextRow[]> {
    await this.submitted;
    if (this.queue !== undefined) yield* this.queue.batches();
  }
}
