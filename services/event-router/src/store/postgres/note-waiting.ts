import type { LeaseGrant } from '../router-store';
import type { Database } from './sql/database';

const NOTE = `
WITH noted AS (
  SELECT * FROM unnest($3::text[], $4::double precision[]) AS noted (about, since_ms)
), owner AS (
  SELECT partition FROM penstock_router.partitions WHERE partition = $1 AND epoch = $2
), past AS (
  DELETE FROM penstock_router.waiting w USING owner
   WHERE w.partition = owner.partition AND w.about <> ALL ($3)
)
INSERT INTO penstock_router.waiting (partition, about, since)
SELECT owner.partition, noted.about, to_timestamp(noted.since_ms / 1000.0) FROM noted CROSS JOIN owner
ON CONFLICT (partition, about) DO UPDATE SET since = excluded.since WHERE waiting.since <> excluded.since`;

/** Replaces what is noted of the partition. */
export const noteWaiting = async (
  database: Database,
  { partition, epoch }: LeaseGrant,
  since: ReadonlyMap<string, number>,
): Promise<void> => {
  await database.rows(NOTE, [partition, epoch, [...since.keys()], [...since.values()]]);
};
