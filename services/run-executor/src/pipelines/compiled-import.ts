import type { ImportPipelineState, ProfileSchema } from '@penstock/contracts';
import { compileFilter, parseFilter } from '@penstock/filters';
import { parseJson, parseSchema, type Schema } from '@penstock/schema';
import type { FunctionRunner } from '@penstock/transformations';
import type { Steps } from '../engine/steps';
import { ALL_STEPS, type StepsOfKind } from '../engine/tally';
import { checkAlignment, compiling } from './compiling';
import { transformOf } from './transform';
import { valueSteps } from './value-steps';

/** A version of an import, ready to be run. */
export interface CompiledImport {
  readonly inSchema: Schema;
  readonly steps: Steps;
  readonly stepsOfKind: StepsOfKind;
  /** Compares what the source has with what the pipeline reads. @throws WholeRunError naming every difference. */
  readonly checkSource: (schema: Schema) => void;
}

/** What profiles are written for: neither creating nor updating makes a property required. */
const PURPOSE = 'None';

const stepsOf = (
  state: ImportPipelineState,
  input: Schema,
  output: Schema,
  functions: Pick<FunctionRunner, 'run'>,
): Steps => {
  const { filter: text, transformation } = state;
  const filter =
    text === null
      ? undefined
      : compiling('Filter', () =>
          compileFilter(parseFilter(parseJson(text), input, 'SourceUser'), input),
        );
  const matches = filter && filter.matches.bind(filter);
  const transform = transformOf(
    { state, transformation, input, output, purpose: PURPOSE },
    functions,
  );
  return valueSteps({ input, matches, transform });
};

/**
 * Compiles a version of an import against the present schema of profiles.
 *
 * @throws WholeRunError when it does not fit, or cannot be compiled.
 */
export const compileImport = (
  state: ImportPipelineState,
  profiles: ProfileSchema,
  functions: Pick<FunctionRunner, 'run'>,
): CompiledImport => {
  const inSchema = compiling('InputValidation', () =>
    parseSchema(parseJson(state.imports.inSchema)),
  );
  const outSchema = compiling('OutputValidation', () => parseSchema(parseJson(state.outSchema)));
  checkAlignment('OutputValidation', outSchema, profiles.schema);
  return {
    inSchema,
    steps: stepsOf(state, inSchema, outSchema, functions),
    stepsOfKind: { ...ALL_STEPS, Filter: state.imports.source.kind !== 'database' },
    checkSource: (schema) => {
      checkAlignment('InputValidation', inSchema, schema);
    },
  };
};
