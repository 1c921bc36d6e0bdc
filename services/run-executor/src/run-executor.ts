import { randomUUID } from 'node:crypto';
import type { Connectors, GuardedHttp } from '@penstock/connectors';
import {
  type CancelReason,
  type DataKey,
  type HistorySource,
  type Instant,
  type ExportPipelineState,
  type ImportPipelineState,
  isRun,
  type PipelineId,
  type PipelineState,
  type RunCancel,
  resolutionSettingsOf,
  type RunEnd,
  type RunId,
  type RunPipelineState,
  type WorkspaceId,
} from '@penstock/contracts';
import type { GuardedSockets } from '@penstock/egress';
import type { ReadingOptions } from '@penstock/files';
import type { MessageLog } from '@penstock/messaging';
import { ConfigurationReader } from '@penstock/platform';
import { Seals, type SecretBox } from '@penstock/runtime';
import type { FunctionRunner } from '@penstock/transformations';
import type { Warehouses } from '@penstock/warehouses';
import { ConnectedDestination } from './destinations/connected-destination';
import type { ErasureStore } from './erasures/erasure-store';
import { type ErasureReports, Erasures } from './erasures/erasures';
import { RunCommands } from './intake/run-commands';
import { RunIntake } from './intake/run-intake';
import { RunsReplica } from './intake/runs-replica';
import type { ResolutionReports } from './resolutions/ended-resolutions';
import { PendingLooks } from './resolutions/pending-looks';
import type { ResolutionStore } from './resolutions/resolution-store';
import { Resolutions } from './resolutions/resolutions';
import { LeftPipelines } from './removals/left-pipelines';
import type { RemovalStore } from './removals/removal-store';
import { Removals } from './removals/removals';
import { ConnectedSource } from './sources/connected-source';
import { ErrorTexts } from './store/error-texts';
import type { RunStore } from './store/run-store';
import { CancelledRuns } from './workers/cancelled-runs';
import { EndedRuns } from './workers/ended-runs';
import type { ExecutorOptions } from './workers/executor-options';
import { publishFacts } from './workers/publish-facts';
import { Repeated } from './workers/repeated';
import { RunWork, type RunWorkDependencies } from './workers/run-work';
import { RunWriters } from './workers/run-writers';
import { WarehouseSweeps } from './workers/warehouse-sweeps';
import { Workers } from './workers/workers';

/** Tells the pipeline service about runs, resolutions and erasures. All reject when there is no answer: they are to be repeated. */
export interface ExecutorReports extends ResolutionReports, ErasureReports {
  /** How a run has ended. */
  readonly endRun: (pipeline: PipelineId, end: RunEnd) => Promise<void>;
  /** That a run waits since then; `null`: no more. */
  readonly noteRunWait: (pipeline: PipelineId, run: RunId, since: Instant | null) => Promise<void>;
}

/** What an executor is made of. */
export interface RunExecutorParts extends ExecutorReports {
  readonly log: MessageLog;
  readonly store: RunStore;
  readonly resolutions: ResolutionStore;
  readonly erasures: ErasureStore;
  readonly removals: RemovalStore;
  readonly http: GuardedHttp;
  readonly sockets: GuardedSockets;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  readonly functions: FunctionRunner;
  readonly warehouses: Pick<Warehouses, 'get'>;
  readonly history: Pick<HistorySource, 'pipelineVersion' | 'pipelineStates'>;
  readonly spool: ReadingOptions['spool'];
  readonly options: ExecutorOptions;
  readonly onError: (error: unknown, run?: string) => void;
}

const FINISH_MS = 500;
const PUBLISH_MS = 500;
const ERASE_MS = 60_000;
const FORGET_MS = 3_600_000;
/** How often warehouses are looked for that were not swept for a day. */
const SWEEP_MS = 600_000;

const CANCEL_TEXTS: Readonly<Record<Exclude<CancelReason, 'WarehouseModeChanged'>, string>> = {
  Requested: 'run was cancelled',
  OrganizationDisabled: 'organization is disabled',
  PipelineDeleted: 'pipeline was deleted',
};

/** Takes runs over from the configuration, performs them, and tells how they have ended. */
export class RunExecutor {
  private readonly replica: RunsReplica;
  private readonly configuration: ConfigurationReader;
  private readonly intake: RunIntake;
  private readonly workers: Workers<RunId, RunWork>;
  private readonly ended: EndedRuns;
  private readonly resolutions: Resolutions;
  private readonly erasures: Erasures;
  private readonly removals: Removals;
  /** Looks into warehouses for what is to be resolved. */
  readonly pending: PendingLooks;
  private readonly commands: RunCommands;
  private readonly telling: Repeated;
  private readonly chores: readonly Repeated[];

  constructor(private readonly parts: RunExecutorParts) {
    const { log, store, options, onError, endRun } = parts;
    this.replica = new RunsReplica((state) => {
      this.intake.take(state);
    });
    this.configuration = new ConfigurationReader(log, this.replica, onError);
    const writers = new RunWriters({ ...parts, replica: this.replica, seals: this.seals() });
    this.workers = this.workersWith(writers);
    this.intake = new RunIntake({
      store,
      replica: this.replica,
      onQueued: () => {
        this.workers.look();
      },
      onCancel: (run, cancel) => {
        this.workers.of(run)?.cancel(cancel);
      },
      onError,
    });
    const cancelText = (workspace: WorkspaceId, cancel: RunCancel): string =>
      this.cancelText(workspace, cancel);
    const cancelled = new CancelledRuns({
      ...{ store, writers, cancelText, options, onError },
      onEnded: this.onEnded,
    });
    const resolve = (workspace: WorkspaceId, command: string): Promise<void> =>
      this.resolveAfterImport(workspace, command);
    const isDeleted = (workspace: WorkspaceId): boolean => this.isDeleted(workspace);
    const isWritable = (workspace: WorkspaceId): boolean => this.replica.isWritable(workspace);
    const ending = { endRun, resolve, isDeleted, isWritable };
    this.ended = new EndedRuns({ store, writers, ...ending, onError });
    const writable = (): readonly WorkspaceId[] => this.replica.writable();
    const left = new LeftPipelines({ ...parts, store: parts.removals, replica: this.replica });
    const sweeps = new WarehouseSweeps({
      ...{ store, writers, writable, onError },
      findLeft: (workspace, warehouse) => left.find(workspace, warehouse),
    });
    this.pending = new PendingLooks(writers);
    this.resolutions = new Resolutions({
      ...parts,
      ...{ store: parts.resolutions, replica: this.replica, writers, seals: this.seals() },
      looks: this.pending,
    });
    this.erasures = new Erasures({
      ...parts,
      ...{ store: parts.erasures, replica: this.replica, writers, seals: this.seals() },
    });
    this.removals = new Removals({
      ...parts,
      ...{ store: parts.removals, replica: this.replica, runs: this.intake, writers },
    });
    this.telling = new Repeated(FINISH_MS, () => this.ended.tellAll(), onError);
    this.commands = new RunCommands({
      ...{ log, onError },
      takenOverUpTo: (position) => this.takenOverUpTo(position),
      onQueued: () => {
        this.workers.look();
      },
    });
    this.chores = [
      this.telling,
      new Repeated(FINISH_MS, () => this.ended.cleanAll(), onError),
      new Repeated(options.lookMs, () => cancelled.endAll(), onError),
      new Repeated(PUBLISH_MS, () => publishFacts(store, log), onError),
      new Repeated(ERASE_MS, () => this.erase(), onError),
      new Repeated(FORGET_MS, () => store.forgetRuns(options.retentionMs), onError),
      new Repeated(SWEEP_MS, () => sweeps.sweep(), onError),
      new Repeated(SWEEP_MS, () => store.forgetIdleRates(), onError),
    ];
  }

  /** The pipeline may run again as soon as the pipeline service knows. */
  private readonly onEnded = (): void => {
    this.telling.wake();
  };

  /** Resolves when the configuration was read, and runs are performed. */
  async start(): Promise<void> {
    await this.parts.store.prepare();
    await this.configuration.start();
    while (!(await this.configuration.catchUp()))
      await new Promise((resolve) => setTimeout(resolve, this.parts.options.lookMs));
    this.workers.start();
    this.commands.start();
    this.resolutions.start();
    this.erasures.start();
    this.removals.start();
    for (const chore of this.chores) chore.start();
  }

  /** Rejects while the configuration is not read. */
  ready(): Promise<void> {
    return this.configuration.ready();
  }

  /** The key of a workspace in the configuration that this process has applied. */
  dataKey(workspace: string): DataKey | undefined {
    return this.replica.dataKey(workspace);
  }

  /** Resolves when this process has applied what the log held at the call. Rejects while the configuration is not read. */
  async caughtUp(): Promise<void> {
    if (!(await this.configuration.catchUp())) throw new Error('the configuration is not read now');
  }

  /** Resolves when every run, resolution and erasure is in the store that was requested up to the position of the configuration. */
  async takenOverUpTo(position: number): Promise<void> {
    await this.replica.waitFor(position);
    await Promise.all([
      this.intake.flushed(),
      this.resolutions.takenOver(),
      this.erasures.takenOver(),
    ]);
  }

  /** Takes note of workspaces in which routers have written identities. */
  noteIdentities(workspaces: readonly WorkspaceId[]): Promise<void> {
    return this.resolutions.noteIdentities(workspaces);
  }

  /** Gives back what is performed here. */
  async stop(): Promise<void> {
    await this.commands.stop();
    await Promise.all(
      [this.workers, this.resolutions, this.erasures, this.removals].map((each) => each.stop()),
    );
    await this.configuration.stop();
    await this.intake.stop();
    await Promise.all(this.chores.map((chore) => chore.stop()));
    await this.ended.close();
  }

  private workersWith(writers: RunWriters): Workers<RunId, RunWork> {
    const { store, functions, options, onError, noteRunWait } = this.parts;
    const worker = randomUUID();
    const dependencies: RunWorkDependencies = {
      ...{ store, writers, functions, options, onError, noteRunWait },
      sourceOf: (pipeline) => this.sourceOf(pipeline),
      destinationOf: (pipeline) => this.destinationOf(pipeline),
      definitionOf: (id, version) => this.definitionOf(id, version),
      texts: new ErrorTexts(this.seals()),
      cancelText: ({ workspace }, cancel) => this.cancelText(workspace, cancel),
      onEnded: this.onEnded,
    };
    const claim = async (heldFromMs: number): Promise<RunWork | undefined> => {
      const claimed = await store.claim(worker);
      return claimed && new RunWork(claimed, dependencies, heldFromMs);
    };
    return new Workers(claim, options, onError);
  }

  private async resolveAfterImport(workspace: WorkspaceId, command: string): Promise<void> {
    if (this.replica.workspace(workspace) === undefined)
      throw new Error('the workspace is not in the configuration that is known here');
    const state = this.replica.warehouse(workspace);
    if (state === undefined || !resolutionSettingsOf(state).runOnBatchImport) return;
    await this.parts.triggerResolution(workspace, 'Import', false, command);
  }

  private seals(): Seals {
    return new Seals(this.parts.secrets, (workspace) => this.replica.dataKey(workspace));
  }

  private sourceOf(pipeline: ImportPipelineState): ConnectedSource {
    const { options, ...parts } = this.parts;
    const { deadlineMs, patienceMs: rowsMs } = options;
    return new ConnectedSource(pipeline, {
      ...parts,
      replica: this.replica,
      seals: this.seals(),
      deadlineMs,
      rowsMs,
    });
  }

  private destinationOf(pipeline: ExportPipelineState): ConnectedDestination {
    const { options, ...parts } = this.parts;
    const { deadlineMs } = options;
    const { replica } = this;
    return new ConnectedDestination(pipeline, {
      ...parts,
      replica,
      seals: this.seals(),
      deadlineMs,
    });
  }

  private async definitionOf(
    id: PipelineId,
    version: number,
  ): Promise<RunPipelineState | undefined> {
    const held = this.replica.runVersion(id, version);
    if (held !== undefined) return held;
    const found = (await this.parts.history.pipelineVersion(id, version)) as
      | PipelineState
      | undefined;
    return found !== undefined && isRun(found) ? found : undefined;
  }

  private cancelText(workspace: WorkspaceId, { reason, mode }: RunCancel): string {
    if (reason !== 'WarehouseModeChanged') return CANCEL_TEXTS[reason];
    // Earlier releases told of no mode.
    const changedTo = mode ?? this.replica.warehouse(workspace)?.mode ?? 'another one';
    return `warehouse mode was changed to ${changedTo}`;
  }

  /** Runs of a workspace are gone with it. One whose runs cannot be erased keeps nobody else's. */
  private async erase(): Promise<void> {
    const { store, onError } = this.parts;
    for (const workspace of await store.workspaces())
      if (this.isDeleted(workspace)) await store.erase(workspace).catch(onError);
  }

  private isDeleted(workspace: WorkspaceId): boolean {
    return this.replica.workspaceEver(workspace)?.deleted === true;
  }
}
