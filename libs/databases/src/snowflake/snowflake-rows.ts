import type { Readable } from 'node:stream';
import type { Cell } from './column-types';

const MIB = 1_048_576;
const MAX_ROWS = 1_000;

type Row = readonly (Cell | null)[];

const sizeOf = (row: Row): number =>
  row.reduce<number>((sum, cell) => sum + 8 + (cell?.length ?? 0), 0);

/** Rows of a stream in batches of at most 1,000 rows, or about 1 MiB. Ending early ends the stream. */
export async function* batchesOf(stream: Readable): AsyncGenerator<readonly Row[]> {
  let rows: Row[] = [];
  let bytes = 0;
  for await (const row of stream as AsyncIterable<Row>) {
    rows.push(row);
    bytes += sizeOf(row);
    if (rows.length < MAX_ROWS && bytes < MIB) continue;
    yield rows;
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield rows;
}
