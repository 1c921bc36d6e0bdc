import type { ConnectionId, PipelineId, WorkspaceId } from '@penstock/contracts';
import type { CompiledPipeline } from './compiled-pipeline';

/** A destination of a source, with its event pipelines at a position of the configuration. */
export interface LaneRoutes {
  readonly lane: ConnectionId;
  readonly workspace: WorkspaceId;
  /** Code of the connector. */
  readonly connector: string;
  /** The connector's label, which an event's `integrations` may use. */
  readonly label: string;
  /** The enabled pipelines, sorted by id. */
  readonly pipelines: readonly CompiledPipeline[];
  /** The disabled pipelines, sorted by id. */
  readonly disabled: readonly PipelineId[];
}
