import { Connectors } from '@penstock/connectors';
import { isIdForm, Refusal, REFUSALS } from '@penstock/contracts';
import { type Database, type DatabaseCall, DatabaseFault } from '@penstock/databases';
import { GuardedSockets } from '@penstock/egress';
import { unavailable } from '@penstock/platform';
import type { JsonObject } from '@penstock/schema';
import { FairTurns, TurnRefused } from '@penstock/turns';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { ConnectionSettings } from '../connections/connection-settings';
import { orUnavailable } from '../database/or-unavailable';
import { withinDeadline } from '../deadline/within-deadline';
import { ConnectionRow } from '../read-model/views';

/** How many databases are looked into at a time: a row may take a hundred MiB of memory. */
const PLACES = 4;

/** Into which database somebody wants to look. */
interface LookWanted {
  readonly connection: string;
  readonly workspace: string;
  /** Whether it may be a destination, too. */
  readonly mayBeDestination: boolean;
}

/** A database that a connection leads to, with the opened settings. */
interface ConnectedDatabase {
  readonly database: Database;
  readonly settings: JsonObject;
}

/** Looks into databases for requests: few at a time, shared fairly by workspace, and each within a deadline. */
@Injectable()
export class DatabaseLooks {
  private readonly turns = new FairTurns({ places: PLACES });

  constructor(
    private readonly entities: EntityManager,
    private readonly connectors: Connectors,
    private readonly settings: ConnectionSettings,
    private readonly sockets: GuardedSockets,
  ) {}

  /**
   * Does something with the database of a connection.
   *
   * @param until fires when nobody waits for the answer any more.
   * @throws Refusal, also for faults of the database; ServiceUnavailable when it takes too long.
   */
  async into<T>(
    wanted: LookWanted,
    until: AbortSignal,
    work: (connected: ConnectedDatabase, call: DatabaseCall) => Promise<T>,
  ): Promise<T> {
    const connected = await this.of(wanted);
    const { workspace } = wanted;
    const { sockets } = this;
    return withinDeadline(
      (signal) => this.inTurn(workspace, signal, () => work(connected, { sockets, signal })),
      until,
    );
  }

  /** @throws Refusal ConnectionNotExist; BadRequest for a connection that is none with a database, or not in that role. */
  private async of({
    connection: id,
    workspace,
    mayBeDestination,
  }: LookWanted): Promise<ConnectedDatabase> {
    const row = isIdForm(id) ? await this.rowOf(id, workspace) : null;
    if (row === null) throw new Refusal('ConnectionNotExist');
    const connector = this.connectors.get(row.state.connector);
    const isInRole = mayBeDestination || row.state.role === 'Source';
    if (connector?.database === undefined || !isInRole) {
      const message = `is no connection with a database${mayBeDestination ? '' : ' that is read'}`;
      throw new Refusal('BadRequest', { details: [{ path: '/id', message }] });
    }
    return {
      database: connector.database,
      settings: await this.settings.open(this.entities, connector, row.state),
    };
  }

  private rowOf(id: string, workspace: string): Promise<ConnectionRow | null> {
    return orUnavailable(this.entities.findOneBy(ConnectionRow, { id, workspace }));
  }

  private async inTurn<T>(share: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await this.turns.take({ share, signal }, () => refusingFaults(work));
    } catch (error) {
      throw error instanceof TurnRefused ? unavailable('too many databases are being read') : error;
    }
  }
}

/** Does something with a database. @throws Refusal for a fault of it; everything else as it is thrown. */
const refusingFaults = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseFault)) throw error;
    const { kind, message } = error;
    if (kind === 'Unreachable' || kind === 'Refused') throw unavailable(`the database: ${message}`);
    throw new Refusal(kind, { message: `${REFUSALS[kind].message}: ${message}` });
  }
};
