import type { JobId, PipelineId, ReplayedRun } from '@penstock/contracts';
import type { Pool } from 'pg';
import type { Clock } from '../time/clock';
import { within } from '../time/within';
import { FAILURE_GROUPS, type FailureGroup } from './replay-errors';
import { REPLAY_ROWS, type ReplayRow } from './replay-row';
import { type KnownPipeline, replayedRun } from './replayed-run';

export interface ReplayTellingContext {
  readonly clock: Clock;
  readonly pool: Pool;
  /** Tells the executors of a replay. Rejects when there is no answer. */
  readonly record: (replay: ReplayedRun) => Promise<void>;
  /** A pipeline that was not deleted. */
  readonly knownPipeline: (id: PipelineId) => KnownPipeline | undefined;
  readonly onError: (error: unknown) => void;
  /** Milliseconds between looks, and until a replay that goes on is told of again; default: 1,000. */
  readonly pollMs?: number;
}

/** Replays that one router tells of at once. */
const AT_ONCE = 4;
const POLL_MS = 1_000;
/** Milliseconds after which any router tells of a replay again, when one has not noted that it has. */
const AGAIN_MS = 15_000;
/** Replays of which it is remembered what was told. */
const MAX_REMEMBERED = 1_000;
/** Longest time that `stop` waits for an answer: any router tells again what was not answered. */
const STOP_MS = 2_000;

/** Replays of which nothing new is to be told wait without being told of. */
const TAKE = `
UPDATE penstock_router.replays r
   SET told = r.told + 1, tell_at = now() + $2 * interval '1 millisecond'
  FROM (SELECT o.job FROM penstock_router.replays o JOIN penstock_router.jobs j ON j.id = o.job
         WHERE NOT o.is_told AND o.tell_at <= now()
           AND (j.ended IS NOT NULL OR j.kind = 'DeliveringReplay' OR o.revision <> o.told_revision)
         ORDER BY o.tell_at LIMIT $1 FOR NO KEY UPDATE OF o SKIP LOCKED) due
 WHERE r.job = due.job
RETURNING r.job AS id, r.told`;

const ROW = `${REPLAY_ROWS} AND j.id = $1 AND r.told = $2`;

const TOLD = `
UPDATE penstock_router.replays
   SET is_told = $3, told_revision = $4, tell_at = now() + $5 * interval '1 millisecond'
 WHERE job = $1 AND told = $2`;

/** What changes while a replay goes on, as one text. */
const stateOf = ({ state, read, open, sent, counts, cancelled_by }: ReplayRow): string =>
  JSON.stringify([state, read, open, sent, counts, cancelled_by]);

interface Taken {
  readonly id: JobId;
  /** Number of this telling. */
  readonly told: number;
}

/**
 * Tells the executors of replays, which show them as runs: of each about once a second while it changes, and of its end until
 * they have answered. Any router tells of any replay; what one that was killed has not told, another one tells.
 */
export class ReplayTelling {
  private telling: Promise<void> | undefined;
  private isWanted = false;
  private isStopped = false;
  private timer: NodeJS.Timeout | undefined;
  /** What this process has told of replays that go on. */
  private readonly remembered = new Map<JobId, string>();

  private readonly pollMs: number;

  constructor(private readonly context: ReplayTellingContext) {
    this.pollMs = context.pollMs ?? POLL_MS;
  }

  start(): void {
    this.wake();
  }

  /** Looks now, or as soon as what is under way has ended. */
  wake(): void {
    this.isWanted = true;
    if (this.isStopped || this.telling !== undefined) return;
    clearTimeout(this.timer);
    this.telling = this.tellWanted()
      .catch((error: unknown) => {
        if (!this.isStopped) this.context.onError(error);
      })
      .finally(() => {
        this.telling = undefined;
        if (!this.isStopped)
          this.timer = setTimeout(() => {
            this.wake();
          }, this.pollMs);
      });
  }

  /** Resolves when nothing is told any more, or after `STOP_MS`. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    const { clock } = this.context;
    await within(clock, STOP_MS, this.telling ?? Promise.resolve()).catch(() => undefined);
  }

  private async tellWanted(): Promise<void> {
    while (this.isWanted && !this.isStopped) {
      this.isWanted = false;
      const { rows } = await this.context.pool.query<Taken>(TAKE, [AT_ONCE, AGAIN_MS]);
      const results = await Promise.allSettled(rows.map((taken) => this.tell(taken)));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      if (rows.length === AT_ONCE) this.isWanted = true;
    }
  }

  private async tell({ id, told }: Taken): Promise<void> {
    const { pool } = this.context;
    const [row] = (await pool.query<ReplayRow>(ROW, [id, told])).rows;
    if (row === undefined) return;
    const isEnded = row.ended_ms !== null;
    const state = stateOf(row);
    if (isEnded || this.remembered.get(id) !== state) await this.record(row);
    if (isEnded) this.remembered.delete(id);
    else this.remember(id, state);
    await pool.query(TOLD, [id, told, isEnded, row.revision, this.pollMs]);
  }

  private async record(row: ReplayRow): Promise<void> {
    const { pool, record, knownPipeline } = this.context;
    const { rows: failures } = await pool.query<FailureGroup>(FAILURE_GROUPS, [row.id]);
    await record(replayedRun(row, failures, knownPipeline(row.pipeline)));
  }

  /** Forgets all when there are too many, as of replays that others have ended: those that go on are told of once more. */
  private remember(id: JobId, state: string): void {
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(id, state);
  }
}
