import { FileFault } from '../content/file-fault';
import { type Line, linesOf } from '../content/lines-of';
import { CsvRow, type CsvRules, CsvSyntaxError } from './csv-row';

/** UTF-16 units of a row. */
export const MAX_ROW_LENGTH = 1_048_576;

/** Most empty lines in a row: a compressed file may hold any number of them in a few bytes. */
export const MAX_EMPTY_LINES = 1_000_000;

/** A row of a csv file, or what is wrong with it. */
export type CsvRead =
  | { readonly row: number; readonly cells: readonly string[] }
  | { readonly row: number; readonly error: string };

const TOO_LONG = `is longer than ${String(MAX_ROW_LENGTH)} characters`;

/** Makes rows of lines. A row that is wrong ends with the line where that is found. */
class Rows {
  private open: CsvRow | undefined;
  private length = 0;
  private emptyLines = 0;

  constructor(private readonly rules: CsvRules) {}

  /** @returns what is complete with the line, if anything. */
  add({ number, text }: Line, isLast: boolean): CsvRead | undefined {
    if (text === '' && this.open === undefined) return this.skipped(number);
    this.emptyLines = 0;
    const row = this.open ?? new CsvRow(number, this.rules);
    const lineFeeds = this.open === undefined ? 0 : 1;
    this.length += lineFeeds + (text?.length ?? 0);
    if (text === null || this.length > MAX_ROW_LENGTH) return this.ended(row, TOO_LONG);
    try {
      if (row.add(text, isLast)) return this.ended(row);
      this.open = row;
      return undefined;
    } catch (error) {
      if (!(error instanceof CsvSyntaxError)) throw error;
      return this.ended(row, error.message);
    }
  }

  private skipped(number: number): undefined {
    this.emptyLines += 1;
    if (this.emptyLines > MAX_EMPTY_LINES)
      throw new FileFault(
        'InvalidFile',
        `has more than ${String(MAX_EMPTY_LINES)} empty lines in a row, up to line ${String(number)}`,
      );
  }

  private ended({ line, cells }: CsvRow, error?: string): CsvRead {
    this.open = undefined;
    this.length = 0;
    return error === undefined ? { row: line, cells } : { row: line, error };
  }
}

/**
 * The rows of a csv text in batches; empty lines are none. A row's number is that of its first line.
 *
 * A row that breaks the rules of quotes is an error of its own, and reading goes on with the next line; so does a row
 * that is longer than {@link MAX_ROW_LENGTH}, as one is whose quote never ends.
 *
 * @throws FileFault InvalidFile for more than {@link MAX_EMPTY_LINES}.
 */
export async function* csvRows(
  texts: AsyncIterable<string>,
  rules: CsvRules,
): AsyncGenerator<readonly CsvRead[]> {
  const rows = new Rows(rules);
  let last: Line | undefined;
  for await (const lines of linesOf(texts, MAX_ROW_LENGTH)) {
    const read: CsvRead[] = [];
    for (const line of lines) {
      const row = last && rows.add(last, false);
      if (row) read.push(row);
      last = line;
    }
    if (read.length > 0) yield read;
  }
  const row = last && rows.add(last, true);
  if (row) yield [row];
}
