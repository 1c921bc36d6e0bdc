import type {
  AlertChangeKind,
  AlertId,
  AlertWindow,
  ConnectionId,
  HealthSubject,
  NotificationId,
  NotificationState,
  PipelineId,
  WorkspaceId,
} from '@penstock/contracts';

/** One of the objects that an alert watches. */
export interface WatchedObject {
  readonly alert: AlertId;
  readonly workspace: WorkspaceId;
  readonly subject: HealthSubject;
  /** Of the connection or pipeline. */
  readonly id: ConnectionId | PipelineId;
}

/** The condition of an alert begins to hold for an object, or no longer holds. */
export interface AlertTurn extends WatchedObject {
  readonly change: AlertChangeKind;
  /** What is to be sent; `null`: nobody is told, since the alert itself is gone. */
  readonly notification: { readonly id: NotificationId; readonly body: string } | null;
}

/** A pipeline that is to be measured. */
export interface MeasuredPipeline {
  readonly pipeline: PipelineId;
  readonly connection: ConnectionId;
  readonly workspace: WorkspaceId;
}

/** Endings of deliveries in the last minutes, the present one included. */
export interface EndingCounts {
  /** Delivered, rejected or parked. */
  readonly all: number;
  readonly deadLetters: number;
}

/** What was measured of a pipeline. */
export interface PipelineMeasure {
  readonly endings: Readonly<Record<AlertWindow, EndingCounts>>;
  /** For which the oldest event has waited; 0: none waits. */
  readonly lagSeconds: number;
}

/** What an evaluation decides on; all of one moment. */
export interface Standing {
  /** By the clock of the store, in milliseconds since 1970. */
  readonly nowMs: number;
  /** The objects for which conditions hold, by the evaluation before. */
  readonly holding: readonly WatchedObject[];
  /** `null`: measured less than the interval ago. */
  readonly measures: ReadonlyMap<PipelineId, PipelineMeasure> | null;
}

/** How an evaluation is made. */
export interface Evaluation {
  /** The configuration position that `decide` decides by, asked for in the same turn of the event loop. */
  readonly seen: () => number;
  readonly pipelines: readonly MeasuredPipeline[];
  /** Milliseconds between two measurements, whichever routers make them. */
  readonly measureMs: number;
  readonly decide: (standing: Standing) => readonly AlertTurn[];
}

/** A notification that this router is to send now. */
export interface TakenNotification {
  readonly id: NotificationId;
  readonly alert: AlertId;
  readonly workspace: WorkspaceId;
  /** JSON. */
  readonly body: string;
  /** This one included. */
  readonly attempts: number;
  /** Milliseconds since it was recorded. */
  readonly ageMs: number;
}

/** How many notifications may be taken. */
export interface TakeLimits {
  /** Under way at once of one workspace, in all routers together. */
  readonly ofWorkspace: number;
  /** Taken by this call. */
  readonly most: number;
  /** Milliseconds after which a notification that was not settled can be taken again. */
  readonly forMs: number;
}

/** What an attempt has come to. */
export interface AttemptResult {
  readonly state: NotificationState;
  /** HTTP status; `null`: there was no answer. */
  readonly status: number | null;
  /** Empty when it was delivered. */
  readonly reason: string;
  /** Milliseconds until the next attempt; means nothing unless the state is `Waiting`. */
  readonly afterMs: number;
}

/** A notification as it is stored. */
export interface StoredNotification extends Omit<WatchedObject, 'alert' | 'workspace'> {
  readonly notification: NotificationId;
  readonly change: AlertChangeKind;
  readonly state: NotificationState;
  readonly attempts: number;
  readonly status: number | null;
  readonly reason: string;
  readonly createdMs: number;
  readonly dueMs: number;
  /** `null` while it waits. */
  readonly endedMs: number | null;
}

/** Which notifications of an alert are wanted. */
export interface NotificationPage {
  readonly limit: number;
  /** The last one of the page before; absent: the newest ones. */
  readonly before?: NotificationId;
}

/**
 * For which objects the conditions of alerts hold, and the notifications of all changes. All routers share them. All calls
 * reject while the database is unavailable.
 */
export abstract class AlertStore {
  /**
   * Records what `decide` finds, in one transaction: a change and its notification are recorded together and once. Does
   * nothing while another router is at it, or when one has evaluated by a newer configuration.
   *
   * @returns whether it was evaluated.
   */
  abstract evaluate(evaluation: Evaluation): Promise<boolean>;

  /**
   * Takes notifications that are due, each for one router at a time. Workspaces take turns, those with the fewest under
   * way first. Of one object, a notification is taken only when all earlier ones of the alert have ended.
   */
  abstract take(limits: TakeLimits): Promise<readonly TakenNotification[]>;

  /**
   * Records what an attempt has come to. No effect on a notification that has ended; unless it was delivered, none either
   * when it was taken again meanwhile.
   */
  abstract settle(
    taken: Pick<TakenNotification, 'id' | 'attempts'>,
    result: AttemptResult,
  ): Promise<void>;

  /** The notifications of an alert, newest first. */
  abstract list(
    place: Pick<WatchedObject, 'alert' | 'workspace'>,
    page: NotificationPage,
  ): Promise<readonly StoredNotification[]>;
}
