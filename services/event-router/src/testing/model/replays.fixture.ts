import type { ConnectionId, JobId, PipelineId } from '@penstock/contracts';
import type { ReplayRequest } from '../../replays/replay-job';
import { onlyEvent } from '../pipelines.fixture';
import type { Job } from '../../store/jobs/job';
import type { OffsetRange, RouterStore } from '../../store/router-store';
import { NAMES, type SimulatedConfiguration } from './configuration.fixture';
import type { SimulatedLog } from './log.fixture';
import type { Simulation } from './simulation.fixture';

/** A replay that a client has created, or tried to. */
export interface SimulatedReplay {
  readonly id: JobId;
  readonly pipeline: PipelineId;
  readonly request: ReplayRequest;
  /** The name of the events that it is about; undefined: all. */
  readonly only: string | undefined;
  /** By partition. */
  readonly windows: readonly OffsetRange[];
  isCancelled: boolean;
}

/** Creates and cancels replays that deliver at random, as clients do. */
export class SimulatedReplays {
  readonly created: SimulatedReplay[] = [];

  constructor(
    private readonly simulation: Simulation,
    private readonly store: Pick<RouterStore, 'jobs' | 'replays'>,
    private readonly configuration: SimulatedConfiguration,
    private readonly log: SimulatedLog,
  ) {}

  /** Creates a replay, or cancels one. */
  changeSomething(): void {
    const { simulation, created } = this;
    if (created.length > 0 && simulation.chance(0.25)) this.cancel(simulation.pick(created));
    else this.create(simulation.pick(this.configuration.pipelines));
  }

  /** Cancels the replays that wait for pipelines which are disabled. */
  cancelHeld(): void {
    for (const replay of this.created)
      if (!this.configuration.pipeline(replay.pipeline).enabled) this.cancel(replay);
  }

  open(): Promise<readonly Job[]> {
    return this.created.length === 0 ? Promise.resolve([]) : this.store.jobs.open();
  }

  /** The job of a replay; undefined: it was refused. */
  jobOf({ id, pipeline }: SimulatedReplay): Promise<Job | undefined> {
    const { workspace } = this.configuration.pipeline(pipeline);
    return this.store.jobs.get({ kind: 'DeliveringReplay', workspace, pipeline }, id);
  }

  private cancel(replay: SimulatedReplay): void {
    replay.isCancelled = true;
    void this.store.replays.stop(replay.id, 'Cancelled', '');
  }

  private create(pipeline: PipelineId): void {
    const { simulation, configuration, created, log } = this;
    const { connection, workspace, version } = configuration.pipeline(pipeline);
    const windows = log.partitions.map((_, partition) => {
      const end = log.end(partition);
      return { start: simulation.chance(0.7) ? 0 : simulation.between(0, end), end };
    });
    const only = simulation.chance(0.3) ? simulation.pick(NAMES) : undefined;
    const request: ReplayRequest = {
      mode: 'deliver',
      from: '' as never,
      to: '' as never,
      filter: only === undefined ? null : onlyEvent(only),
      version,
      draft: null,
      sources: this.sourcesOf(connection),
      ordering: configuration.connection(connection).delivery?.ordering ?? 'key',
    };
    const id = `replay${String(created.length).padStart(4, '0')}` as JobId;
    created.push({ id, pipeline, request, only, windows, isCancelled: false });
    const job = {
      id,
      kind: 'DeliveringReplay',
      workspace,
      pipeline,
      actor: 'key',
      command: id,
    } as const;
    void this.store.replays.create({ ...job, request: JSON.stringify(request) }, windows);
  }

  private sourcesOf(lane: ConnectionId): ConnectionId[] {
    const { configuration } = this;
    return configuration.sources.filter((id) => configuration.connection(id).links.includes(lane));
  }
}
