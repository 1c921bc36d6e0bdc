import type { GuardedHttp } from '@penstock/connectors';
import type { ImportPipelineState } from '@penstock/contracts';
import type { GuardedSockets } from '@penstock/egress';
import type { ReadingOptions } from '@penstock/files';
import { type ConnectionDependencies, openedConnection } from '../connections/opened-connection';
import type { ReadingWanted, RecordReading, RecordSource } from '../engine/record-source';
import { WholeRunError } from '../engine/whole-run-error';
import type { RunStore } from '../store/run-store';
import { ApplicationRecords } from './application-source';
import { DatabaseRecords } from './database-source';
import { FileRecords } from './file-source';
import { received } from './received';
import { Reopened } from './reopened';

/** What sources are opened with. */
export interface SourceDependencies extends ConnectionDependencies {
  readonly http: GuardedHttp;
  readonly sockets: GuardedSockets;
  readonly spool: ReadingOptions['spool'];
  readonly store: Pick<RunStore, 'takeTokens'>;
  /** Milliseconds for each call of a connector. */
  readonly deadlineMs: number;
  /** Milliseconds until a database must give rows. */
  readonly rowsMs: number;
}

/** The source of a pipeline. Each opening uses the settings that its connection has then. */
export class ConnectedSource implements RecordSource {
  private readonly reopened: Reopened;

  constructor(
    private readonly pipeline: ImportPipelineState,
    private readonly deps: SourceDependencies,
  ) {
    this.reopened = new Reopened(deps.replica);
  }

  open(wanted: ReadingWanted): Promise<RecordReading> {
    return received(wanted, () => this.source());
  }

  private source(): RecordSource {
    const { http, sockets, spool, store, deadlineMs, rowsMs } = this.deps;
    const { state, connector, settings } = openedConnection(
      this.deps,
      this.pipeline.connection,
      'Receive',
    );
    const context = { connection: state.id, http, sockets };
    const { source } = this.pipeline.imports;
    if (source.kind === 'application' && connector.userSource !== undefined)
      return new ApplicationRecords({
        ...{ source: connector.userSource, settings, context, deadlineMs },
        takeTokens: (wanted) => store.takeTokens(wanted),
        ...this.reopened.of(state),
      });
    if (source.kind === 'file' && connector.fileStorage !== undefined)
      return new FileRecords({
        ...{ storage: connector.fileStorage, settings, context, file: source, spool, deadlineMs },
      });
    if (source.kind === 'database' && connector.database !== undefined)
      return new DatabaseRecords({
        database: connector.database,
        settings,
        sockets,
        query: source,
        rowsMs,
      });
    throw new WholeRunError(
      'Receive',
      'ConnectorNotExist',
      `connector ${state.connector} cannot be read as ${source.kind}`,
    );
  }
}
