import { isJsonObject, type Json, newRecord, type RecordValue, type Value } from '@penstock/schema';
import { type Column, type Convert, type Converted, refused } from './cell';

/** Conversion of one property of the destination, from the property of the same name. */
interface Member<T> {
  readonly name: string;
  readonly nullable: boolean;
  readonly convert: (value: T) => Converted;
}

/** Converts property by property; absent ones stay absent, null is kept only where it is allowed. */
const record = <T>(
  members: readonly Member<T>[],
  get: (name: string) => T | undefined,
): RecordValue | undefined => {
  const made = newRecord();
  for (const { name, nullable, convert } of members) {
    const given = get(name);
    if (given === undefined) continue;
    const value = convert(given);
    if (value === undefined || (value === null && !nullable)) return undefined;
    made[name] = value;
  }
  return made;
};

const orNull =
  (convert: Convert) =>
  (value: Value): Converted =>
    value === null ? null : convert(value);

export const TO_OBJECT: Column<'object'> = {
  string: refused,
  boolean: refused,
  int: refused,
  float: refused,
  decimal: refused,
  datetime: refused,
  date: refused,
  time: refused,
  year: refused,
  uuid: refused,
  json: (_from, { properties }, { jsonConverter }) => {
    const members = properties.map(({ name, nullable, type }) => ({
      name,
      nullable,
      convert: jsonConverter(type),
    }));
    return (json: Json) =>
      isJsonObject(json) ? record(members, (name) => json.get(name)) : undefined;
  },
  ip: refused,
  array: refused,
  object: (from, to, { converter }) => {
    const sources = new Map(from.properties.map(({ name, type }) => [name, type]));
    const members: Member<Value>[] = [];
    for (const { name, nullable, type } of to.properties) {
      const source = sources.get(name);
      if (!source) continue;
      const convert = converter(source, type);
      if (!convert) return undefined;
      members.push({ name, nullable, convert: orNull(convert) });
    }
    return members.length > 0 ? (value) => record(members, (name) => value[name]) : undefined;
  },
  map: (from, { properties }, { converter }) => {
    const members: Member<Value>[] = [];
    for (const { name, nullable, type } of properties) {
      const convert = converter(from.elementType, type);
      if (!convert) return undefined;
      members.push({ name, nullable, convert: orNull(convert) });
    }
    return (value) => record(members, (name) => value.get(name));
  },
};
