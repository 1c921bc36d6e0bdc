import type { RunPipelineState, Transformation } from '@penstock/contracts';
import type { RecordValue, Schema } from '@penstock/schema';
import {
  type CompiledMapping,
  compileMapping,
  type FunctionBatch,
  FunctionRefused,
  type FunctionRunner,
  OutputValidationError,
  type Purpose,
  RecordFailure,
  SandboxUnavailable,
  TransformationError,
} from '@penstock/transformations';
import { Away } from '../engine/away';
import type { StepResult } from '../engine/steps';
import { WholeRunError } from '../engine/whole-run-error';
import { compiling } from './compiling';

const ofFailure = ({ step, message, withoutValue }: RecordFailure): StepResult => {
  if (step === 'OutputValidation')
    return { step, fault: { code: 'InvalidValue', message: withoutValue } };
  const fault = { code: 'FunctionFailed', message: withoutValue } as const;
  return { step, fault: message === withoutValue ? fault : { ...fault, thrown: message } };
};

const mapped = (mapping: CompiledMapping, record: RecordValue, purpose: Purpose): StepResult => {
  try {
    return { values: mapping.apply(record, purpose) };
  } catch (error) {
    if (error instanceof OutputValidationError)
      return {
        step: 'OutputValidation',
        fault: { code: 'InvalidValue', message: error.withoutValue },
      };
    if (error instanceof TransformationError)
      return {
        step: 'Transformation',
        fault: { code: 'MappingFailed', message: error.withoutValue },
      };
    throw error;
  }
};

/** Transforms records, in their order. @throws Away, WholeRunError, the signal's reason */
export type Transform = (
  records: readonly RecordValue[],
  signal: AbortSignal,
) => Promise<readonly StepResult[]>;

const runFunction =
  (functions: Pick<FunctionRunner, 'run'>, batch: FunctionBatch): Transform =>
  async (records, signal) => {
    try {
      const result = await functions.run(batch, records, { signal });
      return result.records.map((each) =>
        each instanceof RecordFailure ? ofFailure(each) : { values: each },
      );
    } catch (error) {
      if (error instanceof SandboxUnavailable)
        throw new Away('functions cannot be run at the moment', undefined, { cause: error });
      if (error instanceof FunctionRefused)
        throw new WholeRunError(
          'Transformation',
          'TransformationFailed',
          'the function cannot be loaded',
          {
            cause: error,
          },
        );
      throw error;
    }
  };

/** What a transformation is compiled with. */
interface Transformed {
  /** Whose function is isolated from others. */
  readonly state: Pick<RunPipelineState, 'workspace' | 'id' | 'version'>;
  readonly transformation: Transformation;
  readonly input: Schema;
  readonly output: Schema;
  readonly purpose: Purpose;
}

/** Compiles the transformation of a version of a pipeline. @throws WholeRunError */
export const transformOf = (
  { state, transformation, input, output, purpose }: Transformed,
  functions: Pick<FunctionRunner, 'run'>,
): Transform => {
  const { mapping, function: definition } = transformation;
  if (definition !== null)
    return runFunction(functions, {
      isolation: `${state.workspace}/${state.id}@${String(state.version)}`,
      definition,
      schemas: { input, output },
      purpose,
    });
  const compiled = compiling('Transformation', () =>
    compileMapping(new Map(Object.entries(mapping)), input, output),
  );
  return (records) => Promise.resolve(records.map((record) => mapped(compiled, record, purpose)));
};
