import type { FanOut } from './fan-out';

/** A redrive that was created. */
export interface CreatedRedrive {
  readonly path: string;
  /** Of the deliveries that it has chosen. */
  readonly count: number;
}

/** A redrive as the API shows it. */
interface Redrive {
  readonly state: string;
  readonly chosen: number;
  readonly delivered: number;
  readonly rejected: number;
  readonly parked: number;
  readonly left: number;
}

/** What the API answers about a pipeline. */
interface Conservation {
  readonly accepted: number;
  readonly endings: Readonly<Record<string, number>>;
  readonly open: number;
}

/** The redrives of the pipelines of a fan-out, by name, through any gateway that runs. */
export class Redrives {
  constructor(private readonly fanOut: FanOut) {}

  /** Redrives the dead letters of a pipeline. @param wanted body of the request. */
  async create(name: string, wanted: object = {}): Promise<CreatedRedrive> {
    const path = this.pathOf(name);
    const { id, count } = await this.fanOut.change(
      (api) => api.call('POST', path, wanted) as Promise<{ id: string; count: number }>,
    );
    return { path: `${path}/${id}`, count };
  }

  /** The number of deliveries that a redrive would choose. */
  async countBy(name: string, wanted: object): Promise<number> {
    const body = { ...wanted, dryRun: true };
    const { count } = await this.fanOut.change(
      (api) => api.call('POST', this.pathOf(name), body) as Promise<{ count: number }>,
    );
    return count;
  }

  get({ path }: CreatedRedrive): Promise<Redrive> {
    return this.fanOut.change((api) => api.call('GET', path) as Promise<Redrive>);
  }

  async cancel({ path }: CreatedRedrive): Promise<void> {
    await this.fanOut.change((api) => api.call('POST', `${path}/cancel`));
  }

  conservation(name: string): Promise<Conservation> {
    const path = `/v1/pipelines/${this.idOf(name)}/conservation`;
    return this.fanOut.change((api) => api.call('GET', path) as Promise<Conservation>);
  }

  private idOf(name: string): string {
    return this.fanOut.pipelineIds.get(name) ?? '';
  }

  private pathOf(name: string): string {
    return `/v1/pipelines/${this.idOf(name)}/redrives`;
  }
}
