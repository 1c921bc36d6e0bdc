import type { PipelineId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import type { RemovedPiece, Remover } from '../../platform/remover';
import type { Writer } from '../../platform/warehouse-writer';
import type { Guarded } from '../layout/guard';
import { inTurn } from '../layout/in-turn';
import type { Sessions } from '../sessions/sessions';
import { listed } from '../sql/listed';
import { changedRows } from '../sql/transaction';
import { clear, type Cleared, markCleared, selectFilled, selectPiece } from './clear-statements';

/** Identities that one transaction looks at. */
const PIECE = 10_000;

const FIRST = '0';

/** Identities that were looked at. */
interface LookedAt {
  readonly looked: number;
  readonly last: string;
  /** Those that have a value, with the times of the columns. */
  readonly filled: readonly (readonly (string | null)[])[];
}

/**
 * Clears properties that a pipeline writes no more, in the warehouse of one workspace, under one epoch. What is written of
 * them after an identity was looked at, as by a newer version of the pipeline, is left alone.
 */
export class SnowflakeClearer implements Remover {
  /** The last identity that was looked at. */
  private after = FIRST;
  /** Whether all that was found was cleared, from the first identity on. */
  private isWhole = true;

  constructor(
    private readonly sessions: Sessions,
    private readonly guarded: Guarded,
    private readonly writer: Writer,
    private readonly pipeline: PipelineId,
    private readonly cleared: Cleared,
  ) {}

  async remove(before: () => Promise<void>): Promise<RemovedPiece> {
    if (this.cleared.columns.length === 0) return { identities: 0, isLast: true };
    const { looked, last, filled } = await this.change((session) => this.look(session));
    const identities = filled.length === 0 ? 0 : await this.clear(filled, before);
    this.isWhole &&= identities === filled.length;
    if (looked === PIECE) {
      this.after = last;
      return { identities, isLast: false };
    }
    const isLast = this.isWhole;
    this.after = FIRST;
    this.isWhole = true;
    return { identities, isLast };
  }

  private async look(session: SnowflakeSession): Promise<LookedAt> {
    const select = selectPiece(this.cleared.place, PIECE);
    const [row = []] = await session.rows(select, [this.pipeline, this.after]);
    const [looked, last] = row;
    if (last === null || last === undefined) return { looked: 0, last: FIRST, filled: [] };
    const binds = [this.pipeline, this.after, last];
    const filled = await session.rows(selectFilled(this.cleared), binds);
    return { looked: Number(looked), last, filled };
  }

  private async clear(filled: LookedAt['filled'], before: () => Promise<void>): Promise<number> {
    await before();
    const bind = [listed(filled)];
    return this.change(async (session) => {
      await session.rows(markCleared(this.cleared), bind);
      return changedRows(await session.rows(clear(this.cleared), bind));
    });
  }

  /** In a transaction in which the writer may write. */
  private change<T>(work: (session: SnowflakeSession) => Promise<T>): Promise<T> {
    return inTurn(this.sessions, this.guarded, this.writer, work);
  }
}
