import {
  ALERT_CHANGES,
  ALERT_KINDS,
  type AlertView,
  NOTIFICATION_STATES,
  type NotificationView,
} from '@penstock/contracts';
import {
  described,
  FLAG,
  INTEGER,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  ref,
  TEXT,
  TIME,
} from '../schema/json-schema';
import { EXAMPLE_ID, EXAMPLE_TIME, page, withExample } from './answer';

const ID = ref('Id');

/** Members of an alert in answers. */
export type AlertMember = Exclude<keyof AlertView, 'alertKind'> | 'kind';

const ALERT = withExample(
  object<AlertMember>({
    id: ID,
    version: INTEGER,
    name: TEXT,
    enabled: FLAG,
    kind: oneOf(ALERT_KINDS),
    connection: orNull(described(ID, 'Only this connection and its pipelines are watched.')),
    pipeline: orNull(described(ID, 'Only this pipeline is watched.')),
    threshold: orNull(
      described(INTEGER, 'Of `deadLetterRate` in percent, of `lag` in seconds; else null.'),
    ),
    window: orNull(described(INTEGER, 'Of `deadLetterRate`, in minutes; else null.')),
    webhook: described(
      ref('AlertWebhook'),
      'Of the secret only the last four characters are shown.',
    ),
  }),
  {
    id: EXAMPLE_ID,
    version: 1,
    name: 'Shop fails',
    enabled: true,
    kind: 'health',
    connection: null,
    pipeline: null,
    threshold: null,
    window: null,
    webhook: { url: 'https://example.com/alerts', signingSecret: '••••more' },
  },
);

const NOTIFICATION = withExample(
  object<keyof NotificationView>({
    id: described(ID, 'The idempotency key of its requests.'),
    change: described(oneOf(ALERT_CHANGES), 'The condition holds, or no longer does.'),
    connection: orNull(described(ID, 'The connection that it is about.')),
    pipeline: orNull(described(ID, 'The pipeline that it is about.')),
    at: described(TIME, 'When the change was found.'),
    state: oneOf(NOTIFICATION_STATES),
    attempts: INTEGER,
    nextAttemptAt: orNull(described(TIME, 'Null once it has ended.')),
    status: orNull(described(INTEGER, 'HTTP status of the last answer.')),
    reason: described(TEXT, 'Why the last attempt failed; empty when none has.'),
    endedAt: orNull(described(TIME, 'Null while it waits.')),
  }),
  {
    id: EXAMPLE_ID,
    change: 'Began',
    connection: EXAMPLE_ID,
    pipeline: null,
    at: EXAMPLE_TIME,
    state: 'Delivered',
    attempts: 1,
    nextAttemptAt: null,
    status: 200,
    reason: '',
    endedAt: EXAMPLE_TIME,
  },
);

/** Components for alerts. */
export const ALERTS: Readonly<Record<string, JsonSchema>> = {
  Alert: ALERT,
  AlertList: page('alerts', 'Alert', ALERT),
  AlertWebhook: withExample(
    object({
      url: described(TEXT, 'An http or https URL, to which notifications are posted.'),
      signingSecret: described(TEXT, 'Signs the requests; 16 to 255 characters.'),
    }),
    { url: 'https://example.com/alerts', signingSecret: 'a secret of 16 or more' },
  ),
  AlertNotification: NOTIFICATION,
  AlertNotificationList: page('notifications', 'AlertNotification', NOTIFICATION),
};
