import type { JobId, PipelineId, WorkspaceId } from '@penstock/contracts';
import { cleanText } from '../store/clean-text';
import { columns } from '../store/postgres/sql/columns';
import type { Database } from '../store/postgres/sql/database';
import {
  type Checkpoint,
  type Counts,
  type KeptExamples,
  type LeasedReplay,
  type NewDifference,
  type ReplayLease,
  replayRequest,
} from './replay-job';
import { ReplayLeases } from './replay-leases';

interface LeasedRow {
  readonly id: JobId;
  readonly epoch: string;
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
  readonly request: string;
  readonly starts: readonly string[];
  readonly ends: readonly string[];
  readonly positions: readonly string[];
  readonly revision: string;
  readonly counts: Counts;
  readonly kept: KeptExamples;
}

/** Workspaces in turn, and within one the replay that was served longest ago. */
const LEASE = `
WITH running AS (
  SELECT j.id, j.workspace, r.served, r.leased_until < now() OR r.owner = $1 AS is_free
    FROM penstock_router.jobs j JOIN penstock_router.replays r ON r.job = j.id
   WHERE j.kind = 'Replay' AND j.ended IS NULL
), next AS (
  SELECT r.job FROM penstock_router.replays r JOIN running one ON one.id = r.job
   WHERE one.is_free
   ORDER BY (SELECT max(o.served) FROM running o WHERE o.workspace = one.workspace), one.served, r.job
   LIMIT 1 FOR UPDATE OF r SKIP LOCKED
)
UPDATE penstock_router.replays r
   SET owner = $1, epoch = r.epoch + 1, served = now(), leased_until = now() + $2 * interval '1 millisecond'
  FROM next JOIN penstock_router.jobs j ON j.id = next.job
 WHERE r.job = next.job AND (r.leased_until < now() OR r.owner = $1)
RETURNING r.job AS id, r.epoch, j.workspace, j.pipeline, j.request, r.starts, r.ends, r.positions, r.revision,
          r.counts, r.kept`;

const RENEW = `
UPDATE penstock_router.replays r SET leased_until = now() + $3 * interval '1 millisecond'
  FROM penstock_router.jobs j WHERE r.job = $1 AND j.id = r.job AND r.epoch = $2 AND j.ended IS NULL RETURNING r.job`;

const RELEASE = `
UPDATE penstock_router.replays SET owner = '', leased_until = '-infinity' WHERE job = $1 AND epoch = $2`;

/** Holds the job, so that it is not cancelled while a checkpoint is written. */
const HOLD = `SELECT FROM penstock_router.jobs WHERE id = $1 AND ended IS NULL FOR UPDATE`;

const CHECKPOINT = `
UPDATE penstock_router.replays
   SET positions = $4, counts = $5, kept = $6, rate = $7, revision = revision + 1, reason = $9,
       leased_until = now() + $8 * interval '1 millisecond'
 WHERE job = $1 AND epoch = $2 AND revision = $3`;

const END = `UPDATE penstock_router.jobs SET state = $2, ended = now() WHERE id = $1`;

const WRITE_DIFFERENCES = `
INSERT INTO penstock_router.replay_differences
  (job, partition, "offset", kind, message_id, source, received, user_id, previous_id, before, now)
SELECT $1, d.partition, d."offset", d.kind, d.message_id, d.source, to_timestamp(d.received_ms / 1000),
       d.user_id, d.previous_id, d.before, d.now
  FROM unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::text[],
              $9::text[], $10::text[], $11::text[])
    AS d (partition, "offset", kind, message_id, source, received_ms, user_id, previous_id, before, now)`;

const numbers = (texts: readonly string[]): number[] => texts.map(Number);

const leasedOf = ({
  starts,
  ends,
  positions,
  epoch,
  revision,
  ...row
}: LeasedRow): LeasedReplay => ({
  ...row,
  request: replayRequest(row.request),
  epoch: Number(epoch),
  revision: Number(revision),
  parts: starts.map((start, partition) => ({ start: Number(start), end: Number(ends[partition]) })),
  positions: numbers(positions),
});

const cleanOrNull = (text: string | undefined): string | null =>
  text === undefined ? null : cleanText(text);

const differenceValues = (all: readonly NewDifference[]): unknown[][] =>
  columns(
    all,
    ({ partition }) => partition,
    ({ offset }) => offset,
    ({ kind }) => kind,
    ({ messageId }) => cleanText(messageId),
    ({ source }) => source,
    ({ receivedMs }) => receivedMs,
    ({ userId }) => cleanOrNull(userId),
    ({ previousId }) => cleanOrNull(previousId),
    ({ before }) => before && cleanText(JSON.stringify(before)),
    ({ now }) => now && cleanText(JSON.stringify(now)),
  );

/** The table of replays. */
export class PostgresReplayLeases extends ReplayLeases {
  /** @param leaseMs time without a renewal after which another router takes a replay over. */
  constructor(
    private readonly database: Database,
    private readonly member: string,
    private readonly leaseMs: number,
  ) {
    super();
  }

  override async next(): Promise<LeasedReplay | undefined> {
    const rows = await this.database.rows<LeasedRow>(LEASE, [this.member, this.leaseMs]);
    return rows[0] && leasedOf(rows[0]);
  }

  override async renew({ id, epoch }: ReplayLease): Promise<boolean> {
    const rows = await this.database.rows(RENEW, [id, epoch, this.leaseMs]);
    return rows.length === 1;
  }

  override async release({ id, epoch }: ReplayLease): Promise<void> {
    await this.database.rows(RELEASE, [id, epoch]);
  }

  override checkpoint(replay: LeasedReplay, checkpoint: Checkpoint): Promise<boolean> {
    const { id, epoch, revision } = replay;
    const { positions, counts, kept, rate, differences, ending } = checkpoint;
    return this.database.transaction(async (db) => {
      if ((await db.query(HOLD, [id])).rowCount !== 1) return false;
      const { rowCount } = await db.query(CHECKPOINT, [
        ...[id, epoch, revision, positions, counts, kept, rate],
        ...[this.leaseMs, ending?.reason ?? ''],
      ]);
      if (rowCount !== 1) return false;
      if (ending !== undefined) await db.query(END, [id, ending.state]);
      if (differences.length > 0)
        await db.query(WRITE_DIFFERENCES, [id, ...differenceValues(differences)]);
      return true;
    });
  }
}
