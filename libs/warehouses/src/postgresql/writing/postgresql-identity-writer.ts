import type { ConnectionId, PipelineId } from '@penstock/contracts';
import { type Client, DatabaseError, escapeLiteral, type QueryResult } from 'pg';
import { BatchOutcomes, settledAs } from '../../merging/batch-outcomes';
import { reduceBatch, type StagedRow } from '../../merging/reduce-batch';
import type { ErasedRecord } from '../../platform/eraser';
import {
  type IdentityBatch,
  type IdentityOutcome,
  type IdentityWriter,
  MAX_BATCH,
  type Settled,
  type Writer,
} from '../../platform/warehouse-writer';
import type { ProfileColumn } from '../columns/profile-columns';
import { HASHES, type LeftOut } from '../erasing/left-out';
import { stageName } from '../layout/stages';
import { type Guarded, isStageLost, wholeStage, writerGuard } from '../layout/guard';
import { LOOK_UPS, mergeIdentities } from '../merging/merge-identities';
import { besideResolution } from '../resolving/beside-resolution';
import { qualified } from '../sql/names';
import { purgeOf, purgePiece } from './purge-piece';
import { isRefusal, reasonOf } from './refused-row';
import { seenStatements, selectSeen } from './seen-statements';
import type { Sessions } from '../sessions/sessions';
import { stageRows } from './stage-rows';
import { COPY_FORM, STAGED } from './staged-identity';
import { transaction } from '../sql/transaction';

/** Rows of `_seen` that one transaction deletes. */
const FORGOTTEN_AT_ONCE = 10_000;

/** What a writer needs of the warehouse. */
export interface Place extends Guarded {
  readonly columns: readonly ProfileColumn[];
  readonly leftOut: LeftOut;
  /** Seconds by which the server's clock is ahead of this one. */
  readonly aheadSeconds: number;
  /** `server_version_num` of the server. */
  readonly version: number;
}

interface SeenRow {
  readonly record_id: string;
  readonly outcome: string;
  readonly batch: string;
  readonly updated_at_us: string | null;
}

const settledIn = (
  results: readonly QueryResult<Record<string, unknown>>[],
): Map<string, Settled> => {
  const seen = results.find(({ fields }) => fields[0]?.name === 'record_id');
  const rows = (seen?.rows ?? []) as unknown as SeenRow[];
  return new Map(
    rows.map(({ record_id, outcome, batch, updated_at_us: time }) => [
      record_id,
      {
        as: settledAs(outcome),
        batch: Number(batch),
        ...(time !== null && { updatedAtUs: BigInt(time) }),
      },
    ]),
  );
};

/** Who a row is of, and then whom its previous ids name, in their order. */
const recordsOf = (
  connection: ConnectionId,
  { recordId, anonymous, previousIds }: StagedRow<string>,
): readonly ErasedRecord[] => [
  { connection, anonymous, recordId },
  ...previousIds().map((previous) => ({ connection, anonymous: false, recordId: previous })),
];

/** A staging table with rows; or why the server has refused one of them. */
type Stage = { readonly table: string; readonly rows: number } | DatabaseError;

const drop = async (client: Client, stage: Stage): Promise<void> => {
  if (stage instanceof DatabaseError) return;
  await client.query(`DROP TABLE IF EXISTS ${stage.table}`);
};

/** Takes back what has failed. @returns why the server has refused a row @throws any other error */
const refusalOf = async (client: Client, stage: Stage, error: unknown): Promise<DatabaseError> => {
  if (error instanceof DatabaseError) {
    await client.query('ROLLBACK');
    await drop(client, stage);
    if (isRefusal(error)) return error;
  }
  throw error;
};

/** Writes the identities of one workspace under one epoch. */
export class PostgresqlIdentityWriter implements IdentityWriter {
  constructor(
    private readonly sessions: Sessions,
    private readonly place: Place,
    private readonly writer: Writer,
  ) {}

  async write(
    batch: IdentityBatch,
    before: Promise<unknown> = Promise.resolve(),
  ): Promise<readonly IdentityOutcome[]> {
    const { updates, run } = batch;
    if (updates.length > MAX_BATCH || (run?.settled.size ?? 0) > MAX_BATCH)
      throw new RangeError(`a batch has at most ${MAX_BATCH} records`);
    const { rows, refused } = await reduceBatch(updates, this.place.columns, COPY_FORM);
    const outcomes = new BatchOutcomes(batch, refused);
    const stage = await this.stagedBefore(batch, rows, before);
    return this.sessions.use(async (client) => {
      const known = await this.writeReduced(client, batch, rows, stage, outcomes);
      return outcomes.list(known);
    });
  }

  async seen(run: string, recordIds: readonly string[]): Promise<ReadonlyMap<string, Settled>> {
    const { schema } = this.place;
    return this.sessions.use(async (client) =>
      settledIn(await transaction(client, [this.guard(), selectSeen(schema, run, recordIds)])),
    );
  }

  async purge(
    pipeline: PipelineId,
    run: string,
    onPiece?: (purged: number) => Promise<void>,
  ): Promise<number> {
    let purged = 0;
    let after: string | null = '';
    while (after !== null) {
      const piece = purgePiece(this.place.schema, pipeline, run, after);
      const results = await this.sessions.use((client) =>
        transaction(client, [
          this.guard(pipeline),
          besideResolution(this.place.schema),
          ...LOOK_UPS,
          'SET LOCAL enable_sort = off',
          piece,
        ]),
      );
      const [row] = (results.at(-1)?.rows ?? []) as { purged: number; last: string | null }[];
      purged = row?.purged ?? purged;
      after = row?.last ?? null;
      if (after !== null) await onPiece?.(purged);
    }
    return purged;
  }

  async forget(run: string): Promise<void> {
    const seen = qualified(this.place.schema, '_seen');
    const runs = [run, purgeOf(run)].map((each) => escapeLiteral(each));
    const piece = `DELETE FROM ${seen} WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM ${seen} WHERE run IN (${runs.join(', ')}) LIMIT ${FORGOTTEN_AT_ONCE}))`;
    for (let deleted = FORGOTTEN_AT_ONCE; deleted === FORGOTTEN_AT_ONCE;) {
      const results = await this.sessions.use((client) =>
        transaction(client, [this.guard(), piece]),
      );
      deleted = results.at(-1)?.rowCount ?? 0;
    }
  }

  private guard(pipeline?: PipelineId): string {
    return writerGuard(this.place, this.writer, pipeline);
  }

  /** Stages rows, without a connection of its own while it waits. @returns the staging table */
  private async stagedBefore(
    { connection }: IdentityBatch,
    rows: readonly StagedRow<string>[],
    before: Promise<unknown>,
  ): Promise<Stage | undefined> {
    if (rows.length === 0) {
      await before;
      return undefined;
    }
    const stage = await this.sessions.use((client) => this.stage(client, connection, rows));
    try {
      await before;
      return stage;
    } catch (error) {
      await this.sessions.use((client) => drop(client, stage)).catch(() => undefined);
      throw error;
    }
  }

  /** @returns what the run had settled before */
  private async writeReduced(
    client: Client,
    batch: IdentityBatch,
    rows: readonly StagedRow<string>[],
    stage: Stage | undefined,
    outcomes: BatchOutcomes,
  ): Promise<ReadonlyMap<string, Settled>> {
    const { schema } = this.place;
    if (stage !== undefined) {
      const written = await this.mergeWhole(
        client,
        batch,
        rows,
        stage,
        seenStatements(schema, batch.run, outcomes),
      );
      if (!(written instanceof DatabaseError)) return settledIn(written);
      await this.isolate(client, batch, rows, written, outcomes);
    }
    const statements = [this.guard(batch.pipeline), ...seenStatements(schema, batch.run, outcomes)];
    return settledIn(await transaction(client, statements));
  }

  /** Writes the halves of rows of which at least one is refused, and the halves of such halves. */
  private async isolate(
    client: Client,
    batch: IdentityBatch,
    rows: readonly StagedRow<string>[],
    error: DatabaseError,
    outcomes: BatchOutcomes,
  ): Promise<void> {
    const [first, second] = rows;
    if (first !== undefined && second === undefined) {
      outcomes.refuse(first.places, reasonOf(error));
      return;
    }
    const middle = Math.ceil(rows.length / 2);
    for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
      const stage = await this.stage(client, batch.connection, half);
      const written = await this.mergeWhole(client, batch, half, stage, []);
      if (written instanceof DatabaseError)
        await this.isolate(client, batch, half, written, outcomes);
    }
  }

  /** @returns the staging table, or why the server has refused a row */
  private async stage(
    client: Client,
    connection: ConnectionId,
    rows: readonly StagedRow<string>[],
  ): Promise<Stage> {
    const { columns, aheadSeconds, leftOut, schema, version } = this.place;
    const table = qualified(schema, stageName(Date.now() / 1_000 + aheadSeconds));
    const stage = { table, rows: rows.length };
    try {
      const hashed = rows.map((row) => ({
        text: leftOut.field(() => recordsOf(connection, row)) + row.made,
      }));
      await stageRows(client, { table, columns: [HASHES, ...STAGED, ...columns], version }, hashed);
      return stage;
    } catch (error) {
      return refusalOf(client, stage, error);
    }
  }

  /** As {@link merge}; what was staged is staged again when it is lost, or somebody was erased since. */
  private async mergeWhole(
    client: Client,
    batch: IdentityBatch,
    rows: readonly StagedRow<string>[],
    stage: Stage,
    also: readonly string[],
  ): ReturnType<PostgresqlIdentityWriter['merge']> {
    try {
      return await this.merge(client, batch, stage, also);
    } catch (error) {
      if (!this.place.leftOut.isMissing(error) && !isStageLost(error)) throw error;
      const again = await this.stage(client, batch.connection, rows);
      if (!isStageLost(error)) return this.merge(client, batch, again, also);
      return this.mergeWhole(client, batch, rows, again, also);
    }
  }

  /** @returns the results, or why the server has refused a row; then nothing was written */
  private async merge(
    client: Client,
    batch: IdentityBatch,
    stage: Stage,
    also: readonly string[],
  ): Promise<readonly QueryResult<Record<string, unknown>>[] | DatabaseError> {
    if (stage instanceof DatabaseError) return stage;
    const { columns, schema } = this.place;
    try {
      return await transaction(client, [
        this.guard(batch.pipeline),
        wholeStage(stage.table, stage.rows),
        besideResolution(schema),
        ...this.place.leftOut.identityStatements(stage.table),
        ...also,
        ...mergeIdentities({
          schema,
          source: this.source(batch, stage.table),
          properties: columns.map(({ name }) => name),
        }),
        `DROP TABLE ${stage.table}`,
      ]);
    } catch (error) {
      return refusalOf(client, stage, error);
    }
  }

  private source({ pipeline, connection, run }: IdentityBatch, stage: string): string {
    const constants = [
      `${escapeLiteral(pipeline)}::text AS _pipeline`,
      `${escapeLiteral(connection)}::text AS _connection`,
      `${run === undefined ? 'NULL' : escapeLiteral(run.id)}::text AS _run`,
    ];
    // OFFSET keeps the planner from knowing the pipeline, for which it would rather read a whole pipeline for each row.
    return `(SELECT ${constants.join(', ')}, staged.* FROM ${stage} AS staged OFFSET 0)`;
  }
}
