import { ALERT_WEBHOOK, type GuardedHttp, sendAlertNotification } from '@penstock/connectors';
import type { Seals } from '@penstock/runtime';
import { parseJson } from '@penstock/schema';
import type { NotificationSenderContext } from './notification-sender';

/** Sends notifications to the webhooks of alerts, which are opened for each request. */
export const webhookRequests =
  (seals: Seals, http: GuardedHttp): NotificationSenderContext['send'] =>
  ({ id, body }, { webhook, workspace }, signal) => {
    const opened = ALERT_WEBHOOK.checkSettings(
      parseJson(seals.open(webhook, workspace)),
      'Destination',
    );
    return sendAlertNotification({ idempotencyKey: id, body }, opened, http, signal);
  };
