import type { PoolClient } from 'pg';
import type { AttemptRecord, OutcomeRecord } from '../store/changes';
import { unpackAttempts } from '../store/packed-attempts';
import { unpackOutcomes } from '../store/packed-outcomes';
import { blockOf } from '../store/trail-blocks';
import type { EventPlace } from './event-place';

/** The endings and failed attempts of an event's deliveries. */
export interface EventTrail {
  readonly outcomes: readonly OutcomeRecord[];
  /** In the order in which they were recorded. */
  readonly attempts: readonly AttemptRecord[];
  /** Whether older records of the neighbouring events were not looked through, since there are too many. */
  readonly isCut: boolean;
}

interface PackedRow {
  readonly outcomes: string | null;
  readonly attempts: string | null;
  readonly total: string;
  /** Whether it is within the limit of bytes; else it has no records. */
  readonly fits: boolean;
}

/** Most commits that are looked through: the newest. */
const MAX_COMMITS = 2_000;
/** Most bytes of them, approximately. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Each commit of the block is looked up by its primary key, in the slice of its day. The newest has a row in any case. */
export const TRAIL_STATEMENT = `
WITH places AS (
  SELECT t.day, t.epoch, t.sequence FROM penstock_router.trails t
   WHERE t.partition = $1 AND t.block = $2 ORDER BY t.epoch DESC, t.sequence DESC LIMIT ${MAX_COMMITS}
), packed AS (
  SELECT p.epoch, p.sequence, o.data AS outcomes, a.data AS attempts
    FROM places p
    LEFT JOIN LATERAL (SELECT o.data FROM penstock_router.outcomes o
                        WHERE o.partition = $1 AND o.epoch = p.epoch AND o.sequence = p.sequence AND o.day = p.day
                        LIMIT 1) o ON true
    LEFT JOIN LATERAL (SELECT a.data FROM penstock_router.attempts a
                        WHERE a.partition = $1 AND a.epoch = p.epoch AND a.sequence = p.sequence AND a.day = p.day
                        LIMIT 1) a ON true
), measured AS (
  SELECT *, count(*) OVER () AS total, row_number() OVER (ORDER BY epoch DESC, sequence DESC) AS nth,
         sum(coalesce(octet_length(outcomes), 0) + coalesce(octet_length(attempts), 0))
           OVER (ORDER BY epoch DESC, sequence DESC) AS bytes
    FROM packed
)
SELECT CASE WHEN fits THEN outcomes END AS outcomes, CASE WHEN fits THEN attempts END AS attempts, total, fits
  FROM (SELECT *, bytes <= ${MAX_BYTES} AS fits FROM measured) found
 WHERE fits OR nth = 1 ORDER BY epoch, sequence`;

const yieldToOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Reads the endings and failed attempts of an event's deliveries, with bounded work. */
export const eventTrail = async (
  db: PoolClient,
  { partition, offset }: EventPlace,
): Promise<EventTrail> => {
  const { rows } = await db.query<PackedRow>(TRAIL_STATEMENT, [partition, blockOf(offset)]);
  const outcomes: OutcomeRecord[] = [];
  const attempts: AttemptRecord[] = [];
  for (const row of rows) {
    if (row.outcomes !== null)
      outcomes.push(...unpackOutcomes(row.outcomes).filter((each) => each.offset === offset));
    if (row.attempts !== null)
      attempts.push(...unpackAttempts(row.attempts).filter((each) => each.offset === offset));
    await yieldToOthers();
  }
  const found = Number(rows[0]?.total ?? 0);
  const read = rows.filter(({ fits }) => fits).length;
  return { outcomes, attempts, isCut: found === MAX_COMMITS || read < found };
};
