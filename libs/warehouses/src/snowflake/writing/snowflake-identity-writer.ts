import type { PipelineId } from '@penstock/contracts';
import { type BoundRow, isSnowflakeRefusal, type SnowflakeSession } from '@penstock/databases';
import { BatchOutcomes } from '../../merging/batch-outcomes';
import { reduceBatch, type StagedRow } from '../../merging/reduce-batch';
import {
  type IdentityBatch,
  type IdentityOutcome,
  type IdentityUpdate,
  type IdentityWriter,
  MAX_BATCH,
  type Settled,
  type Writer,
} from '../../platform/warehouse-writer';
import { guardWriter } from '../layout/guard';
import { dropStage, stageRows } from '../layout/stages';
import type { Sessions } from '../sessions/sessions';
import { qualified } from '../sql/names';
import { transaction } from '../sql/transaction';
import { purgeOf, purgePiece, readPurged } from './purge';
import { reasonOf } from './refused-row';
import { readSeen, recordSeen } from './seen';
import { StagedBatch } from './staged-batch';
import { CELLS, stagedNames } from './staged-identity';
import type { IdentityPlace } from './writing-place';
import { wellFormed } from '../sql/well-formed';

const NOTHING: ReadonlyMap<string, Settled> = new Map();

/** Halves of surrogate pairs are all the same to the server: ids that differ by them alone are one. */
const withId = (update: IdentityUpdate): IdentityUpdate =>
  wellFormed(update.recordId) === update.recordId
    ? update
    : { ...update, recordId: wellFormed(update.recordId) };

/** Writes the identities of one workspace under one epoch. */
export class SnowflakeIdentityWriter implements IdentityWriter {
  constructor(
    private readonly sessions: Sessions,
    private readonly place: IdentityPlace,
    private readonly writer: Writer,
  ) {}

  async write(
    batch: IdentityBatch,
    before: Promise<unknown> = Promise.resolve(),
  ): Promise<readonly IdentityOutcome[]> {
    const { updates, run } = batch;
    if (updates.length > MAX_BATCH || (run?.settled.size ?? 0) > MAX_BATCH)
      throw new RangeError(`a batch has at most ${String(MAX_BATCH)} records`);
    const given = updates.map(withId);
    const { rows, refused } = await reduceBatch(given, this.place.columns, CELLS);
    const outcomes = new BatchOutcomes({ ...batch, updates: given }, refused);
    const staged = await this.stagedBefore(batch, rows, before);
    const known = await this.sessions.use((session) =>
      this.writeStaged(session, batch, staged, outcomes),
    );
    return outcomes.list(known);
  }

  seen(run: string, recordIds: readonly string[]): Promise<ReadonlyMap<string, Settled>> {
    return this.guarded((session) => readSeen(session, this.place.place, run, recordIds));
  }

  async purge(
    pipeline: PipelineId,
    run: string,
    onPiece?: (purged: number) => Promise<void>,
  ): Promise<number> {
    let after: string | null = '';
    while (after !== null) {
      after = await this.purgePiece(pipeline, run, after);
      if (after !== null) await onPiece?.(await this.purged(run));
    }
    return this.purged(run);
  }

  async forget(run: string): Promise<void> {
    const seen = qualified(this.place.place, '_SEEN');
    await this.guarded((session) =>
      session.rows(`DELETE FROM ${seen} WHERE "RUN" IN (?, ?)`, [run, purgeOf(run)]),
    );
  }

  private purged(run: string): Promise<number> {
    return this.sessions.use((session) => readPurged(session, this.place.place, run));
  }

  private purgePiece(pipeline: PipelineId, run: string, after: string): Promise<string | null> {
    const { place } = this.place;
    return this.guarded((session) => purgePiece(session, { place, pipeline, run, after }));
  }

  /** In a transaction in which the writer may write. */
  private guarded<T>(work: (session: SnowflakeSession) => Promise<T>): Promise<T> {
    return this.sessions.use((session) => this.guardedOn(session, () => work(session)));
  }

  private guardedOn<T>(session: SnowflakeSession, work: () => Promise<T>): Promise<T> {
    return transaction(session, async () => {
      await guardWriter(session, this.place, this.writer);
      return work();
    });
  }

  /** Stages rows, without a session of its own while it waits. */
  private async stagedBefore(
    batch: IdentityBatch,
    rows: readonly StagedRow<BoundRow>[],
    before: Promise<unknown>,
  ): Promise<StagedBatch | undefined> {
    if (rows.length === 0) {
      await before;
      return undefined;
    }
    // What it waits for may fail while it is being staged.
    before.catch(() => undefined);
    const staged = await this.sessions.use((session) => this.stage(session, batch, rows));
    try {
      await before;
      return staged;
    } catch (error) {
      await this.sessions.use((session) => dropStage(session, staged.stage)).catch(() => undefined);
      throw error;
    }
  }

  private async stage(
    session: SnowflakeSession,
    batch: IdentityBatch,
    rows: readonly StagedRow<BoundRow>[],
  ): Promise<StagedBatch> {
    const { place, columns, aheadSeconds } = this.place;
    const cells = rows.map(({ made }, index) => [String(index), ...made]);
    const stage = await stageRows(session, place, stagedNames(columns), cells, aheadSeconds);
    return new StagedBatch(this.place, batch, rows, stage);
  }

  /** @returns what the run had settled before */
  private async writeStaged(
    session: SnowflakeSession,
    batch: IdentityBatch,
    staged: StagedBatch | undefined,
    outcomes: BatchOutcomes,
  ): Promise<ReadonlyMap<string, Settled>> {
    if (staged === undefined)
      return this.guardedOn(session, () => this.record(session, batch, outcomes));
    try {
      return await this.mergeAll(session, batch, staged, outcomes);
    } finally {
      // What is left after a fault is dropped by the daily sweep.
      await dropStage(session, staged.stage).catch(() => undefined);
    }
  }

  private async mergeAll(
    session: SnowflakeSession,
    batch: IdentityBatch,
    staged: StagedBatch,
    outcomes: BatchOutcomes,
  ): Promise<ReadonlyMap<string, Settled>> {
    const { length } = staged.rows;
    try {
      return await this.guardedOn(session, async () => {
        await staged.merge(session, 0, length);
        return this.record(session, batch, outcomes);
      });
    } catch (error) {
      if (!isSnowflakeRefusal(error)) throw error;
      await this.isolate(session, staged, { from: 0, to: length, error }, outcomes);
      return this.guardedOn(session, () => this.record(session, batch, outcomes));
    }
  }

  private async record(
    session: SnowflakeSession,
    { run }: IdentityBatch,
    outcomes: BatchOutcomes,
  ): Promise<ReadonlyMap<string, Settled>> {
    if (run === undefined) return NOTHING;
    return recordSeen(session, this.place.place, run, outcomes.writtenIds(run));
  }

  /** Writes the halves of rows of which at least one is refused, and the halves of such halves. */
  private async isolate(
    session: SnowflakeSession,
    staged: StagedBatch,
    { from, to, error }: { readonly from: number; readonly to: number; readonly error: Error },
    outcomes: BatchOutcomes,
  ): Promise<void> {
    if (to - from === 1) {
      outcomes.refuse(staged.rows[from]?.places ?? [], reasonOf(error));
      return;
    }
    const middle = Math.ceil((from + to) / 2);
    for (const half of [
      { from, to: middle },
      { from: middle, to },
    ])
      try {
        await this.guardedOn(session, () => staged.merge(session, half.from, half.to));
      } catch (refusal) {
        if (!isSnowflakeRefusal(refusal)) throw refusal;
        await this.isolate(session, staged, { ...half, error: refusal }, outcomes);
      }
  }
}
