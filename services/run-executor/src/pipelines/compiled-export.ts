import type { ExportPipelineState, ProfileSchema } from '@penstock/contracts';
import { type Filter, parseFilter } from '@penstock/filters';
import { parseJson, parseSchema, type Schema } from '@penstock/schema';
import type { FunctionRunner } from '@penstock/transformations';
import type { Steps } from '../engine/steps';
import { WholeRunError } from '../engine/whole-run-error';
import { checkAlignment, compiling } from './compiling';
import { transformOf } from './transform';
import { valueSteps } from './value-steps';

/** What a version of an export reads of profiles. */
export interface CompiledInput {
  readonly inSchema: Schema;
  /** By the inSchema, for the warehouse; `null`: all profiles match. */
  readonly filter: Filter | null;
}

/** What becomes of the profiles of an export to a database. */
export interface CompiledOutput {
  readonly outSchema: Schema;
  readonly steps: Steps;
}

/** A row must have its key, whether it is there already or not. */
const PURPOSE = 'Create';

/**
 * Compiles what an export reads against the present schema of profiles.
 *
 * @throws WholeRunError when it does not fit, or cannot be compiled.
 */
export const compileInput = (
  { exports, filter: text }: ExportPipelineState,
  profiles: ProfileSchema,
): CompiledInput => {
  const inSchema = compiling('InputValidation', () => parseSchema(parseJson(exports.inSchema)));
  checkAlignment('InputValidation', inSchema, profiles.schema);
  const filter =
    text === null
      ? null
      : compiling('Filter', () => parseFilter(parseJson(text), inSchema, 'DestinationUser'));
  return { inSchema, filter };
};

/** Compiles what becomes of the profiles. @throws WholeRunError when it cannot be compiled. */
export const compileOutput = (
  state: ExportPipelineState,
  input: Schema,
  functions: Pick<FunctionRunner, 'run'>,
): CompiledOutput => {
  const { outSchema: text, transformation } = state;
  if (text === null || transformation === null)
    throw new WholeRunError('Transformation', 'InvalidPipeline', 'there is no transformation');
  const output = compiling('OutputValidation', () => parseSchema(parseJson(text)));
  const transform = transformOf(
    { state, transformation, input, output, purpose: PURPOSE },
    functions,
  );
  return { outSchema: output, steps: valueSteps({ input, transform }) };
};
