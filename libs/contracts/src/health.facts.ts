import type { ConnectionId, Instant, PipelineId, WorkspaceId } from './ids';

/**
 * How well a connection or a pipeline works, from best to worst; nothing is delivered while it is `Failing` or `Paused`.
 * `Unknown`: a pipeline that has not run yet.
 */
export const HEALTH_STATUSES = ['Healthy', 'Unknown', 'Degraded', 'Failing', 'Paused'] as const;

/** One of {@link HEALTH_STATUSES}. */
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

interface Cause {
  readonly status: HealthStatus;
  /** For people: why it has the status. */
  readonly message: string;
  /** For people: what to do about it. */
  readonly action: string;
}

/** Why something has its status, by code; the empty code is that of what is `Healthy`. */
export const HEALTH_CAUSES = {
  '': { status: 'Healthy', message: '', action: '' },
  KeysFail: {
    status: 'Degraded',
    message: 'The deliveries of some users have failed for a minute or more and are retried.',
    action: 'Look at the waiting deliveries of the connection: their reasons say what it answered.',
  },
  Behind: {
    status: 'Degraded',
    message:
      'Deliveries have been behind the newest events for a minute or more and are catching up.',
    action:
      'Wait until they have caught up. If they do not, the destination accepts fewer events than arrive.',
  },
  Unstable: {
    status: 'Degraded',
    message: 'The health has changed too often within an hour: further changes are not recorded.',
    action:
      'Look at the destination and at the waiting deliveries. Changes are recorded again within an hour.',
  },
  DestinationFails: {
    status: 'Failing',
    message:
      'Requests to the destination fail or get no answer in time: it is only probed, and deliveries wait.',
    action:
      'Check the destination, and the URL in the settings of the connection. Deliveries go on by themselves when a probe succeeds.',
  },
  AccessDenied: {
    status: 'Paused',
    message:
      'The destination has answered 401 or 403: it is only probed from time to time, and deliveries wait.',
    action:
      'Correct the credentials in the settings of the connection. Deliveries go on at once after the update.',
  },
  FunctionTimesOut: {
    status: 'Failing',
    message:
      'The function of the pipeline has exceeded its time limit three times in a row: it pauses before each further batch.',
    action: 'Correct the function: it must end within its time limit for every event.',
  },
  NeverRun: {
    status: 'Unknown',
    message: 'The pipeline has not run yet.',
    action: 'Run it, or set a schedule.',
  },
  RunFailed: {
    status: 'Failing',
    message: 'The last run of the pipeline has failed.',
    action: 'Look at the error of the run, correct its cause, and run the pipeline again.',
  },
  RunWaits: {
    status: 'Degraded',
    message: 'The run of the pipeline waits for something that cannot be reached.',
    action: 'Look at the run: `waiting` says what it waits for. It goes on by itself.',
  },
  RunSkipped: {
    status: 'Failing',
    message:
      'The last slot of the schedule had no run, since the mode of the data warehouse forbids runs.',
    action: 'Set the mode of the data warehouse to Normal.',
  },
  ProfilesChanged: {
    status: 'Failing',
    message: 'What the pipeline writes is no part of the schema of profiles any more',
    action: 'Update the pipeline by the present schema of profiles.',
  },
  ManyRejected: {
    status: 'Degraded',
    message: 'At least a tenth of the deliveries of the last five minutes were rejected.',
    action: 'Look at the rejected deliveries of the pipeline by code, and correct the pipeline.',
  },
} as const satisfies Readonly<Record<string, Cause>>;

/** A code of {@link HEALTH_CAUSES}. */
export type HealthCode = keyof typeof HEALTH_CAUSES;

/** Kinds of objects that have a health. */
export type HealthSubject = 'connection' | 'pipeline';

/** The health of an object as it was recorded. */
export interface NewHealth {
  readonly subject: HealthSubject;
  /** Of the object. */
  readonly id: ConnectionId | PipelineId;
  readonly workspace: WorkspaceId;
  readonly status: HealthStatus;
  readonly code: HealthCode;
  /** When that was first observed. */
  readonly since: Instant;
  /** Version of the object when it was observed. A newer one may have another health. */
  readonly objectVersion: number;
  /** When it was recorded, by the clock of the pipeline service. */
  readonly recordedAt: Instant;
}

/**
 * What can happen to a health. Kept for ever: a member may be added as optional, none removed or renamed. An object has
 * no such facts until it is something other than healthy.
 */
export interface HealthFact {
  readonly type: 'HealthChanged';
  readonly data: NewHealth;
}
