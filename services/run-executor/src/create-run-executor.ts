import { tmpdir } from 'node:os';
import type { Connectors, GuardedHttp } from '@penstock/connectors';
import type { HistorySource } from '@penstock/contracts';
import type { GuardedSockets } from '@penstock/egress';
import type { MessageLog } from '@penstock/messaging';
import { type Health, type Logger, Outages, type SecretBox, type Tracing } from '@penstock/runtime';
import type { FunctionRunner } from '@penstock/transformations';
import type { Warehouses } from '@penstock/warehouses';
import type { Pool } from 'pg';
import { answerQueries } from './queries/answer-queries';
import { PostgresErasureStore } from './erasures/postgres-erasure-store';
import { PostgresResolutionStore } from './resolutions/postgres-resolution-store';
import { PostgresRemovalStore } from './removals/postgres-removal-store';
import { type ExecutorReports, RunExecutor } from './run-executor';
import { PostgresRunStore } from './store/postgres-run-store';
import { EXECUTOR_DEFAULTS, type ExecutorOptions } from './workers/executor-options';

/** Dependencies of the executor; the process that starts it chooses the adapters. */
export interface RunExecutorDependencies extends ExecutorReports {
  readonly log: MessageLog;
  readonly pool: Pool;
  readonly http: GuardedHttp;
  /** The only way to databases that are read. */
  readonly sockets: GuardedSockets;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  readonly functions: FunctionRunner;
  readonly warehouses: Pick<Warehouses, 'get'>;
  /** What the configuration was before the states that its topic still holds. */
  readonly history: Pick<HistorySource, 'pipelineVersion' | 'pipelineStates'>;
  readonly logger: Logger;
  /** Absent where telemetry is off. */
  readonly tracing?: Tracing | undefined;
  readonly health: Health;
  /** Where files are kept that cannot be read from front to back; absent: the folder for temporary files. */
  readonly spoolFolder?: string | undefined;
  readonly runs?: Partial<ExecutorOptions>;
}

const GIB = 1_073_741_824;
/** Bytes of one file that are kept on disk. */
const MAX_SPOOLED_BYTES = 100 * GIB;

/** Starts the executor. Resolves when it performs runs and answers queries about them. */
export const createRunExecutor = async (
  dependencies: RunExecutorDependencies,
): Promise<{ close(): Promise<void> }> => {
  const { pool, logger, health, spoolFolder = tmpdir(), runs } = dependencies;
  const options = { ...EXECUTOR_DEFAULTS, ...runs };
  const outages = new Outages(logger);
  const store = new PostgresRunStore(pool, options);
  const resolutions = new PostgresResolutionStore(pool, options);
  const erasures = new PostgresErasureStore(pool, options);
  const removals = new PostgresRemovalStore(pool, options);
  const executor = new RunExecutor({
    ...dependencies,
    ...{ store, resolutions, erasures, removals },
    options,
    spool: { folder: spoolFolder, maxBytes: MAX_SPOOLED_BYTES },
    onError: (err, run) => {
      const what = err instanceof Error ? err.message : String(err);
      outages.report({ what, err, ...(run !== undefined && { where: { run } }) });
    },
  });
  await executor.start();
  const takenOver = { upTo: (position: number) => executor.takenOverUpTo(position) };
  const { pending } = executor;
  const noted = {
    note: (...told: Parameters<RunExecutor['noteIdentities']>) => executor.noteIdentities(...told),
  };
  const answering = {
    ...{ ...dependencies, store, resolutions, erasures, pending, noted, takenOver },
    dataKey: (workspace: string) => executor.dataKey(workspace),
    caughtUp: () => executor.caughtUp(),
  };
  const stopAnswering = await answerQueries(answering).catch(async (error: unknown) => {
    await executor.stop();
    throw error;
  });
  const removeCheck = health.addCheck('run executor', () => executor.ready());
  return {
    close: async () => {
      removeCheck();
      await Promise.all([stopAnswering(), executor.stop()]);
    },
  };
};
