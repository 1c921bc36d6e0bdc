import type { ProfileSchema, WorkspaceId } from '@penstock/contracts';
import type { SnowflakeSession, SnowflakeTarget } from '@penstock/databases';
import type { GuardedSockets } from '@penstock/egress';
import {
  type Initialised,
  type InitialiseOptions,
  type ProfilesChange,
  type ReadersKeptOut,
  type Unresolved,
  type Warehouse,
  WarehouseFault,
} from '../../platform/warehouse';
import type {
  ReadableTables,
  StatementRows,
  StatementWanted,
} from '../../platform/statement-reads';
import type { ReaderOptions } from '../../platform/warehouse-reader';
import { checkAccess, checkReading } from './access';
import { initialise, release } from '../layout/initialise';
import { keepReadersOut, whileReadable } from '../layout/keep-readers-out';
import { type Lease, takeAway, underLease } from '../layout/lease';
import { readMarker } from '../layout/marker';
import { repair } from '../layout/repair';
import { changeProfiles, finishChange } from '../profiles/change-profiles';
import { readUnresolved } from '../resolving/unresolved';
import { Sessions, type SessionsUse } from '../sessions/sessions';
import { readStatement } from '../statements/read-statement';
import { readableTables } from '../statements/readable-tables';
import { writingRights } from '../statements/writing-rights';

/** One session works, and another one renews its lease. */
const CHANGING: SessionsUse = {
  max: 2,
  statementSeconds: 300,
  // Source: the specification of the warehouse, "Profile schema": waits for locks.
  lockSeconds: 10,
  makesSchema: true,
};

/** Where leases are kept. @throws WarehouseFault */
const kept = (lease: Lease | undefined): Lease => {
  if (lease === undefined)
    throw new WarehouseFault('unusable', 'data warehouse lacks a table: repair it');
  return lease;
};

/** Sessions of one user. */
export class SnowflakeWarehouse implements Warehouse {
  /**
   * @param signal ends every session, with what is under way on it.
   * @throws WarehouseFault
   */
  static async connect(
    target: SnowflakeTarget,
    sockets: GuardedSockets,
    signal: AbortSignal,
  ): Promise<SnowflakeWarehouse> {
    return new SnowflakeWarehouse(await Sessions.open(target, sockets, CHANGING, signal));
  }

  private constructor(private readonly sessions: Sessions) {}

  checkAccess(): Promise<void> {
    return this.use((session) => checkAccess(session, this.place));
  }

  checkReading(): Promise<void> {
    return this.use((session) => checkReading(session, this.place));
  }

  async owner(): Promise<WorkspaceId | undefined> {
    return (await this.use((session) => readMarker(session, this.place)))?.workspace;
  }

  initialise(
    workspace: WorkspaceId,
    options: InitialiseOptions = {},
  ): Promise<Initialised | undefined> {
    return this.use((session) => initialise(session, this.place, workspace, options));
  }

  release(workspace: WorkspaceId, initialised: Initialised): Promise<void> {
    return this.use((session) => release(session, this.place, workspace, initialised));
  }

  /** A change of the schema of profiles that nobody goes on with is done first. */
  repair(
    workspace: WorkspaceId,
    profiles: ProfileSchema,
    record?: (made: readonly string[]) => Promise<void>,
  ): Promise<readonly string[]> {
    return underLease(this.sessions, 'repair', async (session, lease) => {
      if (lease !== undefined) await this.goOn(session, lease, workspace);
      return repair(session, this.place, workspace, profiles, record);
    });
  }

  changeProfiles(workspace: WorkspaceId, change: ProfilesChange): Promise<void> {
    return underLease(this.sessions, 'change', (session, lease) =>
      changeProfiles(session, this.place, kept(lease), workspace, change),
    );
  }

  /** A change that nobody goes on with is done first. */
  async profilesVersion(workspace: WorkspaceId): Promise<number | undefined> {
    return underLease(this.sessions, 'change', async (session, lease) => {
      if (lease !== undefined) await this.goOn(session, lease, workspace);
      const marker = await readMarker(session, this.place);
      return marker?.workspace === workspace ? marker.schemaVersion : undefined;
    });
  }

  interruptChange(): Promise<void> {
    return this.use((session) => takeAway(session, this.place));
  }

  keepReadersOut(workspace: WorkspaceId, limits: ReadersKeptOut): Promise<void> {
    return this.use((session) => keepReadersOut(session, this.place, workspace, limits));
  }

  unresolved(workspace: WorkspaceId): Promise<Unresolved> {
    return this.use((session) => readUnresolved(session, this.place, workspace));
  }

  whileReadable<T>(
    reader: Pick<ReaderOptions, 'workspace' | 'epoch'>,
    work: (ended: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return whileReadable(this.sessions, reader, work);
  }

  writingRights(): Promise<readonly string[]> {
    return this.use(writingRights);
  }

  readableTables(): Promise<ReadableTables> {
    return this.use((session) => readableTables(session, this.place));
  }

  readStatement(wanted: StatementWanted): Promise<StatementRows> {
    return this.use(async (session) => {
      try {
        return await readStatement(session, wanted);
      } finally {
        // Nothing else may be done with it, and a part of its result may be left.
        await session.close(true);
      }
    });
  }

  close(): Promise<void> {
    return this.sessions.close();
  }

  private get place() {
    return this.sessions.place;
  }

  private use<T>(work: (session: SnowflakeSession) => Promise<T>): Promise<T> {
    return this.sessions.use(work);
  }

  private async goOn(
    session: SnowflakeSession,
    lease: Lease,
    workspace: WorkspaceId,
  ): Promise<void> {
    const marker = await readMarker(session, this.place);
    if (marker?.workspace === workspace && marker.change !== undefined)
      await finishChange(session, this.place, lease, marker.change);
  }
}
