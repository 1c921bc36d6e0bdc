import type { ImportPipelineState, RequestedRun } from '@penstock/contracts';
import type { RunControl } from '../domain/run-control.decide';

/** What of a run its request decides. */
interface RunRequest extends Pick<
  RequestedRun,
  'run' | 'trigger' | 'actor' | 'requestedAt' | 'slot'
> {
  readonly isIncremental: boolean;
}

/** The run of the pipeline as it is now. Without a cursor, it is a full one. */
export const requestedRun = (
  { version }: Pick<ImportPipelineState, 'version'>,
  state: RunControl,
  { isIncremental, ...request }: RunRequest,
): RequestedRun => {
  const cursor = isIncremental ? (state?.cursor ?? null) : null;
  return { ...request, pipelineVersion: version, incremental: cursor !== null, cursor };
};
