import { isJsonObject, type Json, type RecordValue } from '@penstock/schema';
import { isRecord, jsonOf } from './shapes';
import type { Target } from './target';

/** Finds a condition's value in a record: undefined when it is missing, null when it is null. Never throws. */
type LookUp = (record: RecordValue) => unknown;

const inObjects = (steps: readonly string[]): LookUp => {
  const [first = '', ...others] = steps;
  if (others.length === 0) return (record) => record[first];
  return (record) => {
    let value: unknown = record[first];
    for (const step of others) {
      if (!isRecord(value)) return undefined;
      value = value[step];
    }
    return value;
  };
};

const inJson = (json: Json | undefined, steps: readonly string[]): Json | undefined => {
  let value = json;
  for (const step of steps) {
    if (!isJsonObject(value)) return undefined;
    value = value.get(step);
  }
  return value;
};

/** By name through objects, by member name inside JSON; a step into anything else finds nothing. */
export const lookUp = ({ property, steps, inside }: Target): LookUp => {
  const find = inObjects(steps);
  return property.type.kind === 'json' ? (record) => inJson(jsonOf(find(record)), inside) : find;
};
