import type { Sealed } from './connection.facts';
import type { AlertId, ConnectionId, PipelineId, WorkspaceId } from './ids';

/** What an alert is about: the health, the share of dead letters, or the seconds behind. */
export const ALERT_KINDS = ['health', 'deadLetterRate', 'lag'] as const;

/** One of {@link ALERT_KINDS}. */
export type AlertKind = (typeof ALERT_KINDS)[number];

/** Minutes over which the share of dead letters may be taken. */
export const ALERT_WINDOWS = [5, 15, 60] as const;

/** One of {@link ALERT_WINDOWS}, in minutes. */
export type AlertWindow = (typeof ALERT_WINDOWS)[number];

/** Which objects an alert watches, and when it begins. */
export interface AlertCondition {
  /** Only this connection and its pipelines; `null`: any. At most one of `connection` and `pipeline` is given. */
  readonly connection: ConnectionId | null;
  /** Only this pipeline; `null`: any. */
  readonly pipeline: PipelineId | null;
  /** Of `deadLetterRate`: percent of the endings; of `lag`: seconds; of `health`: `null`. */
  readonly threshold: number | null;
  /** Of `deadLetterRate`: the minutes that are counted; of the others: `null`. */
  readonly window: AlertWindow | null;
}

/** An alert as it is created. */
export interface NewAlert extends AlertCondition {
  readonly id: AlertId;
  readonly workspace: WorkspaceId;
  readonly name: string;
  readonly enabled: boolean;
  /** Not `kind`, which tells states of objects apart. */
  readonly alertKind: AlertKind;
  /** JSON text of URL and signing secret, sealed as a whole. */
  readonly webhook: Sealed;
}

/** What an update may change, as it is from then on. */
export type AlertChange = Omit<NewAlert, 'id' | 'workspace' | 'alertKind'>;

/** Everything that can happen to an alert. Kept for ever: a member may be added as optional, none removed or renamed. */
export type AlertFact =
  | { readonly type: 'AlertCreated'; readonly data: NewAlert }
  | { readonly type: 'AlertUpdated'; readonly data: AlertChange }
  | { readonly type: 'AlertDeleted'; readonly data: Record<never, never> };
