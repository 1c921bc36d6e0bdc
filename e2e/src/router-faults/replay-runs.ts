import type { RunErrorView, RunFactView, RunStatus, RunView } from '@penstock/contracts';
import type { FanOut } from './fan-out';

/** Replays of events as the runs that they are shown as, through any gateway that runs. */
export class ReplayRuns {
  constructor(private readonly fanOut: FanOut) {}

  get(id: string): Promise<RunView> {
    return this.ask(`GET /v1/pipelines/runs/${id}`);
  }

  /** The ids of those that are in this state, newest first. */
  async listed(status: RunStatus): Promise<readonly string[]> {
    const { runs } = await this.ask<{ runs: readonly RunView[] }>(
      `GET /v1/pipelines/runs?status=${status}`,
    );
    return runs.map(({ id }) => id);
  }

  async errors(id: string): Promise<readonly RunErrorView[]> {
    const found = this.ask<{ errors: readonly RunErrorView[] }>(
      `GET /v1/pipelines/runs/${id}/errors`,
    );
    return (await found).errors;
  }

  async history(id: string): Promise<readonly RunFactView['type'][]> {
    const found = this.ask<{ facts: readonly RunFactView[] }>(
      `GET /v1/pipelines/runs/${id}/history`,
    );
    return (await found).facts.map(({ type }) => type);
  }

  cancel(id: string): Promise<RunView> {
    return this.ask(`POST /v1/pipelines/runs/${id}/cancel`);
  }

  private ask<Answer>(call: string): Promise<Answer> {
    const [method = '', path = ''] = call.split(' ');
    return this.fanOut.change((api) => api.call(method, path) as Promise<Answer>);
  }
}
