import { randomUUID } from 'node:crypto';
import { EVENT_SCHEMA, Refusal, type Transformation } from '@penstock/contracts';
import type { RecordValue, Schema } from '@penstock/schema';
import {
  compileMapping,
  type FunctionRunner,
  OutputValidationError,
  RecordFailure,
  TransformationError,
} from '@penstock/transformations';
import { refusalOf } from '../pipelines/compile-function';

const failed = (text: string): Refusal =>
  new Refusal('TransformationFailed', { message: `transformation failed: ${text}` });

const mapped = (
  mapping: Readonly<Record<string, string>>,
  output: Schema,
  event: RecordValue,
): RecordValue => {
  const compiled = compileMapping(new Map(Object.entries(mapping)), EVENT_SCHEMA, output);
  try {
    return compiled.apply(event, 'Create');
  } catch (error) {
    if (error instanceof TransformationError || error instanceof OutputValidationError)
      throw failed(error.message);
    throw error;
  }
};

/** A transformation that was checked, and the one event for it. */
export interface Trial {
  readonly transformation: Transformation;
  readonly output: Schema;
  readonly event: RecordValue;
  /** Whose it is: workspaces share the sandbox fairly. */
  readonly workspace: string;
  /** Fires when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/**
 * What a transformation makes of one event; no other event ever meets it.
 *
 * @throws Refusal TransformationFailed with the text of what failed, also for a function that does not compile;
 *   ServiceUnavailable when there is no sandbox. Or the signal's reason.
 */
export const transformOnce = async (
  functions: FunctionRunner,
  { transformation, output, event, workspace, signal }: Trial,
): Promise<RecordValue> => {
  const { mapping, function: definition } = transformation;
  if (mapping !== null) return mapped(mapping, output, event);
  const batch = {
    isolation: `${workspace}/preview ${randomUUID()}`,
    definition,
    schemas: { input: EVENT_SCHEMA, output },
    purpose: 'Create',
    once: true,
  } as const;
  const { records } = await functions.run(batch, [event], { signal }).catch((error: unknown) => {
    throw refusalOf(error);
  });
  const [result] = records;
  if (result === undefined) throw new TypeError('a function gave nothing for an event');
  if (result instanceof RecordFailure) throw failed(result.message);
  return result;
};
