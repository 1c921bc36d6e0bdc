import type { ProfileSchema, WorkspaceId } from '@penstock/contracts';
import type { PostgresqlTarget } from '@penstock/databases';
import type { Client } from 'pg';
import type {
  ReadableTables,
  StatementRows,
  StatementWanted,
} from '../../platform/statement-reads';
import {
  type Initialised,
  type InitialiseOptions,
  type ProfilesChange,
  type ReadersKeptOut,
  type Unresolved,
  type Warehouse,
} from '../../platform/warehouse';
import type { ReaderOptions } from '../../platform/warehouse-reader';
import { checkAccess, checkReading } from '../access';
import { faultOf } from '../fault';
import { keepReadersOut } from '../layout/keep-readers-out';
import { LOCK } from '../layout/lock';
import { initialise, readMarker, readProfilesVersion, release, repair } from '../layout/marker';
import { changeProfiles, takeLock, takeRepairLock } from '../profiles/change-profiles';
import { interruptChange } from '../profiles/interrupt-change';
import { beginReadable, whileReadable } from '../reading/while-readable';
import { readUnresolved } from '../resolving/unresolved';
import { watchingIf } from '../sessions/watching';
import { BEGIN } from '../sql/transaction';
import { withinLimits } from '../sql/within-limits';
import { checkStatement } from '../statements/check-statement';
import { beginReading, readStatement } from '../statements/read-statement';
import { readableTables } from '../statements/readable-tables';
import { statementFault } from '../statements/statement-fault';
import { writingRights } from '../writing-rights';

const never = (): Promise<boolean> => Promise.resolve(false);

/** One session of one user. */
export class PostgresqlWarehouse implements Warehouse {
  constructor(
    private readonly client: Client,
    private readonly target: PostgresqlTarget,
    private readonly signal: AbortSignal,
  ) {}

  checkAccess(): Promise<void> {
    return this.guarded(() => checkAccess(this.client, this.target.schema));
  }

  async checkReading(): Promise<void> {
    await this.guarded(() => checkReading(this.client, this.target.schema));
  }

  owner(): Promise<WorkspaceId | undefined> {
    return this.guarded(() => readMarker(this.client, this.target.schema));
  }

  async initialise(
    workspace: WorkspaceId,
    { isDryRun = false, isFreed = never }: InitialiseOptions = {},
  ): Promise<Initialised | undefined> {
    const { client, target } = this;
    const initialised = await this.atomically(async () => {
      await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`, [target.schema]);
      return initialise(client, target.schema, { workspace, isFreed });
    }, isDryRun);
    return isDryRun ? undefined : initialised;
  }

  release(workspace: WorkspaceId, initialised: Initialised): Promise<void> {
    const { client, target } = this;
    return this.atomically(async () => {
      await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`, [target.schema]);
      await release(client, target.schema, workspace, initialised);
    });
  }

  repair(
    workspace: WorkspaceId,
    profiles: ProfileSchema,
    record?: (made: readonly string[]) => Promise<void>,
  ): Promise<readonly string[]> {
    const { client, target } = this;
    return this.atomically(async () => {
      await takeRepairLock(client, target.schema);
      const made = await repair(client, target.schema, workspace, profiles);
      if (made.length > 0) await record?.(made);
      return made;
    });
  }

  changeProfiles(workspace: WorkspaceId, change: ProfilesChange): Promise<void> {
    const { client, target } = this;
    const work = () => changeProfiles(client, target.schema, workspace, change);
    return this.atomically(work, change.isDryRun);
  }

  profilesVersion(workspace: WorkspaceId): Promise<number | undefined> {
    const { client, target } = this;
    return this.atomically(async () => {
      await takeLock(client, target.schema);
      return readProfilesVersion(client, target.schema, workspace);
    });
  }

  interruptChange(): Promise<void> {
    return this.guarded(() => interruptChange(this.client, this.target.schema));
  }

  keepReadersOut(workspace: WorkspaceId, limits: ReadersKeptOut): Promise<void> {
    const { schema } = this.target;
    return this.guarded(() => keepReadersOut(this.client, schema, workspace, limits));
  }

  unresolved(workspace: WorkspaceId): Promise<Unresolved> {
    return this.guarded(() => readUnresolved(this.client, this.target.schema, workspace));
  }

  async whileReadable<T>(
    reader: Pick<ReaderOptions, 'workspace' | 'epoch'>,
    work: (ended: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { client, target } = this;
    await this.guarded(() => beginReadable(client, { ...reader, schema: target.schema }));
    return whileReadable(client, work);
  }

  writingRights(): Promise<readonly string[]> {
    return this.guarded(() => writingRights(this.client));
  }

  readableTables(): Promise<ReadableTables> {
    return this.guarded(() => readableTables(this.client, this.target.schema));
  }

  readStatement(wanted: StatementWanted): Promise<StatementRows> {
    const { client, target, signal } = this;
    return this.guarded(async () => {
      checkStatement(wanted.text);
      await watchingIf(client);
      await beginReading(client, target.schema);
      return withinLimits(client, signal, () =>
        readStatement(client, wanted).catch((error: unknown) => {
          throw statementFault(error, target.password, signal);
        }),
      );
    });
  }

  /** Ends the session where the connection is still open. */
  async close(): Promise<void> {
    if (!this.signal.aborted) await this.client.end().catch(() => undefined);
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw faultOf(error, this.target.password, this.signal);
    }
  }

  /** In one transaction; what has failed goes with the connection if it cannot be undone. */
  private atomically<T>(work: () => Promise<T>, isUndone = false): Promise<T> {
    return this.guarded(async () => {
      await this.client.query(BEGIN);
      try {
        const result = await work();
        await this.client.query(isUndone ? 'ROLLBACK' : 'COMMIT');
        return result;
      } catch (error) {
        await this.client.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }
}
