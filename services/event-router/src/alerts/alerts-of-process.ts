import type { ConfigurationReplica } from '@penstock/contracts';
import type { RouterStore } from '../store/router-store';
import type { Clock } from '../time/clock';
import { AlertEvaluator } from './alert-evaluator';
import { NotificationSender, type NotificationSenderContext } from './notification-sender';

export interface AlertsDependencies extends Pick<
  NotificationSenderContext,
  'send' | 'onError' | 'pollMs'
> {
  readonly clock: Clock;
  readonly store: Pick<RouterStore, 'alerts'>;
  readonly replica: ConfigurationReplica;
  /** Milliseconds between two measurements of the pipelines that have alerts. */
  readonly measureMs: number;
}

/** What a router does about alerts: it evaluates them and sends their notifications, as far as no other router does. */
export class AlertsOfProcess {
  private readonly evaluator: AlertEvaluator;
  private readonly sender: NotificationSender;

  constructor({ store, replica, measureMs, ...context }: AlertsDependencies) {
    const { alerts } = replica;
    this.evaluator = new AlertEvaluator(store.alerts, replica, measureMs);
    this.sender = new NotificationSender({ ...context, store: store.alerts, alerts });
  }

  start(): void {
    this.sender.start();
  }

  /** Evaluates the alerts once. Rejects while the database is unavailable. */
  evaluate(): Promise<void> {
    return this.evaluator.run();
  }

  /** Resolves when nothing is evaluated or sent any more. */
  async stop(): Promise<void> {
    await Promise.all([this.evaluator.stop(), this.sender.stop()]);
  }
}
