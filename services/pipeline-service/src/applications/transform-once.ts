import { randomUUID } from 'node:crypto';
import {
  EVENT_SCHEMA,
  Refusal,
  type Transformation,
  type TransformationFunction,
} from '@penstock/contracts';
import {
  isJsonObject,
  type JsonObject,
  parseJson,
  type RecordValue,
  type Schema,
} from '@penstock/schema';
import {
  compileMapping,
  type FunctionRunner,
  mappedValues,
  OutputValidationError,
  RecordFailure,
  TransformationError,
} from '@penstock/transformations';
import { refusalOf } from '../pipelines/compile-function';
import { eventValues } from './event-values';
import { trialDetail, type TrialFailure } from './trial-failure';

/** The output of a transformation for an event. */
export interface Transformed {
  readonly values: RecordValue;
  readonly console: string;
}

const failed = (failure: TrialFailure): Refusal =>
  new Refusal('TransformationFailed', {
    message: `transformation failed: ${failure.message}`,
    details: [trialDetail(failure)],
  });

const mapped = (
  expressions: Readonly<Record<string, string>>,
  { output, event }: Trial,
): RecordValue => {
  const mapping = new Map(Object.entries(expressions));
  const compiled = compileMapping(mapping, EVENT_SCHEMA, output);
  try {
    return compiled.apply(event, 'Create');
  } catch (error) {
    const failure = { at: ['transformation', 'mapping'], console: '' };
    if (error instanceof TransformationError) {
      const values = eventValues(event, compiled.inPaths);
      throw failed({ ...failure, step: 'Transformation', message: error.message, values });
    }
    if (error instanceof OutputValidationError) {
      const values = mappedValues(mapping, EVENT_SCHEMA, event);
      throw failed({ ...failure, step: 'OutputValidation', message: error.message, values });
    }
    throw error;
  }
};

const objectIn = (text: string | undefined): JsonObject | undefined => {
  const json = text === undefined ? undefined : parseJson(text);
  return isJsonObject(json) ? json : undefined;
};

const ran = async (
  functions: FunctionRunner,
  definition: TransformationFunction,
  { output, event, workspace, signal }: Trial,
): Promise<Transformed> => {
  const batch = {
    isolation: `${workspace}/preview ${randomUUID()}`,
    definition,
    schemas: { input: EVENT_SCHEMA, output },
    purpose: 'Create',
    once: true,
  } as const;
  const { records, console } = await functions
    .run(batch, [event], { signal })
    .catch((error: unknown) => {
      throw refusalOf(error);
    });
  const [result] = records;
  if (result === undefined) throw new TypeError('a function gave nothing for an event');
  if (!(result instanceof RecordFailure)) return { values: result, console };
  const { step, message, given } = result;
  const isGiven = step === 'OutputValidation';
  const values = isGiven ? objectIn(given) : eventValues(event, definition.inPaths);
  throw failed({ at: ['transformation', 'function'], step, message, values, console });
};

/** A checked transformation and an event for it. */
export interface Trial {
  readonly transformation: Transformation;
  readonly output: Schema;
  readonly event: RecordValue;
  /** Workspaces share the sandbox fairly. */
  readonly workspace: string;
  /** Fires when the client no longer waits for the result. */
  readonly signal: AbortSignal;
}

/**
 * Transforms one event. A function runs in an instance of its own, which processes no other event.
 *
 * @throws Refusal TransformationFailed with the failure and the input of the failed step, also for a function that does
 *   not compile; ServiceUnavailable when there is no sandbox; or the signal's reason.
 */
export const transformOnce = async (
  functions: FunctionRunner,
  trial: Trial,
): Promise<Transformed> => {
  const { mapping, function: definition } = trial.transformation;
  if (mapping !== null) return { values: mapped(mapping, trial), console: '' };
  return ran(functions, definition, trial);
};
