import type { PipelineId, Suppressions, TraceKept } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { FunctionRunner } from '@penstock/transformations';
import type { Routes } from '../routing/routes';

/** What traces are made of beside the store. */
export interface TraceSources {
  readonly log: MessageLog;
  readonly routes: Routes;
  readonly suppressions: Suppressions;
  readonly functions: Pick<FunctionRunner, 'run'>;
  /** The workspace of a pipeline, deleted or not; undefined: there never was one with this id. */
  readonly workspaceOf: (pipeline: PipelineId) => string | undefined;
  readonly kept: TraceKept;
}
