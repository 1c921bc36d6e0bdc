import {
  type DifferenceKind,
  type DifferenceView,
  instant,
  type PipelineId,
  type ReplayedResult,
} from '@penstock/contracts';
import type { Pool } from 'pg';
import { deliveryId } from './delivery-id';
import type { ListPlace } from './deliveries-statement';
import { fitting } from './fitting';
import { recordAccesses } from './record-accesses';
import type { Access } from './whole-deliveries';

/** Which differences are wanted. */
export interface DifferencesWanted {
  readonly workspace: string;
  readonly pipeline: PipelineId;
  readonly replay: string;
  /** `null`: of every kind. */
  readonly kind: DifferenceKind | null;
  readonly limit: number;
  readonly after: ListPlace | undefined;
}

/** A difference of a list, with its place in it. */
export interface ListedDifference {
  readonly view: DifferenceView;
  readonly place: ListPlace;
}

interface DifferenceRow {
  readonly partition: number;
  readonly offset: string;
  readonly kind: DifferenceKind;
  readonly message_id: string;
  readonly source: string;
  readonly received_ms: number;
  readonly before: string | null;
  readonly now: string | null;
}

/** A replay keeps few differences, so that all of them may be sorted. */
const LIST = `
SELECT d.partition, d."offset", d.kind, d.message_id, d.source,
       (extract(epoch FROM d.received) * 1000)::float8 AS received_ms, d.before, d.now
  FROM penstock_router.jobs j JOIN penstock_router.replay_differences d ON d.job = j.id
 WHERE j.id = $1 AND j.workspace = $2 AND j.pipeline = $3 AND ($4::text IS NULL OR d.kind = $4)
   AND ($5::float8 IS NULL OR (d.received, d.partition, d."offset")
        < (to_timestamp($5::float8 / 1000)::timestamptz(3), $6::int, $7::bigint))
 ORDER BY d.received DESC, d.partition DESC, d."offset" DESC LIMIT $8`;

const resultOf = (text: string | null): ReplayedResult | null =>
  text === null ? null : (JSON.parse(text) as ReplayedResult);

const listed = (row: DifferenceRow, pipeline: PipelineId): ListedDifference => {
  const place = { partition: row.partition, offset: Number(row.offset), pipeline };
  return {
    place: { ...place, receivedMs: row.received_ms },
    view: {
      delivery: deliveryId(place),
      messageId: row.message_id,
      source: row.source,
      receivedAt: instant(new Date(row.received_ms)),
      kind: row.kind,
      before: resultOf(row.before),
      now: resultOf(row.now),
    },
  };
};

/** Reads the examples of differences that replays have kept. */
export class ReplayDifferences {
  constructor(private readonly pool: Pool) {}

  /**
   * At most `limit` differences of a replay, newest first, as far as they fit into an answer.
   *
   * @param access is recorded for each before they are returned; absent: the caller shows no values.
   */
  async list(
    wanted: DifferencesWanted,
    access: Access | undefined,
  ): Promise<{ readonly page: readonly ListedDifference[]; readonly hasMore: boolean }> {
    const found = await this.find(wanted);
    const page = fitting(found.slice(0, wanted.limit));
    const shown = page.map(({ view }) => view.delivery);
    if (access !== undefined) await recordAccesses(this.pool, wanted.workspace, access, shown);
    return { page, hasMore: page.length < found.length };
  }

  private async find({
    workspace,
    pipeline,
    replay,
    kind,
    limit,
    after,
  }: DifferencesWanted): Promise<readonly ListedDifference[]> {
    const { rows } = await this.pool.query<DifferenceRow>(LIST, [
      ...[replay, workspace, pipeline, kind],
      ...[after?.receivedMs ?? null, after?.partition ?? 0, after?.offset ?? 0, limit + 1],
    ]);
    return rows.map((row) => listed(row, pipeline));
  }
}
