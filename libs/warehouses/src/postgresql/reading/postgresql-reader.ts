import type { WorkspaceId } from '@penstock/contracts';
import { escapeLiteral } from 'pg';
import type {
  IdentitiesPage,
  IdentitiesWanted,
  WarehouseReader,
} from '../../platform/warehouse-reader';
import { readerGuard } from '../layout/guard';
import { READS_LOCK } from '../layout/lock';
import { type Marker, ownMarker, selectMarker } from '../layout/marker';
import type { Sessions } from '../sessions/sessions';
import { transaction } from '../sql/transaction';
import { BY_INDEX, selectIdentities } from './select-identities';
import { type Row, storedIdentity } from './stored-identity';
import { withinLimits } from './within-limits';

/** Reads from the warehouse of one workspace. */
export class PostgresqlReader implements WarehouseReader {
  constructor(
    private readonly sessions: Sessions,
    private readonly schema: string,
    private readonly workspace: WorkspaceId,
    private readonly epoch: number,
  ) {}

  async identities(wanted: IdentitiesWanted, signal: AbortSignal): Promise<IdentitiesPage> {
    const select = selectIdentities(this.schema, wanted);
    const rows = await this.rows([...BY_INDEX, select], signal);
    const identities = rows.slice(0, wanted.limit).map(storedIdentity);
    return { identities, isLast: (rows[0]?.['found'] ?? 0) === identities.length };
  }

  /** The rows that the last of the statements gives. */
  private rows(statements: readonly string[], signal: AbortSignal): Promise<readonly Row[]> {
    const shared = READS_LOCK.replace('$1', () => escapeLiteral(this.schema));
    return this.sessions.use((client) =>
      withinLimits(client, signal, async () => {
        // Who keeps readers out waits for the lock: those behind it see the fence.
        const [, , marker, ...results] = await transaction(client, [
          `SELECT pg_advisory_xact_lock_shared(${shared})`,
          readerGuard(this.schema, this.epoch),
          selectMarker(this.schema),
          ...statements,
        ]);
        ownMarker(marker?.rows[0] as unknown as Marker | undefined, this.workspace);
        return results.at(-1)?.rows ?? [];
      }),
    );
  }
}
