import {
  isJsonArray,
  isJsonObject,
  isPropertyName,
  type Json,
  type JsonObject,
  newRecord,
  type ObjectType,
  type Type,
  type Value,
} from '@penstock/schema';
import { keyStep } from '../../mapping/key-step';
import { readJson, readJsonText } from './json-output';
import { OutputMismatch, within } from './output-mismatch';
import {
  readBoolean,
  readDate,
  readDateTime,
  readDecimal,
  readFloat,
  readInteger,
  readIp,
  type ReadScalar,
  readSmallInteger,
  readString,
  readTime,
  readUuid,
} from './scalar-output';
import { MARK, TAGS } from './tagged';
import type { FunctionLanguage } from './transformation-function';

/**
 * Reads the guest's value for a type. Ranges, lengths and other constraints are checked afterwards.
 *
 * @throws OutputMismatch for the first value of another kind.
 */
export type ReadOutput = (json: Json) => NonNullable<Value>;

interface Origin {
  readonly language: FunctionLanguage;
  readonly preserveJSON: boolean;
}

const scalarReader = (type: Type, { language }: Origin): ReadScalar => {
  switch (type.kind) {
    case 'boolean':
      return readBoolean;
    case 'int':
      return readInteger(type, language);
    case 'year':
      return readSmallInteger;
    case 'float':
      return readFloat(type);
    case 'decimal':
      return readDecimal(type);
    case 'datetime':
      return readDateTime;
    case 'date':
      return readDate;
    case 'time':
      return readTime;
    case 'uuid':
      return readUuid;
    case 'ip':
      return readIp;
    default:
      return readString;
  }
};

const article = (kind: string): string => (/^[aeiou]/.test(kind) ? 'an' : 'a');

const mismatch = (kind: string): OutputMismatch =>
  new OutputMismatch('', `is not a value of ${article(kind)} ${kind} property`);

/** A name that no property can have is shown as a key: the function may have made it from a value of the record. */
const unknownProperty = (name: string): OutputMismatch =>
  new OutputMismatch(
    isPropertyName(name) ? `.${name}` : keyStep(name),
    'is not one of the output properties',
  );

const objectReader = (type: ObjectType, origin: Origin): ReadOutput => {
  const readers = new Map(
    type.properties.map((property) => [
      property.name,
      {
        nullable: property.nullable,
        kind: property.type.kind,
        read: readOutput(property.type, origin),
      },
    ]),
  );
  const kept = origin.preserveJSON ? undefined : 'json';
  return (json) => {
    if (!isJsonObject(json)) throw mismatch('object');
    const record = newRecord();
    for (const [name, value] of json) {
      const reader = readers.get(name);
      if (!reader) throw unknownProperty(name);
      if (value !== null || reader.kind === kept)
        record[name] = within(`.${name}`, () => reader.read(value));
      else if (reader.nullable) record[name] = null;
    }
    return record;
  };
};

const arrayReader = (elementType: Type, origin: Origin): ReadOutput => {
  const read = readOutput(elementType, origin);
  return (json) => {
    if (!isJsonArray(json) || isMap(json)) throw mismatch('array');
    return json.map((element, index) => within(`[${index}]`, () => read(element)));
  };
};

const isMap = (json: readonly Json[]): boolean => json[0] === MARK + TAGS.map;

const membersOf = (json: Json): JsonObject | undefined => {
  if (isJsonObject(json)) return json;
  const members = isJsonArray(json) && isMap(json) ? json[1] : undefined;
  return isJsonObject(members) ? members : undefined;
};

const mapReader = (elementType: Type, origin: Origin): ReadOutput => {
  const read = readOutput(elementType, origin);
  return (json) => {
    const members = membersOf(json);
    if (!members) throw mismatch('map');
    const entries = [...members].map(
      ([key, value]) => [key, within(keyStep(key), () => read(value))] as const,
    );
    return new Map(entries);
  };
};

export const readOutput = (type: Type, origin: Origin): ReadOutput => {
  switch (type.kind) {
    case 'object':
      return objectReader(type, origin);
    case 'array':
      return arrayReader(type.elementType, origin);
    case 'map':
      return mapReader(type.elementType, origin);
    case 'json':
      return origin.preserveJSON ? readJsonText : readJson;
    default: {
      const read = scalarReader(type, origin);
      return (json) => {
        const value = read(json);
        if (value === undefined) throw mismatch(type.kind);
        return value;
      };
    }
  }
};
