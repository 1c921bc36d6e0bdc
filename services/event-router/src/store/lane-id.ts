import type { ConnectionId, JobId } from '@penstock/contracts';

const PREFIX = 'job:';

/** The lane of a job. No connection has such an id. */
export type JobLaneId = `job:${JobId}`;

/** Names a lane among all of an installation: the live lane of a connection, or the lane of a job. */
export type LaneId = ConnectionId | JobLaneId;

/** A rate that all processes share: that of a connection, or the part of it that all jobs on the connection share. */
export type RateId = ConnectionId | `jobs:${ConnectionId}`;

/** Which deliveries a lane has, and where they go. */
export interface LaneIdentity {
  readonly id: LaneId;
  /** The destination. */
  readonly connection: ConnectionId;
  /** The job that the deliveries belong to; `null`: they are the live ones. */
  readonly job: LaneJob | null;
}

/** The job of a lane. */
export interface LaneJob {
  readonly id: JobId;
  /** Milliseconds since 1970 of its creation: the age of its deliveries counts from then. */
  readonly createdMs: number;
}

/** The lane of a connection's live deliveries. */
export const liveLane = (connection: ConnectionId): LaneIdentity => ({
  id: connection,
  connection,
  job: null,
});

/** The lane of a job's deliveries to the connection. */
export const jobLane = (job: LaneJob, connection: ConnectionId): LaneIdentity => ({
  id: `job:${job.id}`,
  connection,
  job,
});

/** Whether the lane is that of a job. */
export const isOfJob = (id: LaneId): id is JobLaneId => id.startsWith(PREFIX);

/** The job of a lane. */
export const jobOf = (id: JobLaneId): JobId => id.slice(PREFIX.length) as JobId;
