import type { PoolClient } from 'pg';
import { columns } from './columns';

/** Partition and offset of an event; the driver returns 64-bit integers as texts. */
interface Place {
  readonly partition: number;
  readonly offset: number | string;
}

const KEYS = 'unnest($1::int[], $2::bigint[]) AS r (partition, "offset")';
const IS_SAME = 'b.partition = r.partition AND b."offset" = r."offset"';

/**
 * Removes the bodies that no delivery refers to any more. A first statement locks them, so that the second one sees
 * deliveries that others have stored meanwhile.
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
