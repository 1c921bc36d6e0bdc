import type { JobId, PipelineId } from '@penstock/contracts';
import { isKept } from '../../store/changes';
import type { Job } from '../../store/jobs/job';
import type { JobStore } from '../../store/jobs/job-store';
import type { SimulatedConfiguration } from './configuration.fixture';
import { deliveryName } from './endings.fixture';
import { BEGINNING_MS } from './process-clock.fixture';
import type { Simulation } from './simulation.fixture';
import type { Stored } from './storage.fixture';

/** Creates and cancels redrives at random, as clients do. */
export class SimulatedRedrives {
  private readonly created: { readonly id: JobId; readonly pipeline: PipelineId }[] = [];

  constructor(
    private readonly simulation: Simulation,
    private readonly jobs: JobStore,
    private readonly configuration: SimulatedConfiguration,
  ) {}

  /** Creates a redrive, or cancels one. */
  changeSomething(): void {
    const { simulation, created } = this;
    if (created.length > 0 && simulation.chance(0.3))
      void this.jobs.cancel(simulation.pick(created).id);
    else if (this.configuration.pipelines.length > 0) this.create();
  }

  open(): Promise<readonly Job[]> {
    return this.created.length === 0 ? Promise.resolve([]) : this.jobs.open();
  }

  /** All redrives. */
  async all(): Promise<readonly Job[]> {
    const places = new Set(this.created.map(({ pipeline }) => pipeline));
    const lists = [...places].map((pipeline) =>
      this.jobs.list(this.placeOf(pipeline), { limit: 1_000 }),
    );
    return (await Promise.all(lists)).flat();
  }

  /** Whether the pipeline had one redrive only. */
  isOnlyOne(id: string): boolean {
    return this.created.filter(({ pipeline }) => pipeline === id).length === 1;
  }

  private create(): void {
    const { simulation, configuration, created } = this;
    const pipeline = simulation.pick(configuration.pipelines);
    const id = `job${String(created.length).padStart(4, '0')}` as JobId;
    const { connection } = configuration.pipeline(pipeline);
    const { ordering = 'key' } = configuration.connection(connection).delivery ?? {};
    const request = JSON.stringify({ ordering, ...(simulation.chance(0.2) && { code: '400' }) });
    created.push({ id, pipeline });
    void this.jobs.create({ ...this.placeOf(pipeline), id, request, actor: 'key', command: id });
  }

  private placeOf(pipeline: PipelineId) {
    const { workspace } = this.configuration.pipeline(pipeline);
    return { kind: 'Redrive' as const, workspace, pipeline };
  }
}

/** When the deliveries that may have been redriven first ended, in milliseconds of the simulation. */
export const deadLettersOf = ({ outcomes }: Stored): ReadonlyMap<string, number> => {
  const dead = new Map<string, number>();
  for (const outcome of outcomes) {
    const name = deliveryName(outcome, outcome.pipeline);
    if (isKept(outcome) && !dead.has(name)) dead.set(name, outcome.atMs - BEGINNING_MS);
  }
  return dead;
};

const endedBy = ({ counts }: Job): number =>
  [...counts].reduce((sum, [name, count]) => (name === 'Chosen' ? sum : sum + count), 0);

/** Checks that redrives have ended what they had chosen, each once: every ending beyond the first is one of a redrive. */
export const redriveFaults = ({ outcomes }: Stored, jobs: readonly Job[]): string[] => {
  const faults = jobs.flatMap((job) => {
    const { id, state } = job;
    const [chosen, ended] = [job.counts.get('Chosen') ?? 0, endedBy(job)];
    const isRight = state === 'Succeeded' ? ended === chosen : state === 'Cancelled';
    return isRight && ended <= chosen ? [] : [`${id} is ${state} after ${ended} of ${chosen}`];
  });
  const names = new Set(outcomes.map((outcome) => deliveryName(outcome, outcome.pipeline)));
  const [again, ended] = [
    outcomes.length - names.size,
    jobs.reduce((sum, job) => sum + endedBy(job), 0),
  ];
  if (again !== ended)
    faults.push(`${again} deliveries have ended anew, of ${ended} redriven ones`);
  return faults;
};
