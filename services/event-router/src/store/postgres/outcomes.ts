import { unpackOutcomes } from '../packed-outcomes';
import type { Relayed, UnrelayedOutcomes } from '../router-store';
import { columns } from './sql/columns';
import type { Database } from './sql/database';
import { TimeSlices } from './time-slices';

interface UnrelayedRow {
  readonly partition: number;
  readonly epoch: string;
  readonly sequence: string;
  readonly day: number;
  readonly data: string;
  /** Its number among the rows of its partition, from 1. */
  readonly nth: string;
  /** Number of rows before the limit of bytes was applied. */
  readonly found: string;
}

/**
 * The partitions take turns, commit by commit, so that the backlog of one does not delay the others. Slices are read
 * from the day before the last relayed commit on, since the database's clock may have been set back.
 */
const UNRELAYED = `
SELECT partition, epoch, sequence, day, data, nth, found
  FROM (SELECT c.*, sum(octet_length(data)) OVER (ORDER BY nth, partition) - octet_length(data) AS before,
               count(*) OVER () AS found
          FROM (SELECT p.partition, o.*, row_number() OVER (PARTITION BY p.partition ORDER BY o.epoch, o.sequence) AS nth
                  FROM unnest($1::int[]) AS p (partition)
                  LEFT JOIN penstock_router.relayed r ON r.partition = p.partition
                 CROSS JOIN LATERAL (
                   SELECT o.epoch, o.sequence, o.day, o.data FROM penstock_router.outcomes o
                    WHERE o.partition = p.partition AND o.day >= coalesce(r.day - 1, 0)
                      AND (o.epoch, o.sequence) > (coalesce(r.epoch, -1), coalesce(r.sequence, -1))
                    ORDER BY o.epoch, o.sequence LIMIT $2) o) c) counted
 WHERE before < $3 ORDER BY nth, partition`;

/**
 * Checks the owner without a lock, so that commits and leases do not wait. An owner that loses the partition at this
 * moment may still move the mark, which is correct, as it has relayed the outcomes; the mark never moves back.
 */
const MARK_RELAYED = `
INSERT INTO penstock_router.relayed AS r (partition, epoch, sequence, day)
SELECT m.partition, m.epoch, m.sequence, m.day
  FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::int[])
    AS m (partition, owner, epoch, sequence, day)
  JOIN penstock_router.partitions p ON p.partition = m.partition AND p.epoch = m.owner
 ORDER BY m.partition
ON CONFLICT (partition) DO UPDATE SET epoch = excluded.epoch, sequence = excluded.sequence, day = excluded.day
 WHERE (r.epoch, r.sequence) < (excluded.epoch, excluded.sequence)`;

/** The outcomes of deliveries, in slices of a day, and up to which commit they were relayed. */
export class Outcomes {
  readonly slices: TimeSlices;
  /** Slices of the tables that are kept for the same time. */
  readonly followed: readonly TimeSlices[];

  constructor(
    private readonly database: Database,
    days: number,
  ) {
    const sliced = { unitSeconds: 86_400, width: 1, ahead: 1, kept: days };
    this.slices = new TimeSlices(database, { table: 'outcomes', ...sliced });
    this.followed = ['attempts', 'trails'].map(
      (table) => new TimeSlices(database, { table, ...sliced }),
    );
  }

  async unrelayed(
    partitions: readonly number[],
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<UnrelayedOutcomes> {
    const rows = await this.database.rows<UnrelayedRow>(UNRELAYED, [
      partitions,
      limits.rows,
      limits.maxBytes,
    ]);
    return {
      commits: rows.map(({ partition, epoch, sequence, day, data }) => ({
        partition,
        epoch: Number(epoch),
        sequence: Number(sequence),
        day,
        outcomes: unpackOutcomes(data),
      })),
      isAll: rows.every(
        ({ nth, found }) => Number(found) === rows.length && Number(nth) < limits.rows,
      ),
    };
  }

  async markRelayed(relayed: readonly Relayed[]): Promise<void> {
    await this.database.rows(
      MARK_RELAYED,
      columns(
        relayed,
        ({ partition }) => partition,
        ({ epoch }) => epoch,
        ({ to }) => to.epoch,
        ({ to }) => to.sequence,
        ({ to }) => to.day,
      ),
    );
  }
}
