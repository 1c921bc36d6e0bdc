import type { PipelineId, WorkspaceId } from '@penstock/contracts';
import type { CompiledPipeline } from './compiled-pipeline';
import type { DestinationId } from '../store/lane-id';

/** A destination of a source, a connection or the warehouse, with its event pipelines at a position of the configuration. */
export interface LaneRoutes {
  readonly lane: DestinationId;
  readonly workspace: WorkspaceId;
  /** Code of the connector; empty for the warehouse. */
  readonly connector: string;
  /** The connector's label, which an event's `integrations` may use. */
  readonly label: string;
  /** The enabled pipelines, sorted by id. */
  readonly pipelines: readonly CompiledPipeline[];
  /** The disabled pipelines, sorted by id. */
  readonly disabled: readonly PipelineId[];
}
