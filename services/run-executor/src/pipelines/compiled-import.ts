import type { ImportPipelineState, ProfileSchema } from '@penstock/contracts';
import { compileFilter, parseFilter } from '@penstock/filters';
import { parseJson, parseSchema, type Property, type Schema } from '@penstock/schema';
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
  /**
   * Compares what the source has with what the pipeline reads.
   *
   * @returns a warning for each column that it has not, where null is read instead.
   * @throws WholeRunError naming every difference.
   */
  readonly checkSource: (schema: Schema) => readonly string[];
}

/** What profiles are written for: neither creating nor updating makes a property required. */
const PURPOSE = 'None';

const withNullable = ({ kind, properties }: Schema, names: ReadonlySet<string>): Schema => ({
  kind,
  properties: properties.map((property) =>
    names.has(property.name) ? { ...property, nullable: true } : property,
  ),
});

const stepsOf = (
  state: ImportPipelineState,
  { inSchema, output }: { readonly inSchema: Schema; readonly output: Schema },
  optional: ReadonlySet<string>,
  functions: Pick<FunctionRunner, 'run'>,
): Steps => {
  const { filter: text, transformation } = state;
  const input = withNullable(inSchema, optional);
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
  const nulls = input.properties
    .filter(({ name, readOptional }) => optional.has(name) && !readOptional)
    .map(({ name }) => name);
  return valueSteps({ input, matches, transform, nulls: new Set(nulls) });
};

/** Properties that may be missing at the source, and are null then: all but the columns of the id and the update time. */
const mayBeMissing = ({ imports: { source } }: ImportPipelineState, { properties }: Schema) => {
  if (source.kind === 'application' || source.columns.missing !== 'null') return new Set<string>();
  const { userID, updatedAt } = source.columns;
  const names = properties.map(({ name }) => name);
  return new Set(names.filter((name) => name !== userID && name !== updatedAt));
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
  const optional = mayBeMissing(state, inSchema);
  return {
    inSchema,
    steps: stepsOf(state, { inSchema, output: outSchema }, optional, functions),
    stepsOfKind: { ...ALL_STEPS, Filter: state.imports.source.kind !== 'database' },
    checkSource: (schema) => {
      const names = new Set(schema.properties.map(({ name }) => name));
      const isMissing = ({ name }: Property) => optional.has(name) && !names.has(name);
      const properties = inSchema.properties.filter((property) => !isMissing(property));
      checkAlignment('InputValidation', { kind: 'object', properties }, schema);
      return inSchema.properties
        .filter(isMissing)
        .map(({ name }) => `column ${JSON.stringify(name)} is missing: null is read instead`);
    },
  };
};
