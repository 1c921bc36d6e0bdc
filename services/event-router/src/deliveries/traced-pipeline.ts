import {
  type ConnectionId,
  instant,
  type PipelineId,
  type TracedAttempt,
  type TracedFilter,
  type TracedPipeline,
  type TracedTransformation,
} from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import type { AttemptRecord } from '../store/changes';
import { type Fate, fateOf, type Verdict } from '../tracing/fate';
import type { Recomputed } from '../tracing/recompute';
import type { EventRecords } from '../tracing/trace-reads';
import type { ShownValues } from './shown-values';
import type { StoredOfEvent } from './stored-of-event';
import { connectionOf, type DestinationId } from '../store/lane-id';

/** What is known of an event for all of its pipelines. */
export interface TracedFrom {
  readonly records: EventRecords;
  readonly stored: readonly StoredOfEvent[];
  readonly isSuppressed: boolean;
  /** Whether every ending of the event would be found. */
  readonly isRecorded: boolean;
  readonly shown: ShownValues;
}

/** What is known of one pipeline. */
export interface PipelineSources {
  readonly pipeline: PipelineId;
  /** Undefined: unknown, as `verdict`, since the event is. */
  readonly lane: DestinationId | undefined;
  readonly verdict: Verdict | undefined;
  readonly compiled: CompiledPipeline | undefined;
  readonly event: RecordValue | undefined;
  readonly recomputed: Recomputed | null;
}

const instantOf = (ms: number | null) => (ms === null ? null : instant(new Date(ms)));

const statusOf = (status: number): number | null => (status === 0 ? null : status);

const failedAttempt = (record: AttemptRecord, shown: ShownValues): TracedAttempt => ({
  attempt: record.attempt,
  at: instant(new Date(record.atMs)),
  isSuccessful: false,
  status: statusOf(record.status),
  reason: shown.reason('Finalize', record.reason),
  nextAttemptAt: instantOf(record.dueMs === 0 ? null : record.dueMs),
});

const attemptsOf = (
  fate: Fate,
  failed: readonly AttemptRecord[],
  status: number,
  shown: ShownValues,
): readonly TracedAttempt[] => {
  const list = failed.map((each) => failedAttempt(each, shown));
  if (fate.state !== 'Delivered' || fate.endedAtMs === null) return list;
  const at = instant(new Date(fate.endedAtMs));
  const success = { isSuccessful: true, reason: '', nextAttemptAt: null };
  return [...list, { attempt: fate.attemptCount, at, status: statusOf(status), ...success }];
};

const filterOf = (
  { compiled, event }: PipelineSources,
  shown: ShownValues,
): TracedFilter | null => {
  const explained = event === undefined ? null : (compiled?.explain(event) ?? null);
  if (explained === null) return null;
  const conditions = explained.conditions.map(({ seen, ...condition }) => ({
    ...condition,
    seen: shown.seen(seen),
  }));
  return { logical: explained.logical, conditions };
};

const transformationOf = (
  recomputed: Recomputed | null,
  shown: ShownValues,
): TracedTransformation | null =>
  recomputed && {
    ...recomputed,
    output: recomputed.output === null ? null : shown.json(recomputed.output),
    error: recomputed.failed === null ? recomputed.error : shown.text(recomputed.error),
    console: shown.text(recomputed.console),
  };

/** Rejections by a transformation have no code: running it again tells the step. */
const stepOf = ({ state, step }: Fate, recomputed: Recomputed | null): string | null =>
  state === 'Rejected' ? (step ?? recomputed?.failed ?? null) : step;

/** What became of an event in one pipeline. */
export const tracedPipeline = (sources: PipelineSources, from: TracedFrom): TracedPipeline => {
  const { pipeline, lane, verdict, compiled, recomputed } = sources;
  const { records, shown } = from;
  const { progress, trail } = records;
  const isOwn = (each: { readonly pipeline: PipelineId }): boolean => each.pipeline === pipeline;
  const stored = from.stored.find(({ view }) => isOwn(view));
  const outcome = trail.outcomes.filter(isOwn).at(-1);
  const attempts = trail.attempts
    .filter(isOwn)
    .sort((a, b) => a.attempt - b.attempt || a.atMs - b.atMs);
  const fate = fateOf({
    verdict,
    stored: stored?.view,
    outcome,
    attempts,
    isSuppressed: from.isSuppressed,
    isRouted: progress.isRouted,
    isBehind: lane !== undefined && progress.behind.has(lane),
    isRecorded: from.isRecorded && !trail.isCut,
  });
  const step = stepOf(fate, recomputed);
  return {
    pipeline,
    pipelineVersion:
      outcome?.version ?? stored?.view.pipelineVersion ?? compiled?.state.version ?? null,
    connection:
      lane === undefined
        ? (stored?.view.connection ?? null)
        : connectionOf(lane, sources.event?.['connectionId'] as ConnectionId),
    state: fate.state,
    step,
    code: fate.code,
    reason: shown.reason(step, stored?.detail ?? fate.reason),
    endedAt: instantOf(fate.endedAtMs),
    nextAttemptAt: instantOf(fate.nextAttemptMs),
    delivery: stored?.view.id ?? null,
    filter: filterOf(sources, shown),
    transformation: transformationOf(recomputed, shown),
    attemptCount: fate.attemptCount,
    attempts: attemptsOf(fate, attempts, outcome?.status ?? 0, shown),
  };
};
