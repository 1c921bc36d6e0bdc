import type { CompiledPipeline } from './compiled-pipeline';
import type { DestinationId } from '../store/lane-id';

/** A pipeline that an event goes to. */
export interface Match {
  readonly lane: DestinationId;
  readonly pipeline: CompiledPipeline;
}
