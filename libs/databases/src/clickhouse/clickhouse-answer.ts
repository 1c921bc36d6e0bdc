import { isJsonArray, isJsonObject, type Json, JsonSyntaxError, parseJson } from '@penstock/schema';
import type { Readable } from 'node:stream';
import type { AnswerLimit } from '../database/answer-limit';
import { DatabaseFault } from '../database/database-fault';
import { BadValue } from '../database/source-column';
import { ClickhouseError } from './clickhouse-fault';
import { type AnswerElement, AnswerScanner } from './answer-scanner';

/** A column as the server describes it. */
interface ClickhouseColumn {
  readonly name: string;
  /** In the words of the server, such as `Nullable(UInt8)`. */
  readonly type: string;
}

/** What a server writes for a value that is not NULL. */
export type Cell = Exclude<Json, null>;

/** A row, or why it cannot be read. */
type Row = readonly (Cell | null)[] | BadValue;

/** The text in a cell of a column of texts. */
export const textIn = (cell: Cell | null): string => (typeof cell === 'string' ? cell : '');

const NO_ROWS = 'the statement gives no rows';
const OTHER_FORMAT = 'the statement gives its rows in a format of its own: leave FORMAT out';

const jsonIn = (text: Buffer): Json | BadValue => {
  try {
    return parseJson(text.toString());
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return new BadValue(`is not JSON that can be taken: ${error.message}`);
  }
};

const columnOf = (text: Buffer): ClickhouseColumn => {
  const json = jsonIn(text);
  const [name, type] =
    !(json instanceof BadValue) && isJsonObject(json) ? [json.get('name'), json.get('type')] : [];
  if (typeof name !== 'string' || typeof type !== 'string')
    throw new DatabaseFault('InvalidQuery', OTHER_FORMAT);
  return { name, type };
};

/** The answer to a statement, while it comes. */
export class ClickhouseAnswer {
  /**
   * Reads on until the columns are known.
   *
   * @throws DatabaseFault InvalidQuery when it has no rows, or another format; ClickhouseError; else what the
   *   connection fails with.
   */
  static async of(body: Readable, limit: AnswerLimit): Promise<ClickhouseAnswer> {
    const answer = new ClickhouseAnswer(body, limit);
    await answer.readColumns();
    return answer;
  }

  readonly columns: ClickhouseColumn[] = [];
  private readonly scanner = new AnswerScanner();
  private readonly chunks: AsyncIterator<Buffer, undefined>;
  private first: Row[] = [];
  private count = 0;
  /** Whether the server has nothing left to do. */
  isDone = false;

  private constructor(
    body: Readable,
    private readonly limit: AnswerLimit,
  ) {
    this.chunks = (body as AsyncIterable<Buffer, undefined>)[Symbol.asyncIterator]();
  }

  /** The rows, once, in the parts in which they come. */
  async *batches(): AsyncGenerator<readonly Row[]> {
    const { first } = this;
    this.first = [];
    if (first.length > 0) yield first;
    while (!this.isDone) {
      const rows = await this.nextRows();
      if (rows.length > 0) yield rows;
    }
  }

  private async readColumns(): Promise<void> {
    while (this.first.length === 0 && !this.isDone) this.first = await this.nextRows();
    if (this.columns.length > 0) return;
    throw new DatabaseFault('InvalidQuery', this.scanner.isEmpty ? NO_ROWS : OTHER_FORMAT);
  }

  private async nextRows(): Promise<Row[]> {
    const { done, value } = await this.chunks.next();
    if (done === true) {
      this.end();
      return [];
    }
    this.limit.message(this.countedOf(value));
    const rows: Row[] = [];
    for (const element of this.scanner.elements(value)) this.take(element, rows);
    return rows;
  }

  /** Rows that are taken when they come have a limit of their own; what can be no part of an answer has none. */
  private countedOf(chunk: Buffer): number {
    return this.limit.isOfRows && !this.scanner.isBroken ? 0 : chunk.length;
  }

  private end(): void {
    this.isDone = true;
    const problem = this.scanner.problem(this.count);
    const isOther = this.columns.length === 0 && !(problem instanceof ClickhouseError);
    if (problem !== undefined && !isOther) throw problem;
  }

  private take({ member, text }: AnswerElement, rows: Row[]): void {
    if (member !== 'meta' && member !== 'data') return;
    if (member === 'meta') {
      this.limit.message(text.length);
      this.columns.push(columnOf(text));
      return;
    }
    const row = jsonIn(text);
    this.count += 1;
    if (row instanceof BadValue) {
      this.limit.row(0);
      rows.push(row);
    } else if (isJsonArray(row)) {
      this.limit.row(row.length);
      rows.push(row);
    } else throw new DatabaseFault('InvalidQuery', OTHER_FORMAT);
  }
}
