import {
  canonicalDateTime,
  decodeValue,
  Invalid,
  type Issue,
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  newRecord,
  pathWithoutKeys,
  type Schema,
  type Type,
  type Value,
} from '@penstock/schema';
import type { ApplicationUser } from '../connector/user-source';

/** What an application has of a user, by the wanted schema. */
export type UserValues = Pick<ApplicationUser, 'values' | 'fault'>;

/**
 * The wanted properties of a user, from the JSON that the application has for each. A text of an application that
 * says nothing, `""`, is null; numbers in texts are numbers. A null of what is not nullable counts as missing.
 *
 * @param of the JSON of a property; undefined: it is not there.
 */
export const userValues = (
  { properties }: Schema,
  of: (name: string) => Json | undefined,
): UserValues => {
  const values = newRecord();
  const faults: string[] = [];
  for (const { name, type, nullable } of properties) {
    const json = of(name);
    const value = json === undefined ? undefined : valueIn(type, json);
    if (value instanceof Invalid) faults.push(...value.issues.map(issueOf(name, type)));
    else if (value !== undefined && (value !== null || nullable)) values[name] = value;
  }
  return { values, ...(faults.length > 0 && { fault: faults.join('; ') }) };
};

const issueOf =
  (name: string, type: Type) =>
  ({ path, message }: Issue): string =>
    `/${name}${pathWithoutKeys(type, path)}: ${message}`;

const valueIn = (type: Type, json: Json): Value | Invalid => {
  if (type.kind !== 'json' && (json === null || json === '')) return null;
  try {
    return decodeValue(type, fitted(type, json));
  } catch (error) {
    if (error instanceof Invalid) return error;
    throw error;
  }
};

/** The JSON in the form that the type takes, where applications have other ones. */
const fitted = (type: Type, json: Json): Json => {
  switch (type.kind) {
    case 'string':
      return json instanceof JsonNumber ? json.text : json;
    case 'int':
    case 'float':
      return asNumber(json);
    case 'datetime':
      return typeof json === 'string' ? (canonicalDateTime(json) ?? json) : json;
    case 'date':
      return asDate(json);
    case 'object':
      return isJsonObject(json) ? fittedMembers(type, json) : json;
    case 'array':
      return isJsonArray(json) ? json.map((each) => fitted(type.elementType, each)) : json;
    default:
      return json;
  }
};

/** The members that the type knows; `""` counts as null. */
const fittedMembers = (
  { properties }: Schema,
  json: ReadonlyMap<string, Json>,
): ReadonlyMap<string, Json> =>
  new Map(
    properties.flatMap(({ name, type }): [string, Json][] => {
      const member = json.get(name);
      if (member === undefined) return [];
      return [[name, member === '' ? null : fitted(type, member)]];
    }),
  );

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

const asNumber = (json: Json): Json =>
  typeof json === 'string' && NUMBER.test(json) ? new JsonNumber(json) : json;

const ISO_DAY = /^(\d{4}-\d\d-\d\d)(T|$)/;
const AMERICAN_DAY = /^(\d\d)\/(\d\d)\/(\d{4})$/;

const asDate = (json: Json): Json => {
  if (typeof json !== 'string') return json;
  const [, iso] = ISO_DAY.exec(json) ?? [];
  if (iso !== undefined) return iso;
  const [, month, day, year] = AMERICAN_DAY.exec(json) ?? [];
  return month === undefined ? json : `${year ?? ''}-${month}-${day ?? ''}`;
};
