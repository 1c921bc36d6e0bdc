import type { ConnectionId, PipelineId, WorkspaceId } from '@penstock/contracts';
import type { CompiledPipeline } from './compiled-pipeline';

/** A destination of a source, with all its pipelines on events as they were at a position of the configuration. */
export interface LaneRoutes {
  readonly lane: ConnectionId;
  readonly workspace: WorkspaceId;
  /** Code of the connector. */
  readonly connector: string;
  /** Of the connector, by which an event's `integrations` may name it. */
  readonly label: string;
  /** Those that were enabled, sorted by their ids. */
  readonly pipelines: readonly CompiledPipeline[];
  /** Those that were not, sorted. */
  readonly disabled: readonly PipelineId[];
}
