import type { PipelineId } from '@penstock/contracts';
import type { RemovedPiece, Remover } from '../../platform/remover';
import type { Writer } from '../../platform/warehouse-writer';
import { type Guarded, writerGuard } from '../layout/guard';
import { LOOK_UPS } from '../merging/merge-identities';
import { besideResolution } from '../resolving/beside-resolution';
import type { Sessions } from '../sessions/sessions';
import { transaction } from '../sql/transaction';
import {
  type LastOfPiece,
  PIECE,
  placeOf,
  type RemovalPlace,
  removeIdentities,
  selectNeeded,
} from './remove-pieces';

interface PieceRow extends LastOfPiece {
  readonly identities: number;
}

const NOTHING: PieceRow = { identities: 0, anonymous: null, recordId: null };

/** Removes from the warehouse of one workspace what a deleted pipeline has written, under one epoch. */
export class PostgresqlRemover implements Remover {
  /** The last identity that was deleted: those before it are passed over, whose rows still are there. */
  private after: RemovalPlace | undefined;

  constructor(
    private readonly sessions: Sessions,
    private readonly place: Guarded,
    private readonly writer: Writer,
    private readonly pipeline: PipelineId,
  ) {}

  async remove(before: () => Promise<void>): Promise<RemovedPiece> {
    if (this.after === undefined && !(await this.isNeeded()))
      return { identities: 0, isLast: true };
    await before();
    const { schema } = this.place;
    const results = await this.change(
      besideResolution(schema),
      ...LOOK_UPS,
      'SET LOCAL enable_sort = off',
      removeIdentities(schema, this.pipeline, this.after),
    );
    const row = (results.at(-1)?.rows[0] as PieceRow | undefined) ?? NOTHING;
    // What was written before the place meanwhile is found from the first one on.
    this.after = row.identities < PIECE ? undefined : placeOf(row);
    return { identities: row.identities, isLast: false };
  }

  private async isNeeded(): Promise<boolean> {
    const results = await this.change(selectNeeded(this.place.schema, this.pipeline));
    const [row] = (results.at(-1)?.rows ?? []) as { isNeeded: boolean }[];
    return row?.isNeeded === true;
  }

  /** Beside no other writer of the pipeline. */
  private change(...statements: readonly string[]): ReturnType<typeof transaction> {
    const guard = writerGuard(this.place, this.writer, this.pipeline);
    return this.sessions.use((client) => transaction(client, [guard, ...statements]));
  }
}
