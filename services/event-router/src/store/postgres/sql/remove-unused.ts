import type { PoolClient } from 'pg';
import { columns } from './columns';

/** Where an event stands in the log; the database's numbers of 64 bits are texts. */
interface Place {
  readonly partition: number;
  readonly offset: number | string;
}

const KEYS = 'unnest($1::int[], $2::bigint[]) AS r (partition, "offset")';
const IS_SAME = 'b.partition = r.partition AND b."offset" = r."offset"';

/**
 * Removes those of the bodies that no delivery needs any more. They are locked first, and looked at by a statement of
 * its own then: so a delivery that somebody stored meanwhile is seen.
 */
export const removeUnused = async (db: PoolClient, keys: readonly Place[]): Promise<void> => {
  if (keys.length === 0) return;
  const values = columns(
    keys,
    ({ partition }) => partition,
    ({ offset }) => offset,
  );
  await db.query(
    `SELECT FROM penstock_router.bodies b JOIN ${KEYS} ON ${IS_SAME}
      ORDER BY b.partition, b."offset" FOR UPDATE OF b`,
    values,
  );
  await db.query(
    `DELETE FROM penstock_router.bodies b USING ${KEYS}
      WHERE ${IS_SAME}
        AND NOT EXISTS (SELECT FROM penstock_router.deliveries d
                         WHERE d.partition = b.partition AND d."offset" = b."offset")`,
    values,
  );
};
