import type { PipelineId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import type { RemovedPiece, Remover } from '../../platform/remover';
import type { Writer } from '../../platform/warehouse-writer';
import type { Guarded } from '../layout/guard';
import { inTurn } from '../layout/in-turn';
import { deleteGone, markRemoved } from '../merging/mark-removed';
import { keepKeys } from '../resolving/identity-keys';
import type { Sessions } from '../sessions/sessions';
import { qualified } from '../sql/names';
import { changedRows } from '../sql/transaction';

/** Identities that one transaction deletes. */
const PIECE = 10_000;

/** Removes from the warehouse of one workspace what a deleted pipeline has written, under one epoch. */
export class SnowflakeRemover implements Remover {
  constructor(
    private readonly sessions: Sessions,
    private readonly guarded: Guarded,
    private readonly writer: Writer,
    private readonly pipeline: PipelineId,
  ) {}

  async remove(before: () => Promise<void>): Promise<RemovedPiece> {
    if (!(await this.change((session) => this.isNeeded(session))))
      return { identities: 0, isLast: true };
    await before();
    const identities = await this.change((session) => this.deletePiece(session));
    return { identities, isLast: false };
  }

  private async isNeeded(session: SnowflakeSession): Promise<boolean> {
    const identities = qualified(this.guarded.place, '_IDENTITIES');
    const select = `SELECT 1 FROM ${identities} WHERE "_PIPELINE" = ? LIMIT 1`;
    return (await session.rows(select, [this.pipeline])).length > 0;
  }

  private async deletePiece(session: SnowflakeSession): Promise<number> {
    const { place } = this.guarded;
    const gone = `
      SELECT "_ID" AS ID, "_PROFILE_ID" AS PROFILE FROM ${qualified(place, '_IDENTITIES')}
      WHERE "_PIPELINE" = ? ORDER BY "_ID" LIMIT ${String(PIECE)}`;
    await session.rows(keepKeys(place, gone), [this.pipeline]);
    await session.rows(markRemoved(place, gone), [this.pipeline]);
    return changedRows(await session.rows(deleteGone(place, gone), [this.pipeline]));
  }

  /** In a transaction in which the writer may write. */
  private change<T>(work: (session: SnowflakeSession) => Promise<T>): Promise<T> {
    return inTurn(this.sessions, this.guarded, this.writer, work);
  }
}
