import type { ConfigurationReplica, PipelineId } from '@penstock/contracts';
import { RouterFault } from '../faults/router-fault';
import type { CheckedPipeline, RouterStore } from '../store/router-store';

/** Pipelines that are checked at once, so that a check reads a bounded number of rows. */
const AT_ONCE = 20;

export interface ConservationCheckContext {
  readonly store: Pick<RouterStore, 'unbalanced'>;
  readonly replica: ConfigurationReplica;
  readonly onError: (error: unknown) => void;
}

/** Checks that what is counted as open is what is open, of some pipelines after the others. */
export class ConservationCheck {
  private after = '';
  private readonly found = new Set<PipelineId>();
  private isLooking = false;

  constructor(private readonly context: ConservationCheckContext) {}

  /** Number of pipelines for which it did not hold when they were last checked. Must be 0. */
  get unbalanced(): number {
    return this.found.size;
  }

  /** Checks the next pipelines. Call it periodically. Rejects while the database is unavailable. */
  async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.check(this.next());
    } finally {
      this.isLooking = false;
    }
  }

  private async check(pipelines: readonly CheckedPipeline[]): Promise<void> {
    if (pipelines.length === 0) return;
    const unbalanced = new Set(await this.context.store.unbalanced(pipelines));
    for (const { pipeline } of pipelines)
      if (!unbalanced.has(pipeline)) this.found.delete(pipeline);
      else if (!this.found.has(pipeline)) this.report(pipeline);
  }

  private report(pipeline: PipelineId): void {
    this.found.add(pipeline);
    this.context.onError(
      new RouterFault(
        'open deliveries of a pipeline are not those that are counted; please report it',
        { pipeline },
        undefined,
      ),
    );
  }

  /** Those after the last checked one; from the first on again after the last. */
  private next(): readonly CheckedPipeline[] {
    const all = this.all().sort((one, other) => (one.pipeline < other.pipeline ? -1 : 1));
    const first = all.findIndex(({ pipeline }) => pipeline > this.after);
    const next = all.slice(Math.max(0, first), Math.max(0, first) + AT_ONCE);
    this.after = next.at(-1)?.pipeline ?? '';
    return next;
  }

  private all(): CheckedPipeline[] {
    const { replica } = this.context;
    const organization = replica.firstWorkspace()?.organization;
    if (organization === undefined) return [];
    return replica
      .workspacesOf(organization)
      .flatMap(({ id: workspace }) =>
        replica
          .connectionsOf(workspace)
          .flatMap(({ id }) =>
            replica.pipelinesOn(id).map((pipeline) => ({ workspace, pipeline })),
          ),
      );
  }
}
