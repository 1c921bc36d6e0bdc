import type { ImportPipelineState, ProfileSchema, RunStep } from '@penstock/contracts';
import { compileFilter, parseFilter } from '@penstock/filters';
import {
  align,
  checkValue,
  Invalid,
  newRecord,
  parseJson,
  parseSchema,
  type RecordValue,
  type Schema,
  type Type,
  type Value,
} from '@penstock/schema';
import {
  type CompiledMapping,
  compileMapping,
  type FunctionBatch,
  FunctionRefused,
  type FunctionRunner,
  OutputValidationError,
  RecordFailure,
  SandboxUnavailable,
  TransformationError,
} from '@penstock/transformations';
import { Away } from '../engine/away';
import { ALL_STEPS, type StepsOfKind } from '../engine/tally';
import type { StepResult, Steps } from '../engine/steps';
import { WholeRunError } from '../engine/whole-run-error';

/** A version of a pipeline, ready to be run. */
export interface CompiledImport {
  readonly inSchema: Schema;
  readonly steps: Steps;
  readonly stepsOfKind: StepsOfKind;
  /** Compares what the source has with what the pipeline reads. @throws WholeRunError naming every difference. */
  readonly checkSource: (schema: Schema) => void;
}

/** Records of one call of a function, and those after which other work has its turn. */
const AT_ONCE = 100;
/** What profiles are written for: neither creating nor updating makes a property required. */
const PURPOSE = 'None';

const WITH_NUL = { code: 'InvalidValue', message: 'a text holds NUL' };

/** @throws WholeRunError for a definition that this version of the service cannot compile. */
const compiling = <T>(step: RunStep, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const message = error.issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
    throw new WholeRunError(step, 'InvalidPipeline', message, { cause: error });
  }
};

const checkAlignment = (step: RunStep, schema: Schema, against: Schema): void => {
  const differences = align(schema, against, null);
  if (differences.length === 0) return;
  const message = differences.map((each) => `${each.property}: ${each.message}`).join('; ');
  throw new WholeRunError(step, 'SchemaNotAligned', message);
};

const selectIn = (value: Value, type: Type): Value => {
  if (value === null) return null;
  if (type.kind === 'object') return selected(value as RecordValue, type);
  if (type.kind !== 'array') return value;
  return (value as readonly Value[]).map((each) => selectIn(each, type.elementType));
};

/** What the schema names of the record. */
const selected = (record: RecordValue, { properties }: Schema): RecordValue => {
  const result = newRecord();
  for (const { name, type } of properties) {
    const value = record[name];
    if (value !== undefined) result[name] = selectIn(value, type);
  }
  return result;
};

const hasNul = (value: Value | undefined): boolean => {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNul);
  if (value instanceof Map)
    return [...(value as ReadonlyMap<string, Value>)].some(
      ([key, each]) => key.includes('\0') || hasNul(each),
    );
  return Object.values(value as RecordValue).some(hasNul);
};

/** The text of an exception may hold anything: what kind it was and where it was thrown is kept of it. */
const EXCEPTION = /^((?:JavaScript|Python): \w+): .*?((?: \(line \d+(?:, column \d+)?\))?)$/s;
const withoutText = (message: string): string => message.replace(EXCEPTION, '$1$2');

const ofFailure = ({ step, message }: RecordFailure): StepResult => ({
  step,
  fault: {
    code: step === 'Transformation' ? 'FunctionFailed' : 'InvalidValue',
    message: withoutText(message),
  },
});

const mapped = (mapping: CompiledMapping, record: RecordValue): StepResult => {
  try {
    return { values: mapping.apply(record, PURPOSE) };
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

type Transform = (
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

const transformOf = (
  state: ImportPipelineState,
  [input, output]: readonly [Schema, Schema],
  functions: Pick<FunctionRunner, 'run'>,
): Transform => {
  const { mapping, function: definition } = state.transformation;
  if (definition !== null)
    return runFunction(functions, {
      isolation: `${state.workspace}/${state.id}@${String(state.version)}`,
      definition,
      schemas: { input, output },
      purpose: PURPOSE,
    });
  const compiled = compiling('Transformation', () =>
    compileMapping(new Map(Object.entries(mapping)), input, output),
  );
  return (records) => Promise.resolve(records.map((record) => mapped(compiled, record)));
};

const invalidValue = (schema: Schema, record: RecordValue): StepResult | undefined => {
  const missing = schema.properties.find(
    ({ name, readOptional }) => !readOptional && record[name] === undefined,
  );
  const [issue] = missing
    ? [{ path: `/${missing.name}`, message: 'is missing' }]
    : (checkValue(schema, record) ?? []);
  if (issue === undefined) return undefined;
  const fault = { code: 'InvalidValue', message: `${issue.path}: ${issue.message}` };
  return { step: 'InputValidation', fault };
};

const stepsOf = (
  state: ImportPipelineState,
  schemas: readonly [Schema, Schema],
  functions: Pick<FunctionRunner, 'run'>,
): Steps => {
  const [input] = schemas;
  const { filter: text } = state;
  const filter =
    text === null
      ? null
      : compiling('Filter', () =>
          compileFilter(parseFilter(parseJson(text), input, 'SourceUser'), input),
        );
  const transform = transformOf(state, schemas, functions);
  const before = (record: RecordValue): StepResult | undefined =>
    invalidValue(input, record) ??
    (filter === null || filter.matches(record) ? undefined : { step: 'Filter', fault: null });
  const part = async (
    all: readonly RecordValue[],
    signal: AbortSignal,
  ): Promise<readonly StepResult[]> => {
    const records = all.map((record) => selected(record, input));
    const ended = records.map(before);
    const rest = records.filter((_, index) => ended[index] === undefined);
    const made = rest.length === 0 ? [] : await transform(rest, signal);
    let next = 0;
    return ended.map((result) => result ?? clean(made[next++]));
  };
  return {
    apply: async (records, signal) => {
      const results: StepResult[] = [];
      for (let from = 0; from < records.length; from += AT_ONCE) {
        signal.throwIfAborted();
        results.push(...(await part(records.slice(from, from + AT_ONCE), signal)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return results;
    },
  };
};

const INTERNAL: StepResult = {
  step: 'Transformation',
  fault: { code: 'InternalError', message: 'an internal error has occurred' },
};

const clean = (result: StepResult | undefined): StepResult => {
  if (result === undefined) return INTERNAL;
  if (!('values' in result) || !hasNul(result.values)) return result;
  return { step: 'OutputValidation', fault: WITH_NUL };
};

/**
 * Compiles a version of a pipeline against the present schema of profiles.
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
    steps: stepsOf(state, [inSchema, outSchema], functions),
    stepsOfKind: { ...ALL_STEPS, Filter: state.imports.source.kind !== 'database' },
    checkSource: (schema) => {
      checkAlignment('InputValidation', inSchema, schema);
    },
  };
};
