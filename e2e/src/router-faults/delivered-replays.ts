import type { ReplayFailureView, ReplayView } from '@penstock/contracts';
import { Client } from 'pg';
import type { FanOut } from './fan-out';

/** A replay of a pipeline of the plan. */
export interface CreatedReplay {
  /** Name of the pipeline. */
  readonly name: string;
  readonly path: string;
}

/** The replays that deliver of the pipelines of a fan-out, by name, through any gateway that runs. */
export class DeliveredReplays {
  constructor(private readonly fanOut: FanOut) {}

  /** Delivers everything again that a pipeline has been sent until now. */
  async create(name: string): Promise<CreatedReplay> {
    const path = `/v1/pipelines/${this.fanOut.pipelineIds.get(name) ?? ''}/replays`;
    const body = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', mode: 'deliver' };
    const { id } = await this.fanOut.change(
      (api) => api.call('POST', path, body) as Promise<{ id: string }>,
    );
    return { name, path: `${path}/${id}` };
  }

  get({ path }: CreatedReplay): Promise<ReplayView> {
    return this.fanOut.change((api) => api.call('GET', path) as Promise<ReplayView>);
  }

  /** All failures that a replay has kept. */
  async failures({ path }: CreatedReplay): Promise<readonly ReplayFailureView[]> {
    const found: ReplayFailureView[] = [];
    let cursor = '';
    do {
      const page = await this.fanOut.change(
        (api) =>
          api.call('GET', `${path}/failures?limit=1000&cursor=${cursor}`) as Promise<{
            failures: ReplayFailureView[];
            cursor: string;
          }>,
      );
      found.push(...page.failures);
      ({ cursor } = page);
    } while (cursor !== '');
    return found;
  }

  /** Deliveries of all replays that the routers have committed as delivered. */
  async committed(): Promise<number> {
    const client = new Client({ connectionString: this.fanOut.installation.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ count: number }>(
        `SELECT coalesce(sum(count), 0)::int AS count FROM penstock_router.job_counts WHERE name = 'delivered'`,
      );
      return rows[0]?.count ?? 0;
    } finally {
      await client.end();
    }
  }
}
