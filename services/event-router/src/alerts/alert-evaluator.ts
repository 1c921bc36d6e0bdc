import type { NotificationId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { AlertStore } from '../store/alerts/alert-store';
import { decideAlerts } from './decide-alerts';
import { type AlertedConfiguration, pipelinesToMeasure } from './watched-pipelines';

/** Interval at which pipelines are measured, by one router at a time. */
const MEASURE_MS = 60_000;

/** Evaluates the alerts of all workspaces. Every router tries to; the store lets one at a time do it. */
export class AlertEvaluator {
  private running: Promise<unknown> | undefined;
  private isStopped = false;

  constructor(
    private readonly store: Pick<AlertStore, 'evaluate'>,
    private readonly configuration: AlertedConfiguration & { readonly seen: number },
    private readonly measureMs = MEASURE_MS,
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
