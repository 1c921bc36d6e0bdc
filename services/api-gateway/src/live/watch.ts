import type { ConnectionId, PipelineId, WorkspaceId } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { LiveSample } from './live-sample';

/** What somebody watches. */
export interface Watch {
  readonly workspace: WorkspaceId;
  /** `null`: of any. */
  readonly connection: ConnectionId | null;
  /** Whether the connection is a source. */
  readonly isOfSource: boolean;
  /** `null`: of any. */
  readonly pipeline: PipelineId | null;
  /** The filter as text; empty: all events. */
  readonly filter: string;
  /** `null`: all events. */
  readonly matches: ((event: RecordValue) => boolean) | null;
  /** Whether values of events are shown. */
  readonly withValues: boolean;
}

/** The same for all who watch the same. */
export const watchKey = ({ connection, pipeline, filter, withValues }: Watch): string =>
  JSON.stringify([connection, pipeline, filter, withValues]);

/** Whether the sample of an event is one that is watched. */
export const isWatchedEvent = (
  { connection, pipeline, matches }: Watch,
  sample: LiveSample,
): boolean => {
  const { record } = sample;
  if (record.kind !== 'event') return false;
  const { source, pipelines } = record;
  if (connection !== null && source !== connection)
    if (!pipelines.some((each) => each.connection === connection)) return false;
  if (pipeline !== null && !pipelines.some((each) => each.pipeline === pipeline)) return false;
  return matches === null || matches(sample.event);
};

/** Whether an outcome is wanted, or a number of left out events; that the event itself was shown is for the caller. */
export const isWatchedOther = (
  { connection, isOfSource, pipeline }: Watch,
  { record }: LiveSample,
): boolean => {
  if (record.kind === 'event') return false;
  if (record.kind === 'dropped') return !isOfSource || record.source === connection;
  if (pipeline !== null && record.pipeline !== pipeline) return false;
  return connection === null || [record.source, record.connection].includes(connection);
};
