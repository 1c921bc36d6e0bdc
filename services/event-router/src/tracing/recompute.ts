import { randomUUID } from 'node:crypto';
import type { JsonString } from '@penstock/contracts';
import { type RecordValue, type Schema, valueToJson, writeJson } from '@penstock/schema';
import {
  type FunctionBatch,
  type FunctionRunner,
  OutputValidationError,
  RecordFailure,
  SandboxUnavailable,
  TransformationError,
} from '@penstock/transformations';
import type { CompiledPipeline } from '../routing/compiled-pipeline';

/** What a transformation gives for an event when it is run again. */
export interface Recomputed {
  readonly kind: 'Mapping' | 'Function';
  /** `null`: it has failed, or could not be run. */
  readonly output: JsonString | null;
  /** The step that has failed; `null`: none, or it could not be run. */
  readonly failed: 'Transformation' | 'OutputValidation' | null;
  /** Why there is no output; empty when there is. */
  readonly error: string;
  /** What the function wrote to its console. */
  readonly console: string;
}

const outputText = (schema: Schema, values: RecordValue): JsonString =>
  writeJson(valueToJson(schema, values));

const failure = (
  kind: Recomputed['kind'],
  failed: Recomputed['failed'],
  error: string,
  console = '',
): Recomputed => ({ kind, output: null, failed, error, console });

const stepOf = (error: unknown): Recomputed['failed'] => {
  if (error instanceof OutputValidationError) return 'OutputValidation';
  return error instanceof TransformationError ? 'Transformation' : null;
};

const mapped = (
  { transform, outSchema }: CompiledPipeline,
  event: RecordValue,
): Recomputed | null => {
  try {
    const values = transform(event);
    if (values === null || outSchema === null) return null;
    return {
      kind: 'Mapping',
      output: outputText(outSchema, values),
      failed: null,
      error: '',
      console: '',
    };
  } catch (error) {
    const step = stepOf(error);
    return failure('Mapping', step, step === null ? 'it cannot be run' : (error as Error).message);
  }
};

const ran = async (
  { state }: CompiledPipeline,
  batch: FunctionBatch,
  event: RecordValue,
  functions: Pick<FunctionRunner, 'run'>,
  signal: AbortSignal,
): Promise<Recomputed> => {
  const alone = { ...batch, isolation: `${state.workspace}/trace ${randomUUID()}`, once: true };
  try {
    const { records, console } = await functions.run(alone, [event], { signal });
    const [result] = records;
    if (result === undefined) return failure('Function', null, 'it gave nothing', console);
    if (result instanceof RecordFailure)
      return failure('Function', result.step, result.message, console);
    const output = outputText(batch.schemas.output, result);
    return { kind: 'Function', output, failed: null, error: '', console };
  } catch (error) {
    if (!(error instanceof SandboxUnavailable)) throw error;
    return failure('Function', null, 'no sandbox is available now: ask again');
  }
};

/**
 * Transforms an event again. A mapping gives what it gave; a function runs in an instance of its own, and what depends on
 * more than the event, such as the time, may differ.
 *
 * @returns `null`: the pipeline has no transformation.
 * @throws the reason of the signal.
 */
export const recompute = async (
  pipeline: CompiledPipeline,
  event: RecordValue,
  functions: Pick<FunctionRunner, 'run'>,
  signal: AbortSignal,
): Promise<Recomputed | null> =>
  pipeline.function === null
    ? mapped(pipeline, event)
    : ran(pipeline, pipeline.function, event, functions, signal);
