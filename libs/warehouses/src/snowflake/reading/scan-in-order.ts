import type { SnowflakeSession } from '@penstock/databases';
import { MANY_ROWS, MAX_SCANNED_BYTES } from '../../reading/max-page-bytes';
import { bytesOf, rowsFrom } from './read-rows';
import type { Row, Selection } from './rows';

/**
 * The rows that one statement gives, and so of one moment, in parts of at most 1,000 rows, or about 4 MiB.
 *
 * @param guard is asked before a part is given.
 */
export async function* partsOf(
  session: SnowflakeSession,
  select: Selection,
  guard: () => Promise<void>,
): AsyncGenerator<readonly Row[]> {
  let part: Row[] = [];
  let bytes = 0;
  for await (const row of rowsFrom(session, select)) {
    part.push(row);
    bytes += bytesOf(row);
    if (part.length < MANY_ROWS && bytes < MAX_SCANNED_BYTES) continue;
    await guard();
    yield part;
    part = [];
    bytes = 0;
  }
  await guard();
  if (part.length > 0) yield part;
}
