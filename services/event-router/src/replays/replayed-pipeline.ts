import {
  type ConnectionId,
  EVENT_SCHEMA,
  type JsonString,
  type PipelineId,
  type SendingPipelineState,
} from '@penstock/contracts';
import { compileFilter, parseFilter } from '@penstock/filters';
import { parseJson, type RecordValue } from '@penstock/schema';
import { type CompiledPipeline, compilePipeline } from '../routing/compiled-pipeline';
import type { LeasedReplay } from './replay-job';
import type { DestinationId } from '../store/lane-id';

/** What a replay passes the events through. */
export interface ReplayedPipeline {
  readonly id: PipelineId;
  /** The destination. */
  readonly lane: DestinationId;
  /** Version of the pipeline; `null`: a draft. */
  readonly version: number | null;
  readonly compiled: CompiledPipeline;
  readonly sources: ReadonlySet<ConnectionId>;
  /** Whether the replay is about the event; never throws. */
  readonly isWanted: (event: RecordValue) => boolean;
}

const wanted = (filter: JsonString | null): ((event: RecordValue) => boolean) => {
  if (filter === null) return () => true;
  const parsed = parseFilter(parseJson(filter), EVENT_SCHEMA, 'DestinationEvent');
  const compiled = compileFilter(parsed, EVENT_SCHEMA);
  return (event) => compiled.matches(event);
};

/**
 * @param newest of the pipeline: what a draft does not define is taken from it.
 * @param version the compiled version that is replayed; absent for a draft.
 */
export const replayedPipeline = (
  { id, pipeline, request }: Pick<LeasedReplay, 'id' | 'pipeline' | 'request'>,
  newest: SendingPipelineState,
  version: CompiledPipeline | undefined,
): ReplayedPipeline => {
  const { draft, filter, sources } = request;
  // Under the id of the replay, so that the sandbox never takes the function of a draft for one of a version.
  const drafted = { ...newest, ...draft, id: `replay-${id}` as PipelineId, version: 0 };
  return {
    id: pipeline,
    lane: newest.connection,
    version: version?.state.version ?? null,
    compiled: version ?? compilePipeline(drafted),
    sources: new Set(sources),
    isWanted: wanted(filter),
  };
};
