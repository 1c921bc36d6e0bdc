import type { PipelineId } from '@penstock/contracts';
import type { RemovedPiece, Remover } from '../../platform/remover';
import type { Writer } from '../../platform/warehouse-writer';
import { type Guarded, writerGuard } from '../layout/guard';
import { LOOK_UPS } from '../merging/merge-identities';
import { besideResolution } from '../resolving/beside-resolution';
import type { Sessions } from '../sessions/sessions';
import { transaction } from '../sql/transaction';
import { clearIdentities, lookAtIdentities, type LookedAt } from './clear-pieces';
import { type LastOfPiece, PIECE, placeOf, type RemovalPlace } from './remove-pieces';

interface LookedRow extends LookedAt, LastOfPiece {
  readonly looked: number;
}

const NOTHING: LookedRow = { looked: 0, ids: [], hashes: [], anonymous: null, recordId: null };

/** What is cleared. */
export interface Clearing {
  readonly pipeline: PipelineId;
  readonly columns: readonly string[];
}

/**
 * Clears properties that a pipeline writes no more, in the warehouse of one workspace, under one epoch. What is written of
 * them after an identity was looked at, as by a newer version of the pipeline, is left alone.
 */
export class PostgresqlClearer implements Remover {
  /** The last identity that was looked at. */
  private after: RemovalPlace | undefined;
  /** Whether all that was found was cleared, from the first identity on. */
  private isWhole = true;

  constructor(
    private readonly sessions: Sessions,
    private readonly place: Guarded,
    private readonly writer: Writer,
    private readonly clearing: Clearing,
  ) {}

  async remove(before: () => Promise<void>): Promise<RemovedPiece> {
    if (this.clearing.columns.length === 0) return { identities: 0, isLast: true };
    const { looked, ...found } = await this.look();
    const identities = found.ids.length === 0 ? 0 : await this.clear(found, before);
    this.isWhole &&= identities === found.ids.length;
    if (looked === PIECE) {
      this.after = placeOf(found);
      return { identities, isLast: false };
    }
    const isLast = this.isWhole;
    this.after = undefined;
    this.isWhole = true;
    return { identities, isLast };
  }

  private async look(): Promise<LookedRow> {
    const { pipeline, columns } = this.clearing;
    const select = lookAtIdentities(this.place.schema, pipeline, columns, this.after);
    const guard = writerGuard(this.place, this.writer);
    const results = await this.sessions.use((client) =>
      transaction(client, [guard, ...LOOK_UPS, 'SET LOCAL enable_sort = off', select]),
    );
    return (results.at(-1)?.rows[0] as LookedRow | undefined) ?? NOTHING;
  }

  private async clear(found: LookedAt, before: () => Promise<void>): Promise<number> {
    await before();
    const { schema } = this.place;
    const results = await this.sessions.use((client) =>
      transaction(client, [
        writerGuard(this.place, this.writer, this.clearing.pipeline),
        besideResolution(schema),
        ...LOOK_UPS,
        clearIdentities(schema, this.clearing.columns, found),
      ]),
    );
    const [row] = (results.at(-1)?.rows ?? []) as { identities: number }[];
    return row?.identities ?? 0;
  }
}
