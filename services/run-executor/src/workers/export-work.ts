import type {
  ExportDestination,
  ExportPipelineState,
  ProfileSchema,
  Sealed,
} from '@penstock/contracts';
import type { FunctionRunner } from '@penstock/transformations';
import type { ConnectedDestination } from '../destinations/connected-destination';
import { FileExport } from '../engine/file-export';
import type { Patience } from '../engine/patience';
import { RowExport } from '../engine/row-export';
import type { RunCompletion } from '../engine/run-performance';
import { UserExport, type UserExportParts } from '../engine/user-export';
import { WholeRunError } from '../engine/whole-run-error';
import { type CompiledInput, compileInput, compileOutput } from '../pipelines/compiled-export';
import { compileUserExport } from '../pipelines/compiled-user-export';
import { ProfileRecords } from '../sources/profile-source';
import type { ErrorTexts } from '../store/error-texts';
import type { ClaimedRun, RunStore } from '../store/run-store';
import type { ExecutorOptions } from './executor-options';
import type { RunWriters } from './run-writers';

/** What an export is performed with. */
export interface ExportWorkDependencies {
  readonly store: Pick<RunStore, 'ledger'>;
  readonly writers: Pick<RunWriters, 'openReader' | 'open' | 'beginMatches'>;
  readonly functions: Pick<FunctionRunner, 'run'>;
  readonly destinationOf: (pipeline: ExportPipelineState) => ConnectedDestination;
  readonly options: ExecutorOptions;
  readonly texts: Pick<ErrorTexts, 'seal'>;
}

/** Seals what functions have thrown in a run. */
export const sealFor =
  ({ workspace, run }: ClaimedRun, { texts }: Pick<ExportWorkDependencies, 'texts'>) =>
  (text: string): Sealed | undefined =>
    texts.seal(workspace, run, text);

/** An export under one claim. */
export interface ClaimedExport {
  readonly claimed: ClaimedRun;
  readonly pipeline: ExportPipelineState;
  /** The schema of profiles that it is prepared by. */
  readonly profiles: ProfileSchema;
  readonly signal: AbortSignal;
  /** Makes one that counts from now on. */
  readonly patience: () => Patience;
}

const sourceOf = (
  { claimed: { workspace }, profiles }: ClaimedExport,
  { filter }: CompiledInput,
  orderBy: string | null,
  { writers, options }: ExportWorkDependencies,
): ProfileRecords =>
  new ProfileRecords({
    ...{ profiles, filter, orderBy, pageSize: options.batchRecords },
    openReader: (signal) => writers.openReader(workspace, signal),
    ...{ deadlineMs: options.deadlineMs, sortedMs: options.patienceMs },
  });

type Parts = Pick<UserExportParts, 'inSchema' | 'patience' | 'ledger' | 'source' | 'limits'> & {
  readonly to: Extract<ExportDestination, { kind: 'application' }>;
  readonly destination: ConnectedDestination;
};

/** The warehouse keeps the users of the application for the time of the run. */
const performUserExport = async (
  { claimed, pipeline, profiles, signal }: ClaimedExport,
  { to, destination, ...parts }: Parts,
  { writers, functions }: ExportWorkDependencies,
): Promise<RunCompletion> => {
  const compiled = compileUserExport(pipeline, to, parts.inSchema, functions);
  const insist = <T>(work: () => Promise<T>): Promise<T> => parts.patience.insist('Finalize', work);
  const warehouse = await insist(() => writers.open(claimed.workspace, signal, profiles));
  try {
    const matches = await insist(() => writers.beginMatches(warehouse, claimed, claimed.epoch));
    const users = {
      users: destination.usersBefore(),
      application: destination.users(to, compiled.outSchema),
    };
    const all = { ...parts, ...compiled, ...users, rules: to, matches };
    return await new UserExport(claimed, all, signal).perform();
  } finally {
    await warehouse.close().catch(() => undefined);
  }
};

/** Performs an export. @throws WholeRunError, LeaseLost, Outdated, the signal's reason. */
export const performExport = (
  work: ClaimedExport,
  deps: ExportWorkDependencies,
): Promise<RunCompletion> => {
  const { claimed, pipeline, profiles, signal, patience } = work;
  const { store, functions, destinationOf, options } = deps;
  const { destination: to } = pipeline.exports;
  const input = compileInput(pipeline, profiles);
  const { inSchema } = input;
  const destination = destinationOf(pipeline);
  const parts = {
    ...{
      inSchema,
      patience: patience(),
      ledger: store.ledger(claimed.run, claimed.epoch, sealFor(claimed, deps)),
    },
    source: sourceOf(work, input, to.kind === 'file' ? to.orderBy : null, deps),
    limits: { size: options.batchRecords, stallMs: options.stallMs },
  };
  if (to.kind === 'file') {
    const file = destination.file(to, inSchema, claimed.startedAt);
    return new FileExport(claimed, { ...parts, file, attempts: patience() }, signal).perform();
  }
  if (to.kind === 'application')
    return performUserExport(work, { ...parts, to, destination }, deps);
  const { outSchema, steps } = compileOutput(pipeline, inSchema, functions);
  const type = outSchema.properties.find(({ name }) => name === to.key)?.type;
  if (type === undefined)
    throw new WholeRunError('OutputValidation', 'InvalidPipeline', 'there is no such key');
  const key = { name: to.key, type };
  const rows = destination.rows(to, outSchema);
  return new RowExport(claimed, { ...parts, steps, key, destination: rows }, signal).perform();
};
