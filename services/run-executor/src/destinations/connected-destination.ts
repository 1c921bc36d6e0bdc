import type { TakeTokens } from '@penstock/rates';
import type { GuardedHttp } from '@penstock/connectors';
import type { ExportDestination, ExportPipelineState, Microtime } from '@penstock/contracts';
import type { GuardedSockets } from '@penstock/egress';
import { Invalid, type Schema } from '@penstock/schema';
import {
  type ConnectionDependencies,
  type OpenedConnection,
  openedConnection,
} from '../connections/opened-connection';
import type { ExportedFile } from '../engine/exported-file';
import type { RowDestination } from '../engine/row-destination';
import { WholeRunError } from '../engine/whole-run-error';
import type { UserApplication } from '../engine/user-application';
import type { RecordSource } from '../engine/record-source';
import { ApplicationRecords } from '../sources/application-source';
import { received } from '../sources/received';
import { Reopened } from '../sources/reopened';
import type { RunStore } from '../store/run-store';
import { type ConnectedApplication, ConnectedUsers } from './connected-users';
import { DatabaseRows } from './database-rows';
import { StorageFile } from './storage-file';

/** What destinations are opened with. */
export interface DestinationDependencies extends ConnectionDependencies {
  readonly http: GuardedHttp;
  readonly sockets: GuardedSockets;
  readonly store: Pick<RunStore, 'takeTokens'>;
  /** Milliseconds for each call of a connector. */
  readonly deadlineMs: number;
}

const unfit = (connector: string, kind: string): WholeRunError =>
  new WholeRunError(
    'Finalize',
    'ConnectorNotExist',
    `connector ${connector} cannot be written as ${kind}`,
  );

/** The destination of a pipeline. Each opening uses the settings that its connection has then. */
export class ConnectedDestination {
  constructor(
    private readonly pipeline: Pick<ExportPipelineState, 'connection'>,
    private readonly deps: DestinationDependencies,
  ) {}

  /** The rows of a table. */
  rows(table: Extract<ExportDestination, { kind: 'database' }>, outSchema: Schema): RowDestination {
    const { sockets, deadlineMs } = this.deps;
    const connected = () => {
      const { state, connector, settings } = this.opened();
      if (connector.database === undefined) throw unfit(state.connector, table.kind);
      return { database: connector.database, settings };
    };
    return new DatabaseRows({ connected, sockets, table, outSchema, deadlineMs });
  }

  /** @param at the start of the run. @throws WholeRunError */
  file(
    file: Extract<ExportDestination, { kind: 'file' }>,
    schema: Schema,
    at: Microtime,
  ): ExportedFile {
    const { http, sockets } = this.deps;
    const connected = () => {
      const { state, connector, settings } = this.opened();
      if (connector.fileDestination === undefined) throw unfit(state.connector, file.kind);
      const context = { connection: state.id, http, sockets };
      return { destination: connector.fileDestination, settings, context };
    };
    return new StorageFile({ connected, file, schema, at });
  }

  /** The users of an application, which are written. */
  users(
    to: Extract<ExportDestination, { kind: 'application' }>,
    outSchema: Schema,
  ): UserApplication {
    const { deadlineMs } = this.deps;
    const connected = () => this.application(to.kind);
    return new ConnectedUsers({
      connected,
      to,
      outSchema,
      deadlineMs,
      takeTokens: this.takeTokens,
    });
  }

  /** The same users, as they are read. */
  usersBefore(): RecordSource {
    const { deadlineMs, replica } = this.deps;
    const reopened = new Reopened(replica);
    return {
      open: (wanted) =>
        received(wanted, () => {
          const { source, settings, context, version } = this.application('application');
          const used = reopened.of({ id: this.pipeline.connection, version });
          return new ApplicationRecords({
            ...{ source, settings, context, deadlineMs },
            ...{ takeTokens: this.takeTokens, ...used },
          });
        }),
    };
  }

  private readonly takeTokens: TakeTokens = (wanted) => this.deps.store.takeTokens(wanted);

  private application(kind: string): ConnectedApplication {
    const { http, sockets } = this.deps;
    const { state, connector, settings } = this.opened();
    const { userSource: source, userDestination: destination } = connector;
    if (source === undefined || destination === undefined) throw unfit(state.connector, kind);
    const context = { connection: state.id, http, sockets };
    return { source, destination, settings, context, version: state.version };
  }

  private opened(): OpenedConnection {
    try {
      return openedConnection(this.deps, this.pipeline.connection, 'Finalize');
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      const message = error.issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
      throw new WholeRunError('Finalize', 'InvalidSettings', message, { cause: error });
    }
  }
}
