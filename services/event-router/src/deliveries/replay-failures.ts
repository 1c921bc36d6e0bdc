import { instant, type PipelineId, type ReplayFailureView } from '@penstock/contracts';
import type { Pool } from 'pg';
import type { ListPlace } from './deliveries-statement';
import { deliveryId } from './delivery-id';
import { fitting } from './fitting';
import { recordAccesses } from './record-accesses';
import type { Access } from './whole-deliveries';

/** Which failures are wanted. */
export interface FailuresWanted {
  readonly workspace: string;
  readonly pipeline: PipelineId;
  readonly replay: string;
  readonly limit: number;
  readonly after: ListPlace | undefined;
}

/** A failure of a list, with its place in it. */
export interface ListedFailure {
  readonly view: ReplayFailureView;
  readonly place: ListPlace;
}

interface FailureRow extends Pick<
  ReplayFailureView,
  'source' | 'state' | 'step' | 'code' | 'reason' | 'attempts'
> {
  readonly partition: number;
  readonly offset: string;
  readonly message_id: string;
  readonly received_ms: number;
  readonly ended_ms: number;
}

/** A replay keeps a bounded number of failures, so that all of them may be sorted. */
const LIST = `
SELECT f.partition, f."offset", f.state, f.step, f.code, f.reason, f.attempts, f.message_id, f.source,
       (extract(epoch FROM f.received) * 1000)::float8 AS received_ms,
       (extract(epoch FROM f.at) * 1000)::float8 AS ended_ms
  FROM penstock_router.jobs j JOIN penstock_router.replay_failures f ON f.job = j.id
 WHERE j.id = $1 AND j.workspace = $2 AND j.pipeline = $3
   AND ($4::float8 IS NULL OR (f.received, f.partition, f."offset")
        < (to_timestamp($4::float8 / 1000)::timestamptz(3), $5::int, $6::bigint))
 ORDER BY f.received DESC, f.partition DESC, f."offset" DESC LIMIT $7`;

const listed = (row: FailureRow, pipeline: PipelineId): ListedFailure => {
  const { partition, offset, message_id, received_ms, ended_ms, ...about } = row;
  const place = { partition, offset: Number(offset), pipeline };
  return {
    place: { ...place, receivedMs: received_ms },
    view: {
      ...about,
      delivery: deliveryId(place),
      messageId: message_id,
      receivedAt: instant(new Date(received_ms)),
      endedAt: instant(new Date(ended_ms)),
    },
  };
};

/** Reads the rejected and parked deliveries that replays have kept. */
export class ReplayFailures {
  constructor(private readonly pool: Pool) {}

  /**
   * At most `limit` failures of a replay, newest first, as far as they fit into an answer.
   *
   * @param access is recorded for each before they are returned; absent: the caller shows no values.
   */
  async list(
    { workspace, pipeline, replay, limit, after }: FailuresWanted,
    access: Access | undefined,
  ): Promise<{ readonly page: readonly ListedFailure[]; readonly hasMore: boolean }> {
    const { rows } = await this.pool.query<FailureRow>(LIST, [
      ...[replay, workspace, pipeline],
      ...[after?.receivedMs ?? null, after?.partition ?? 0, after?.offset ?? 0, limit + 1],
    ]);
    const found = rows.map((row) => listed(row, pipeline));
    const page = fitting(found.slice(0, limit));
    const shown = page.map(({ view }) => view.delivery);
    if (access !== undefined) await recordAccesses(this.pool, workspace, access, shown);
    return { page, hasMore: page.length < found.length };
  }
}
