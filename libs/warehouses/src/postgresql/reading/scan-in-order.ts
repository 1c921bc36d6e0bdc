import type { Client } from 'pg';
import { MANY_ROWS, MAX_SCANNED_BYTES } from '../../reading/max-page-bytes';
import type { Row } from './rows';
import { FEW_ROWS } from './select-scan';
import { withinLimits } from '../sql/within-limits';

/** The longest time for a part of a scan; the first one comes when all of it is sorted. */
const STATEMENT_MS = 300_000;
/** The longest time in which nobody asks for the next part. */
const IDLE_MS = 600_000;

/** What an answer may have, in MiB. */
const MAX_ANSWER_MIB = 15;

/** Statements at the beginning of the transaction of a scan. */
export const SCANNING: readonly string[] = [
  `SET LOCAL statement_timeout = ${STATEMENT_MS}`,
  `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
  // All rows are read, not the first few.
  'SET LOCAL cursor_tuple_fraction = 1',
];

const fits = (bytes: unknown): boolean => typeof bytes === 'number' && bytes <= MAX_SCANNED_BYTES;

/** How many rows the next part may have. @param last of the part before; undefined: there is none */
const nextCount = (last: Row | undefined): number => {
  if (fits(last?.['many'])) return MANY_ROWS;
  return fits(last?.['few']) ? FEW_ROWS : 1;
};

/**
 * The rows that {@link selectScan} gives, as they stand when it begins, in parts.
 *
 * @param begin begins the transaction.
 * @param signal gives it up.
 * @throws WarehouseFault, and whatever the server says.
 */
export async function* scanInOrder(
  client: Client,
  begin: () => Promise<void>,
  select: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  const limited = <T>(work: () => Promise<T>): Promise<T> =>
    withinLimits(client, signal, work, MAX_ANSWER_MIB);
  await limited(async () => {
    await begin();
    await client.query(`DECLARE scan NO SCROLL CURSOR FOR ${select}`);
  });
  for (let count = nextCount(undefined); ;) {
    const fetch = `FETCH FORWARD ${String(count)} FROM scan`;
    const { rows } = await limited(() => client.query<Row>(fetch));
    if (rows.length === 0) break;
    yield rows;
    count = nextCount(rows.at(-1));
  }
  await limited(() => client.query('COMMIT'));
}
