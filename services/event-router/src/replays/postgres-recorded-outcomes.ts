import type { PipelineId } from '@penstock/contracts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutcomeRecord } from '../store/changes';
import { unpackOutcomes } from '../store/packed-outcomes';
import type { Database } from '../store/postgres/sql/database';
import { blockOf } from '../store/trail-blocks';
import { type OffsetRange, RecordedOutcomes } from './recorded-outcomes';

/** Most commits that are looked through for one slice: the newest. */
const MAX_COMMITS = 5_000;
/** Most bytes of them, approximately. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Each commit of the blocks is looked up by its primary key, in the slice of its day. */
const STATEMENT = `
WITH places AS (
  SELECT DISTINCT t.epoch, t.sequence, t.day FROM penstock_router.trails t
   WHERE t.partition = $1 AND t.block BETWEEN $2 AND $3 ORDER BY t.epoch DESC, t.sequence DESC LIMIT ${MAX_COMMITS}
), measured AS (
  SELECT p.epoch, p.sequence, o.data,
         sum(octet_length(o.data)) OVER (ORDER BY p.epoch DESC, p.sequence DESC) AS bytes
    FROM places p
   CROSS JOIN LATERAL (SELECT o.data FROM penstock_router.outcomes o
                        WHERE o.partition = $1 AND o.epoch = p.epoch AND o.sequence = p.sequence AND o.day = p.day
                        LIMIT 1) o
)
SELECT data FROM measured WHERE bytes <= ${MAX_BYTES} ORDER BY epoch, sequence`;

/** Reads them from the store of the routers, with bounded work. */
export class PostgresRecordedOutcomes extends RecordedOutcomes {
  constructor(private readonly database: Database) {
    super();
  }

  async of(
    pipeline: PipelineId,
    { partition, first, last }: OffsetRange,
  ): Promise<readonly OutcomeRecord[]> {
    const rows = await this.database.rows<{ readonly data: string }>(STATEMENT, [
      partition,
      blockOf(first),
      blockOf(last),
    ]);
    const found: OutcomeRecord[] = [];
    for (const { data } of rows) {
      for (const outcome of unpackOutcomes(data))
        if (outcome.pipeline === pipeline && outcome.offset >= first && outcome.offset <= last)
          found.push(outcome);
      await nextTurn();
    }
    return found;
  }
}
