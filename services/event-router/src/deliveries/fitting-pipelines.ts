import type { TracedPipeline } from '@penstock/contracts';
import { MAX_VALUE_BYTES } from '@penstock/messaging';
import type { RecordValue } from '@penstock/schema';
import type { FunctionRunner } from '@penstock/transformations';
import { type Recomputed, recompute } from '../tracing/recompute';
import type { RoutedPipeline } from '../tracing/routed-pipelines';
import { type TracedFrom, tracedPipeline } from './traced-pipeline';

/** Bytes of all pipelines in one answer, which is one message and, sealed, a third longer, beside the event. */
const MAX_BYTES = 0.5 * MAX_VALUE_BYTES;
/** Functions that one trace runs: they take turns with those of deliveries. */
const MAX_FUNCTIONS = 5;

const NOT_RUN: Recomputed = {
  kind: 'Function',
  output: null,
  failed: null,
  error: `it was not run, since a trace runs ${MAX_FUNCTIONS} functions at most: ask for this pipeline`,
  console: '',
};

/** A pipeline of a trace; of one that is only known from records, no verdict. */
type Meant = Pick<RoutedPipeline, 'pipeline'> & Partial<RoutedPipeline>;

/** What pipelines are traced from. */
export interface Fitting {
  /** Undefined: it cannot be read. */
  readonly event: RecordValue | undefined;
  readonly routed: readonly Meant[];
  readonly from: TracedFrom;
}

const yieldToOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * What became of the event in each pipeline, as far as it fits into an answer. Transformations are run again where the event
 * has come to them.
 */
export const fittingPipelines = async (
  { event, routed, from }: Fitting,
  functions: Pick<FunctionRunner, 'run'>,
  signal: AbortSignal,
): Promise<{ readonly pipelines: readonly TracedPipeline[]; readonly isCut: boolean }> => {
  const pipelines: TracedPipeline[] = [];
  let [bytes, runs] = [0, 0];
  for (const { pipeline, lane, verdict, compiled } of routed) {
    await yieldToOthers();
    const isTransformed = verdict === 'Matched' && !from.isSuppressed;
    let recomputed: Recomputed | null = null;
    if (isTransformed && compiled !== undefined && event !== undefined) {
      if (compiled.function !== null) runs += 1;
      recomputed =
        compiled.function !== null && runs > MAX_FUNCTIONS
          ? NOT_RUN
          : await recompute(compiled, event, functions, signal);
    }
    const traced = tracedPipeline({ pipeline, lane, verdict, compiled, event, recomputed }, from);
    bytes += Buffer.byteLength(JSON.stringify(traced));
    if (bytes > MAX_BYTES && pipelines.length > 0) return { pipelines, isCut: true };
    pipelines.push(traced);
  }
  return { pipelines, isCut: false };
};
