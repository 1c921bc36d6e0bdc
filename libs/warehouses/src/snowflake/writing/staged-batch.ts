import type { ConnectionId } from '@penstock/contracts';
import type { BoundRow, SnowflakeSession } from '@penstock/databases';
import type { StagedRow } from '../../merging/reduce-batch';
import type { ErasedRecord } from '../../platform/eraser';
import type { IdentityBatch } from '../../platform/warehouse-writer';
import { mergeIdentities } from '../merging/merge-identities';
import { PLACE, sourceOf } from './staged-identity';
import type { IdentityPlace } from './writing-place';
import { wellFormed } from '../sql/well-formed';

/** Whom a previous id names. */
const previousOf = (connection: ConnectionId, recordId: string): ErasedRecord => ({
  ...{ connection, anonymous: false, recordId },
});

/** A batch of identities in its staging table. */
export class StagedBatch {
  /** @param stage as SQL */
  constructor(
    private readonly place: IdentityPlace,
    private readonly batch: IdentityBatch,
    readonly rows: readonly StagedRow<BoundRow>[],
    readonly stage: string,
  ) {}

  /** Merges rows from one place to before another. Within a transaction that has the lock of the warehouse. */
  async merge(session: SnowflakeSession, from: number, to: number): Promise<void> {
    const { place, columns } = this.place;
    await this.leaveOut(session, from, to);
    await mergeIdentities(session, {
      place,
      source: sourceOf(this.batch, columns, { stage: this.stage, from, to }),
      properties: columns.map(({ name }) => name),
    });
  }

  /** Takes the identities of who was erased out of the table, and them out of the previous ids of others. */
  private async leaveOut(session: SnowflakeSession, from: number, to: number): Promise<void> {
    const rows = this.rows.slice(from, to);
    const isErased = await this.place.leftOut.among(session, () =>
      rows.flatMap((row) => [
        this.recordOf(row),
        ...row.previousIds().map((id) => previousOf(this.batch.connection, id)),
      ]),
    );
    if (isErased === undefined) return;
    for (const [index, row] of rows.entries()) {
      const at = String(from + index);
      if (isErased(this.recordOf(row)))
        await session.rows(`DELETE FROM ${this.stage} WHERE "${PLACE}" = ?`, [at]);
      else await this.leavePreviousOut(session, row, at, isErased);
    }
  }

  private async leavePreviousOut(
    session: SnowflakeSession,
    row: StagedRow<BoundRow>,
    at: string,
    isErased: (record: ErasedRecord) => boolean,
  ): Promise<void> {
    const ids = row.previousIds();
    const left = ids.filter((id) => !isErased(previousOf(this.batch.connection, id)));
    if (left.length === ids.length) return;
    const kept = JSON.stringify(left.map(wellFormed));
    await session.rows(`UPDATE ${this.stage} SET "_PREVIOUS_IDS" = ? WHERE "${PLACE}" = ?`, [
      kept,
      at,
    ]);
  }

  private recordOf({ anonymous, recordId }: StagedRow<BoundRow>): ErasedRecord {
    return { connection: this.batch.connection, anonymous, recordId };
  }
}
