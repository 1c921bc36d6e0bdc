import { cutFraction, newRecord, type RecordValue, type Type, type Value } from '@penstock/schema';
import type { MergedColumn } from './merged-columns';

const cut = (type: Type, value: Value, digits: number): Value => {
  if (value === null) return null;
  switch (type.kind) {
    case 'datetime':
    case 'time':
      return cutFraction(value as string, digits);
    case 'array':
      return (value as readonly Value[]).map((each) => cut(type.elementType, each, digits));
    case 'map':
      return new Map(
        Array.from(value as ReadonlyMap<string, Value>, ([name, each]) => [
          name,
          cut(type.elementType, each, digits),
        ]),
      );
    default:
      return value;
  }
};

/** A row whose times are as fine as its columns keep them: digits below are cut off, which servers would round. */
export const withCutTimes = (columns: readonly MergedColumn[], row: RecordValue): RecordValue => {
  let values: ReturnType<typeof newRecord> | undefined;
  for (const { property, type, fractionDigits } of columns) {
    const value = row[property];
    if (fractionDigits === undefined || value === undefined) continue;
    values ??= Object.assign(newRecord(), row);
    values[property] = cut(type, value, fractionDigits);
  }
  return values ?? row;
};
