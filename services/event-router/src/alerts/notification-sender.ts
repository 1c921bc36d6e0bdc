import type { Outcome } from '@penstock/connectors';
import type { AlertState, ConfigurationReplica } from '@penstock/contracts';
import { RouterFault } from '../faults/router-fault';
import { backoffMs } from '../lanes/backoff';
import type { AlertStore, AttemptResult, TakenNotification } from '../store/alerts/alert-store';
import type { Clock } from '../time/clock';
import { within } from '../time/within';

/** What a request with a notification has come to. */
export interface SentNotification {
  readonly outcome: Outcome;
  /** HTTP status; `null`: there was no answer. */
  readonly status: number | null;
}

export interface NotificationSenderContext {
  readonly clock: Clock;
  readonly store: Pick<AlertStore, 'take' | 'settle'>;
  readonly alerts: Pick<ConfigurationReplica['alerts'], 'get'>;
  /** Sends once, to the webhook that the alert has now. */
  readonly send: (
    notification: TakenNotification,
    alert: AlertState,
    signal: AbortSignal,
  ) => Promise<SentNotification>;
  readonly onError: (error: unknown) => void;
  /** Milliseconds between looks; default: 1,000. */
  readonly pollMs?: number;
}

const POLL_MS = 1_000;
/** Notifications of one workspace under way at once, in all routers together: a dead webhook takes no more. */
const OF_WORKSPACE = 2;
/** Notifications that this process sends at once. */
const AT_ONCE = 200;
/** Longer than a request may take; then another router may send it again. */
const TAKEN_FOR_MS = 30_000;
const BACKOFF = { backoffBaseMs: 1_000, backoffCapMs: 300_000 };
/** Age at which a notification is given up. */
export const NOTIFICATION_MAX_AGE_MS = 24 * 3_600_000;
/** Longest time that `stop` waits for answers: what has none by then is sent again, under the same key. */
const STOP_MS = 2_000;

const NOT_SENT = 'notifications of alerts cannot be taken from PostgreSQL; trying again';
const FAILED = 'a notification of an alert could not be sent; trying again';

/**
 * Sends the notifications of alerts, each with attempts until it is delivered or too old. What is to be sent is in the store
 * before; when this router is killed, another one goes on.
 */
export class NotificationSender {
  private readonly aborting = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private cancel: () => void = () => undefined;
  private looking: Promise<void> | undefined;
  private isStopped = false;

  constructor(private readonly context: NotificationSenderContext) {}

  start(): void {
    if (this.isStopped) return;
    this.cancel = this.context.clock.after(this.context.pollMs ?? POLL_MS, () => {
      this.look();
      this.start();
    });
  }

  /** Takes what is due and sends it, unless it is taking. */
  look(): void {
    if (this.isStopped || this.looking !== undefined) return;
    this.looking = this.take()
      .catch((error: unknown) => {
        this.context.onError(new RouterFault(NOT_SENT, {}, error));
      })
      .finally(() => (this.looking = undefined));
  }

  /** Resolves when nothing is sent any more, or after `STOP_MS`. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await within(this.context.clock, STOP_MS, this.ended()).catch(() => undefined);
    this.aborting.abort();
  }

  private async ended(): Promise<void> {
    await this.looking;
    await Promise.all(this.underWay);
  }

  private async take(): Promise<void> {
    const most = AT_ONCE - this.underWay.size;
    if (most <= 0) return;
    const limits = { ofWorkspace: OF_WORKSPACE, most, forMs: TAKEN_FOR_MS };
    for (const taken of await this.context.store.take(limits)) {
      const sending = this.sendAndSettle(taken).finally(() => {
        this.underWay.delete(sending);
        this.context.clock.soon(() => {
          this.look();
        });
      });
      this.underWay.add(sending);
    }
  }

  /** Never rejects: a notification that is not settled is taken again. */
  private async sendAndSettle(taken: TakenNotification): Promise<void> {
    try {
      await this.context.store.settle(taken, await this.attempt(taken));
    } catch (error) {
      this.context.onError(new RouterFault(FAILED, { alert: taken.alert }, error));
    }
  }

  private async attempt(taken: TakenNotification): Promise<AttemptResult> {
    const alert = this.context.alerts.get(taken.alert);
    // Another router, whose replica was ahead, may have recorded it.
    if (alert === undefined)
      return retried(taken, null, 'the alert is not known to the router yet');
    if (alert.deleted) return failed(null, 'the alert was deleted');
    const { outcome, status } = await this.context.send(taken, alert, this.aborting.signal);
    if (outcome.kind === 'delivered') return delivered(status);
    const waitMs = outcome.kind === 'unavailable' ? outcome.retryAfterMs : undefined;
    return retried(taken, status, outcome.reason, waitMs);
  }
}

const delivered = (status: number | null): AttemptResult => ({
  state: 'Delivered',
  status,
  reason: '',
  afterMs: 0,
});

const failed = (status: number | null, reason: string): AttemptResult => ({
  state: 'Failed',
  status,
  reason,
  afterMs: 0,
});

/** The next attempt after a back-off, or none where the notification would be too old by then. */
const retried = (
  { attempts, ageMs }: TakenNotification,
  status: number | null,
  reason: string,
  atLeastMs = 0,
): AttemptResult => {
  const afterMs = Math.max(atLeastMs, backoffMs(attempts, BACKOFF));
  if (ageMs + afterMs > NOTIFICATION_MAX_AGE_MS) return failed(status, reason);
  return { state: 'Waiting', status, reason, afterMs };
};
