import type { DifferenceKind } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import { OutputValidationError, RecordFailure } from '@penstock/transformations';
import { isStep } from '../outcomes/made-by-function';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import type { OutcomeRecord } from '../store/changes';
import { valuesDigest } from '../outcomes/values-digest';

/** What a version of a pipeline makes, or has made, of an event. */
export type ReplayResult =
  | { readonly kind: 'unmatched' }
  /** It has matched; what it has made is neither on record nor can be computed again. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'rejected'; readonly step: string }
  /** `values`: `null` without a transformation, and when only their digest is on record. */
  | { readonly kind: 'made'; readonly digest: string; readonly values: RecordValue | null };

/** How two results compare. `Same`: both matched, with the same result. `Neither`: neither gave values, otherwise. */
export type Verdict = DifferenceKind | 'Same' | 'Neither' | 'Unknown';

export const UNMATCHED: ReplayResult = { kind: 'unmatched' };
const UNKNOWN: ReplayResult = { kind: 'unknown' };

/** The result of a function, or of a mapping that has not failed. */
export const resultOf = (
  { state }: CompiledPipeline,
  made: RecordValue | RecordFailure | null,
): ReplayResult =>
  made instanceof RecordFailure
    ? { kind: 'rejected', step: made.step }
    : { kind: 'made', digest: valuesDigest(state.eventType ?? '', made), values: made };

/** Applies the mapping of a pipeline whose filter the event matches. Never throws. */
export const mappedResult = (pipeline: CompiledPipeline, event: RecordValue): ReplayResult => {
  try {
    return resultOf(pipeline, pipeline.transform(event));
  } catch (error) {
    // A lane too rejects an event at this step when our own code fails on it.
    const step = error instanceof OutputValidationError ? 'OutputValidation' : 'Transformation';
    return { kind: 'rejected', step };
  }
};

/**
 * What a function has made of an event, as the ending of its delivery has recorded it.
 *
 * @param outcomes of the event and the pipeline, in the order in which they were recorded.
 */
export const recordedResult = (
  outcomes: readonly OutcomeRecord[],
  version: number,
): ReplayResult => {
  const found = outcomes.findLast((each) => each.version === version && each.made !== '');
  if (found === undefined) return UNKNOWN;
  const { made } = found;
  return isStep(made)
    ? { kind: 'rejected', step: made }
    : { kind: 'made', digest: made, values: null };
};

/** Compares the result of the version that an event was routed by with that of the one that is replayed. */
export const verdictOf = (before: ReplayResult, now: ReplayResult): Verdict => {
  if (before.kind === 'unknown' || now.kind === 'unknown') return 'Unknown';
  if (before.kind === 'made')
    if (now.kind !== 'made') return 'OnlyBefore';
    else return before.digest === now.digest ? 'Same' : 'Different';
  if (now.kind === 'made') return 'OnlyNow';
  return before.kind === 'rejected' && now.kind === 'rejected' ? 'Same' : 'Neither';
};
