import type { ConnectionId } from '@penstock/contracts';
import type { CompiledPipeline } from './compiled-pipeline';

/** A pipeline that an event goes to. */
export interface Match {
  readonly lane: ConnectionId;
  readonly pipeline: CompiledPipeline;
}
