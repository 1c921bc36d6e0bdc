import { checkedBy, members, readText, secretsIn, text } from '@penstock/settings';
import type { CheckedSettings, Settings } from '../connector/connector';
import type { Outcome } from '../connector/event-destination';
import type { GuardedHttp } from '../connector/guarded-http';
import type { Draft } from '../requests/draft';
import { sendDraft } from '../requests/send-draft';
import { signatureHeader } from '../requests/signature-header';
import { requestUrl, webUrl } from '../settings/url';

/** Milliseconds that the receiver of a notification may take. */
const TIMEOUT_MS = 10_000;

const form = members(
  { name: 'url', form: webUrl, description: 'Where notifications are sent.', required: true },
  {
    name: 'signingSecret',
    form: text({ minLength: 16, maxLength: 255, secret: true }),
    description:
      'Signs each request: Penstock-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">.',
    required: true,
  },
);

/** The webhook of an alert: where its notifications are sent, and the secret that signs them. */
export const ALERT_WEBHOOK: CheckedSettings = { settings: form, checkSettings: checkedBy(form) };

/** A notification of an alert, as it is sent. */
export interface AlertNotification {
  /** The same for each attempt: the header `Idempotency-Key`. */
  readonly idempotencyKey: string;
  /** JSON. */
  readonly body: string;
}

/**
 * Posts a notification once.
 *
 * @param webhook checked by {@link ALERT_WEBHOOK}. No outcome shows its secret.
 * @returns `rejected` too is an outcome of this attempt alone: the receiver may be corrected.
 */
export const sendAlertNotification = async (
  { idempotencyKey, body }: AlertNotification,
  webhook: Settings,
  http: GuardedHttp,
  signal: AbortSignal,
): Promise<{ readonly outcome: Outcome; readonly status: number | null }> => {
  const draft: Draft = {
    method: 'POST',
    url: requestUrl(readText(webhook, 'url')),
    headers: [
      { name: 'Content-Type', value: 'application/json' },
      { name: 'Idempotency-Key', value: idempotencyKey },
      signatureHeader(readText(webhook, 'signingSecret'), body),
    ],
    body,
  };
  const sending = { timeoutMs: TIMEOUT_MS, secrets: secretsIn(form, webhook) };
  const { outcome, answer } = await sendDraft(draft, sending, { http, signal });
  return { outcome, status: answer?.status ?? null };
};
