import type { PipelineId, WorkspaceId } from '@penstock/contracts';
import { cleanText } from '../store/clean-text';
import { columns } from '../store/postgres/sql/columns';
import type { Database } from '../store/postgres/sql/database';
import type {
  Checkpoint,
  Counts,
  KeptExamples,
  LeasedReplay,
  NewDifference,
  ReplayLease,
  ReplayRequest,
} from './replay-job';

interface LeasedRow {
  readonly id: string;
  readonly epoch: string;
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
  readonly request: ReplayRequest;
  readonly starts: readonly string[];
  readonly ends: readonly string[];
  readonly positions: readonly string[];
  readonly revision: string;
  readonly counts: Counts;
  readonly kept: KeptExamples;
}

/** Workspaces in turn, and within one the replay that was served longest ago. */
const LEASE = `
WITH next AS (
  SELECT r.id FROM penstock_router.replays r
   WHERE r.state = 'Running' AND (r.leased_until < now() OR r.owner = $1)
   ORDER BY (SELECT max(o.served) FROM penstock_router.replays o
              WHERE o.state = 'Running' AND o.workspace = r.workspace), r.served, r.id
   LIMIT 1 FOR UPDATE OF r SKIP LOCKED
)
UPDATE penstock_router.replays r
   SET owner = $1, epoch = r.epoch + 1, served = now(), leased_until = now() + $2 * interval '1 millisecond'
  FROM next WHERE r.id = next.id
RETURNING r.id, r.epoch, r.workspace, r.pipeline, r.request, r.starts, r.ends, r.positions, r.revision, r.counts, r.kept`;

const RENEW = `
UPDATE penstock_router.replays SET leased_until = now() + $3 * interval '1 millisecond'
 WHERE id = $1 AND epoch = $2 AND state = 'Running' RETURNING id`;

const RELEASE = `
UPDATE penstock_router.replays SET owner = '', leased_until = '-infinity' WHERE id = $1 AND epoch = $2`;

const CHECKPOINT = `
UPDATE penstock_router.replays
   SET positions = $4, counts = $5, kept = $6, rate = $7, revision = revision + 1,
       leased_until = now() + $8 * interval '1 millisecond', state = coalesce($9, state), reason = $10,
       ended = CASE WHEN $9::text IS NULL THEN NULL ELSE now() END
 WHERE id = $1 AND epoch = $2 AND revision = $3 AND state = 'Running' RETURNING id`;

const WRITE_DIFFERENCES = `
INSERT INTO penstock_router.replay_differences
  (replay, partition, "offset", kind, message_id, source, received, user_id, previous_id, before, now)
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

/** The leases of running replays: one router at a time works on each, and what it writes counts once. */
export class ReplayLeases {
  /** @param leaseMs time without a renewal after which another router takes a replay over. */
  constructor(
    private readonly database: Database,
    private readonly member: string,
    private readonly leaseMs: number,
  ) {}

  /** Leases the running replay whose turn it is, this member's own included; undefined: there is none. */
  async next(): Promise<LeasedReplay | undefined> {
    const rows = await this.database.rows<LeasedRow>(LEASE, [this.member, this.leaseMs]);
    return rows[0] && leasedOf(rows[0]);
  }

  /** @returns false: the replay has ended, or has another owner. */
  async renew({ id, epoch }: ReplayLease): Promise<boolean> {
    const rows = await this.database.rows(RENEW, [id, epoch, this.leaseMs]);
    return rows.length === 1;
  }

  /** Lets another router take the replay over at once. */
  async release({ id, epoch }: ReplayLease): Promise<void> {
    await this.database.rows(RELEASE, [id, epoch]);
  }

  /**
   * Writes a checkpoint in one transaction. When this rejects it may have been written: lease the replay again, to go on
   * from where it is.
   *
   * @returns false: the replay has ended or has another owner, and nothing was written.
   */
  checkpoint(replay: LeasedReplay, checkpoint: Checkpoint): Promise<boolean> {
    const { id, epoch, revision } = replay;
    const { positions, counts, kept, rate, differences, ending } = checkpoint;
    return this.database.transaction(async (db) => {
      const { rowCount } = await db.query(CHECKPOINT, [
        ...[id, epoch, revision, positions, counts, kept, rate],
        ...[this.leaseMs, ending?.state ?? null, ending?.reason ?? ''],
      ]);
      if (rowCount !== 1) return false;
      if (differences.length > 0)
        await db.query(WRITE_DIFFERENCES, [id, ...differenceValues(differences)]);
      return true;
    });
  }
}
