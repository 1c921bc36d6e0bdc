import type { NotificationId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { AlertStore } from '../store/alerts/alert-store';
import { decideAlerts } from './decide-alerts';
import { type AlertedConfiguration, pipelinesToMeasure } from './watched-pipelines';

/** Evaluates the alerts of all workspaces. Every router tries to; the store lets one at a time do it. */
export class AlertEvaluator {
  private running: Promise<unknown> | undefined;
  private isStopped = false;

  constructor(
    private readonly store: Pick<AlertStore, 'evaluate'>,
    private readonly configuration: AlertedConfiguration & { readonly seen: number },
    /** Milliseconds between two measurements of pipelines, by one router at a time. */
    private readonly measureMs: number,
  ) {}

  /** Evaluates once, unless it is under way. Rejects while the database is unavailable. */
  async run(): Promise<void> {
    if (this.isStopped || this.running !== undefined) return;
    this.running = this.evaluate();
    try {
      await this.running;
    } finally {
      this.running = undefined;
    }
  }

  /** Resolves when no evaluation is under way; none begins any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running?.catch(() => undefined);
  }

  private evaluate(): Promise<boolean> {
    const { store, configuration, measureMs } = this;
    return store.evaluate({
      seen: () => configuration.seen,
      pipelines: pipelinesToMeasure(configuration),
      measureMs,
      decide: (standing) => decideAlerts(configuration, standing, () => newId() as NotificationId),
    });
  }
}
