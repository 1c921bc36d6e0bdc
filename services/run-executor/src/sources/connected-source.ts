import type { Connectors, GuardedHttp } from '@penstock/connectors';
import type { ConfigurationReplica, ImportPipelineState } from '@penstock/contracts';
import type { GuardedSockets } from '@penstock/egress';
import type { ReadingOptions } from '@penstock/files';
import { SealBroken, type Seals } from '@penstock/runtime';
import { Invalid, parseJson } from '@penstock/schema';
import type { ReadingWanted, RecordReading, RecordSource } from '../engine/record-source';
import { WholeRunError } from '../engine/whole-run-error';
import type { RunStore } from '../store/run-store';
import { ApplicationRecords } from './application-source';
import { DatabaseRecords } from './database-source';
import { FileRecords } from './file-source';
import { received } from './received';

/** What sources are opened with. */
export interface SourceDependencies {
  readonly replica: Pick<ConfigurationReplica, 'connection'>;
  readonly connectors: Connectors;
  readonly seals: Seals;
  readonly http: GuardedHttp;
  readonly sockets: GuardedSockets;
  readonly spool: ReadingOptions['spool'];
  readonly store: Pick<RunStore, 'reserve'>;
  /** Milliseconds for each call of a connector. */
  readonly deadlineMs: number;
  /** Milliseconds until a database must give rows. */
  readonly rowsMs: number;
}

const gone = (code: string, message: string): WholeRunError =>
  new WholeRunError('Receive', code, message);

/** The source of a pipeline. Each opening uses the settings that its connection has then. */
export class ConnectedSource implements RecordSource {
  constructor(
    private readonly pipeline: ImportPipelineState,
    private readonly deps: SourceDependencies,
  ) {}

  open(wanted: ReadingWanted): Promise<RecordReading> {
    return received(wanted, () => this.source());
  }

  private source(): RecordSource {
    const { replica, connectors, http, sockets, spool, store, deadlineMs, rowsMs } = this.deps;
    const state = replica.connection(this.pipeline.connection);
    if (state === undefined) throw gone('ConnectionNotExist', 'connection does not exist');
    const connector = connectors.get(state.connector);
    if (connector === undefined) throw gone('ConnectorNotExist', 'connector does not exist');
    const settings = connector.checkSettings(this.opened(state), 'Source');
    const context = { connection: state.id, http, sockets };
    const { source } = this.pipeline.imports;
    if (source.kind === 'application' && connector.userSource !== undefined)
      return new ApplicationRecords({
        ...{ source: connector.userSource, settings, context, deadlineMs },
        reserve: (ratePerSecond) =>
          store.reserve({ workspace: state.workspace, connection: state.id, ratePerSecond }),
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
    throw gone(
      'ConnectorNotExist',
      `connector ${state.connector} cannot be read as ${source.kind}`,
    );
  }

  private opened({ settings, workspace }: { settings: string; workspace: string }) {
    try {
      return parseJson(this.deps.seals.open(settings, workspace));
    } catch (error) {
      if (error instanceof SealBroken || error instanceof Invalid)
        throw new WholeRunError(
          'Receive',
          'InvalidSettings',
          'the settings of the connection cannot be opened',
          { cause: error },
        );
      throw error;
    }
  }
}
