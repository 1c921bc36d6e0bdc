import {
  type ConnectionId,
  type EventPipelineState,
  isOfWarehouse,
  type JobId,
  type WorkspaceId,
} from '@penstock/contracts';

const PREFIX = 'job:';
const WAREHOUSE = 'warehouse:';

/** The warehouse of a workspace as a destination. No connection has such an id. */
export type WarehouseDestinationId = `warehouse:${WorkspaceId}`;

/** Where deliveries go: a destination connection, or the warehouse of a workspace. */
export type DestinationId = ConnectionId | WarehouseDestinationId;

/** The warehouse of the workspace as a destination. */
export const warehouseOf = (workspace: WorkspaceId): WarehouseDestinationId =>
  `${WAREHOUSE}${workspace}`;

/** The workspace whose warehouse the destination is; undefined: it is a connection. */
export const workspaceOfWarehouse = (id: DestinationId): WorkspaceId | undefined =>
  id.startsWith(WAREHOUSE) ? (id.slice(WAREHOUSE.length) as WorkspaceId) : undefined;

/** Where the deliveries of a pipeline go. */
export const destinationOf = (state: EventPipelineState): DestinationId =>
  isOfWarehouse(state) ? warehouseOf(state.workspace) : state.connection;

/** The lane of a job. No connection has such an id. */
export type JobLaneId = `job:${JobId}`;

/** The connection of the pipelines whose deliveries go there: those that write into the warehouse are on the source. */
export const connectionOf = (destination: DestinationId, source: ConnectionId): ConnectionId =>
  workspaceOfWarehouse(destination) === undefined ? (destination as ConnectionId) : source;

/** Names a lane among all of an installation: the live lane of a destination, or the lane of a job. */
export type LaneId = DestinationId | JobLaneId;

/** A rate that all processes share: that of a destination, or the part of it that all jobs to it share. */
export type RateId = DestinationId | `jobs:${DestinationId}`;

/** Which deliveries a lane has, and where they go. */
export interface LaneIdentity {
  readonly id: LaneId;
  readonly destination: DestinationId;
  /** The job that the deliveries belong to; `null`: they are the live ones. */
  readonly job: LaneJob | null;
}

/** The job of a lane. */
export interface LaneJob {
  readonly id: JobId;
  /** Milliseconds since 1970 of its creation: the age of its deliveries counts from then. */
  readonly createdMs: number;
}

/** The lane of a destination's live deliveries. */
export const liveLane = (destination: DestinationId): LaneIdentity => ({
  id: destination,
  destination,
  job: null,
});

/** The lane of a job's deliveries to the destination. */
export const jobLane = (job: LaneJob, destination: DestinationId): LaneIdentity => ({
  id: `job:${job.id}`,
  destination,
  job,
});

/** Whether the lane is that of a job. */
export const isOfJob = (id: LaneId): id is JobLaneId => id.startsWith(PREFIX);

/** The job of a lane. */
export const jobOf = (id: JobLaneId): JobId => id.slice(PREFIX.length) as JobId;
