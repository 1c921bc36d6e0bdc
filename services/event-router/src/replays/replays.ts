import type { Actor, JobId, PipelineId, ReplayView, WorkspaceId } from '@penstock/contracts';
import type { Pool } from 'pg';
import type { ReplayRequest, WindowPart } from './replay-job';
import { REPLAY_KINDS, REPLAY_ROWS, type ReplayRow, replayView } from './replay-row';
import { noCounts, noExamples } from './slice-results';

/** A replay in mode `shadow` that is to be created. */
export interface NewReplay {
  readonly id: JobId;
  /** Identifies repetitions of the request; `null`: there are none. */
  readonly command: string | null;
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
  readonly actor: Actor;
  readonly request: ReplayRequest;
  /** By partition. */
  readonly parts: readonly WindowPart[];
}

/** A replay that was created by the same command is found again; the index of running ones refuses a second one. */
const CREATE = `
WITH job AS (
  INSERT INTO penstock_router.jobs (id, kind, workspace, pipeline, request, actor, command, state)
  VALUES ($1, 'Replay', $2, $3, $4, $5, $6, 'Running') ON CONFLICT DO NOTHING RETURNING id
)
INSERT INTO penstock_router.replays (job, starts, ends, positions, counts, kept)
SELECT id, $7, $8, $7, $9, $10 FROM job`;

const CANCEL = `
WITH job AS (
  UPDATE penstock_router.jobs
     SET state = CASE kind WHEN 'Replay' THEN 'Cancelled' ELSE 'Cancelling' END,
         ended = CASE kind WHEN 'Replay' THEN now() END
   WHERE id = $1 AND workspace = $2 AND pipeline = $3 AND kind IN ${REPLAY_KINDS} AND ended IS NULL
  RETURNING id
)
UPDATE penstock_router.replays r SET cancelled_by = coalesce(r.cancelled_by, $4), tell_at = '-infinity'
  FROM job WHERE r.job = job.id`;

const FOUND = `${REPLAY_ROWS} AND j.workspace = $1 AND j.pipeline = $2`;

/** The replays of pipelines, as clients create, see and end them. */
export class Replays {
  constructor(private readonly pool: Pool) {}

  /** @returns the id of the replay, or of the one that the same command has created; undefined: another is running. */
  async create(replay: NewReplay): Promise<JobId | undefined> {
    const { id, workspace, pipeline, actor, request, parts } = replay;
    const command = replay.command ?? id;
    const starts = parts.map(({ start }) => start);
    const ends = parts.map(({ end }) => end);
    const job = [id, workspace, pipeline, JSON.stringify(request), actor, command];
    await this.pool.query(CREATE, [...job, starts, ends, noCounts(), noExamples()]);
    const { rows } = await this.pool.query<{ id: JobId }>(
      `SELECT id FROM penstock_router.jobs WHERE command = $1 AND kind = 'Replay'`,
      [command],
    );
    return rows[0]?.id;
  }

  /** At most `limit` replays of a pipeline, newest first. @param before the last one of the page before; empty: none. */
  async list(
    workspace: string,
    pipeline: string,
    { limit, before }: { readonly limit: number; readonly before: string },
  ): Promise<readonly ReplayView[]> {
    const { rows } = await this.pool.query<ReplayRow>(
      `${FOUND} AND ($3::text = '' OR j.id < $3::text) ORDER BY j.id DESC LIMIT $4`,
      [workspace, pipeline, before, limit],
    );
    return rows.map(replayView);
  }

  async find(workspace: string, pipeline: string, id: string): Promise<ReplayView | undefined> {
    const { rows } = await this.pool.query<ReplayRow>(`${FOUND} AND j.id = $3`, [
      workspace,
      pipeline,
      id,
    ]);
    return rows[0] && replayView(rows[0]);
  }

  /**
   * Ends a running replay: no checkpoint is written any more. One that delivers ends when its requests that are under way
   * have ended.
   *
   * @returns false: there is none with this id.
   */
  async cancel(workspace: string, pipeline: string, id: string, actor: Actor): Promise<boolean> {
    await this.pool.query(CANCEL, [id, workspace, pipeline, actor]);
    return (await this.find(workspace, pipeline, id)) !== undefined;
  }

  /** Removes replays that ended longer ago than this, with their differences, once executors were told of their end. */
  async sweep(days: number): Promise<void> {
    await this.pool.query(
      `DELETE FROM penstock_router.jobs j WHERE kind IN ${REPLAY_KINDS} AND ended < now() - $1 * interval '1 day'
          AND NOT EXISTS (SELECT FROM penstock_router.replays r WHERE r.job = j.id AND NOT r.is_told)`,
      [days],
    );
  }
}
