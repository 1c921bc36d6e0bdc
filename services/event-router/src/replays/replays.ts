import {
  instant,
  type PipelineId,
  REPLAY_STATES,
  type ReplayView,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Pool } from 'pg';
import type { Counts, ReplayRequest, WindowPart } from './replay-job';
import { noCounts, noExamples } from './slice-results';

/** A replay that is to be created. */
export interface NewReplay {
  readonly id: string;
  /** Identifies repetitions of the request; `null`: there are none. */
  readonly command: string | null;
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
  /** Id of the API key. */
  readonly actor: string;
  readonly request: ReplayRequest;
  /** By partition. */
  readonly parts: readonly WindowPart[];
}

/** A place in the list of a pipeline's replays. */
export interface ReplayPlace {
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  readonly id: string;
}

interface ReplayRow {
  readonly id: string;
  readonly pipeline: PipelineId;
  readonly actor: string;
  readonly created_ms: number;
  readonly ended_ms: number | null;
  readonly state: (typeof REPLAY_STATES)[number];
  readonly reason: string;
  readonly request: ReplayRequest;
  readonly read: number;
  readonly total: number;
  readonly rate: number;
  readonly counts: Counts;
}

const COLUMNS = `id, pipeline, actor, (extract(epoch FROM created) * 1000)::float8 AS created_ms,
       (extract(epoch FROM ended) * 1000)::float8 AS ended_ms, state, reason, request, rate, counts,
       (SELECT coalesce(sum(p - s), 0)::float8 FROM unnest(starts, positions) AS u (s, p)) AS read,
       (SELECT coalesce(sum(e - s), 0)::float8 FROM unnest(starts, ends) AS u (s, e)) AS total`;

const viewOf = (row: ReplayRow): ReplayView => {
  const { request, created_ms, ended_ms, counts, read, total, ...of } = row;
  const rate = row.state === 'Running' ? Math.round(row.rate) : 0;
  return {
    id: of.id,
    pipeline: of.pipeline,
    mode: request.mode,
    state: of.state,
    reason: of.reason,
    from: request.from,
    to: request.to,
    filter: request.filter,
    version: request.version,
    createdAt: instant(new Date(created_ms)),
    createdBy: of.actor,
    endedAt: ended_ms === null ? null : instant(new Date(ended_ms)),
    progress: {
      read,
      total,
      rate,
      remainingSeconds: rate === 0 ? null : Math.ceil((total - read) / rate),
    },
    summary: counts,
  };
};

/** The replays of pipelines, as clients create, see and end them. */
export class Replays {
  constructor(private readonly pool: Pool) {}

  /** @returns the id of the replay, or of the one that the same command has created; undefined: another is running. */
  async create(replay: NewReplay): Promise<string | undefined> {
    const { id, command, workspace, pipeline, actor, request, parts } = replay;
    const starts = parts.map(({ start }) => start);
    const ends = parts.map(({ end }) => end);
    const { rows: created } = await this.pool.query<{ id: string }>(
      `INSERT INTO penstock_router.replays
         (id, command, workspace, pipeline, actor, request, starts, ends, positions, counts, kept)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $7, $9, $10) ON CONFLICT DO NOTHING RETURNING id`,
      [
        ...[id, command, workspace, pipeline, actor],
        ...[JSON.stringify(request), starts, ends, noCounts(), noExamples()],
      ],
    );
    if (created[0] !== undefined) return id;
    const { rows } = await this.pool.query<{ id: string }>(
      'SELECT id FROM penstock_router.replays WHERE id = $1 OR command = $2',
      [id, command],
    );
    return rows[0]?.id;
  }

  /** At most `limit` replays of a pipeline, newest first. */
  async list(
    workspace: string,
    pipeline: string,
    { limit, after }: { readonly limit: number; readonly after: ReplayPlace | undefined },
  ): Promise<readonly ReplayView[]> {
    const { rows } = await this.pool.query<ReplayRow>(
      `SELECT ${COLUMNS} FROM penstock_router.replays
        WHERE workspace = $1 AND pipeline = $2
          AND ($3::float8 IS NULL OR (created, id) < (to_timestamp($3::float8 / 1000)::timestamptz(3), $4::text))
        ORDER BY created DESC, id DESC LIMIT $5`,
      [workspace, pipeline, after?.createdMs ?? null, after?.id ?? '', limit],
    );
    return rows.map(viewOf);
  }

  async find(workspace: string, pipeline: string, id: string): Promise<ReplayView | undefined> {
    const { rows } = await this.pool.query<ReplayRow>(
      `SELECT ${COLUMNS} FROM penstock_router.replays WHERE id = $1 AND workspace = $2 AND pipeline = $3`,
      [id, workspace, pipeline],
    );
    return rows[0] && viewOf(rows[0]);
  }

  /** Ends a running replay: no checkpoint is written any more. @returns false: there is none with this id. */
  async cancel(workspace: string, pipeline: string, id: string): Promise<boolean> {
    await this.pool.query(
      `UPDATE penstock_router.replays SET state = 'Cancelled', ended = now()
        WHERE id = $1 AND workspace = $2 AND pipeline = $3 AND state = 'Running'`,
      [id, workspace, pipeline],
    );
    return (await this.find(workspace, pipeline, id)) !== undefined;
  }

  /** Removes replays that ended longer ago than this, with their differences. */
  async sweep(days: number): Promise<void> {
    await this.pool.query(
      `DELETE FROM penstock_router.replays WHERE ended < now() - $1 * interval '1 day'`,
      [days],
    );
  }
}
