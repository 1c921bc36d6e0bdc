import {
  checkValue,
  newRecord,
  pathWithoutKeys,
  type RecordValue,
  type Schema,
  type Type,
  type Value,
} from '@penstock/schema';
import type { RecordFault } from '../engine/record-source';
import type { StepResult, Steps } from '../engine/steps';
import type { Transform } from './transform';

/** Records of one call of a function, and those after which other work has its turn. */
const AT_ONCE = 100;

const WITH_NUL: RecordFault = { code: 'InvalidValue', message: 'a text holds NUL' };

const NONE: ReadonlySet<string> = new Set();

const selectIn = (value: Value, type: Type): Value => {
  if (value === null) return null;
  if (type.kind === 'object') return selected(value as RecordValue, type);
  if (type.kind !== 'array') return value;
  return (value as readonly Value[]).map((each) => selectIn(each, type.elementType));
};

/** What the schema names of the record. @param nulls properties that are null when the record does not have them */
const selected = (
  record: RecordValue,
  { properties }: Schema,
  nulls: ReadonlySet<string> = NONE,
): RecordValue => {
  const result = newRecord();
  for (const { name, type } of properties) {
    const value = record[name];
    if (value !== undefined) result[name] = selectIn(value, type);
    else if (nulls.has(name)) result[name] = null;
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

const invalidValue = (schema: Schema, record: RecordValue): StepResult | undefined => {
  const missing = schema.properties.find(
    ({ name, readOptional }) => !readOptional && record[name] === undefined,
  );
  const [issue] = missing
    ? [{ path: `/${missing.name}`, message: 'is missing' }]
    : (checkValue(schema, record) ?? []);
  if (issue === undefined) return undefined;
  const path = pathWithoutKeys(schema, issue.path);
  const fault: RecordFault = { code: 'InvalidValue', message: `${path}: ${issue.message}` };
  return { step: 'InputValidation', fault };
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

/** What becomes of the values of records. */
interface ValueStepsOptions {
  readonly input: Schema;
  /** Absent: no record is left out here. */
  readonly matches?: ((record: RecordValue) => boolean) | undefined;
  readonly transform: Transform;
  /** Nullable properties that are null in a record without them. Default: none. */
  readonly nulls?: ReadonlySet<string>;
}

/** Validates, filters and transforms records. */
export const valueSteps = ({
  input,
  matches,
  transform,
  nulls = NONE,
}: ValueStepsOptions): Steps => {
  const before = (record: RecordValue): StepResult | undefined =>
    invalidValue(input, record) ??
    (matches === undefined || matches(record) ? undefined : { step: 'Filter', fault: null });
  const part = async (
    all: readonly RecordValue[],
    signal: AbortSignal,
  ): Promise<readonly StepResult[]> => {
    const records = all.map((record) => selected(record, input, nulls));
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
