import type { AlertKind, AlertWindow } from '../alert.facts';
import type { AsOf } from '../audit';
import type { Sealed } from '../connection.facts';
import type { AlertId, ConnectionId, Instant, NotificationId, PipelineId } from '../ids';
import { always, command, query, read } from './operation';
import type { Page, Search } from './page';

/** What a client may write; the condition is checked as a whole where the kind is known. */
interface AlertInput {
  readonly name: string;
  /** Absent: `true` on create, unchanged on update. */
  readonly enabled?: boolean;
  readonly connection: string | null;
  readonly pipeline: string | null;
  readonly threshold: number | null;
  /** Absent or `null`: 5 minutes where the kind has a window. */
  readonly window?: number | null;
}

/** Creates an alert. Secrets travel sealed: the log holds no plain one. */
export interface CreateAlert extends AlertInput {
  readonly id: AlertId;
  readonly alertKind: AlertKind;
  /** JSON text of URL and signing secret, sealed. */
  readonly webhook: Sealed;
}

/** Changes an alert. */
export interface UpdateAlert extends AlertInput {
  readonly id: string;
  /** The same; a masked secret in it stands for the one that the alert has. Absent: unchanged. */
  readonly webhook?: Sealed;
}

/** An alert as a query answers it; its webhook is still sealed. */
export interface AlertView {
  readonly id: AlertId;
  readonly version: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly alertKind: AlertKind;
  readonly connection: ConnectionId | null;
  readonly pipeline: PipelineId | null;
  readonly threshold: number | null;
  readonly window: AlertWindow | null;
  readonly webhook: Sealed;
}

/** What an alert has to say of an object: its condition holds now, or no longer. */
export const ALERT_CHANGES = ['Began', 'Ended'] as const;

/** One of {@link ALERT_CHANGES}. */
export type AlertChangeKind = (typeof ALERT_CHANGES)[number];

/** States of a notification; all but `Waiting` are final. */
export const NOTIFICATION_STATES = ['Waiting', 'Delivered', 'Failed'] as const;

/** One of {@link NOTIFICATION_STATES}. */
export type NotificationState = (typeof NOTIFICATION_STATES)[number];

/** A notification as a query answers it. */
export interface NotificationView {
  readonly id: NotificationId;
  readonly change: AlertChangeKind;
  /** The connection that it is about; `null`: it is about a pipeline. */
  readonly connection: ConnectionId | null;
  readonly pipeline: PipelineId | null;
  /** When the change was found, which is when the notification was recorded. */
  readonly at: Instant;
  readonly state: NotificationState;
  /** Requests that were made, or had begun when their router died. */
  readonly attempts: number;
  /** `null` once it has ended. */
  readonly nextAttemptAt: Instant | null;
  /** HTTP status of the last answer; `null`: there was none. */
  readonly status: number | null;
  /** Why the last attempt failed; empty: none has. */
  readonly reason: string;
  /** `null` while it waits. */
  readonly endedAt: Instant | null;
}

/** Alerts of a workspace, and what they have sent. */
export const ALERT_OPERATIONS = {
  ListAlerts: read<
    Page & Search,
    { readonly alerts: readonly AlertView[]; readonly cursor: string }
  >(),
  CreateAlert: command<CreateAlert, { readonly id: AlertId }>({
    refusals: [
      { code: 'ConnectionNotExist', kind: 'refused' },
      { code: 'PipelineNotExist', kind: 'refused' },
      'InvalidSettings',
      'AlertsLimitReached',
    ],
  }),
  GetAlert: read<{ readonly id: string }, AlertView>({
    refusals: ['AlertNotExist'],
    isVersioned: true,
  }),
  GetAlertAsOf: query<{ readonly id: string } & AsOf, AlertView>({
    refusals: ['AlertNotExist'],
    isSlow: always,
  }),
  UpdateAlert: command<UpdateAlert>({
    refusals: [
      'AlertNotExist',
      { code: 'ConnectionNotExist', kind: 'refused' },
      { code: 'PipelineNotExist', kind: 'refused' },
      'InvalidSettings',
    ],
    isVersioned: true,
  }),
  /** What waits to be sent is given up. */
  DeleteAlert: command<{ readonly id: string }>({
    refusals: ['AlertNotExist'],
    isVersioned: true,
  }),
  /** About an alert that the caller has found to be one of the workspace. Newest first. */
  ListAlertNotifications: query<
    Page & { readonly alert: AlertId },
    { readonly notifications: readonly NotificationView[]; readonly cursor: string }
  >({ refusals: ['AlertNotExist'], isSlow: always, answeredBy: 'event-router' }),
};
