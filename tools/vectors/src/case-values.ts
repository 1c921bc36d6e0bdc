import {
  canonicalDateTime,
  canonicalDecimal,
  canonicalTime,
  type Json,
  JsonText,
  newRecord,
  type ObjectType,
  parseJson,
  type RecordValue,
  type Type,
  type Value,
} from '@penstock/schema';
import { asArray, asObject, asText, FormatError } from './members';

const canonical = (text: string | undefined): string => {
  if (text === undefined) throw new FormatError('a text of its kind is expected');
  return text;
};

/** Reads a float; values in memory have no negative zero. */
const float = (text: string, bitSize: 32 | 64): number =>
  (bitSize === 32 ? Math.fround(Number(text)) : Number(text)) + 0;

/** Reads a value in the encoding of the case files, which differs from that of the API. @throws FormatError */
export const readValue = (type: Type, json: Json): Value => {
  if (json === null || typeof json === 'boolean') return json;
  switch (type.kind) {
    case 'int':
      return type.bitSize === 64 ? BigInt(asText(json)) : Number(asText(json));
    case 'float':
      return float(asText(json), type.bitSize);
    case 'year':
      return Number(asText(json));
    case 'decimal':
      return canonical(canonicalDecimal(asText(json)));
    case 'datetime':
      return canonical(canonicalDateTime(asText(json)));
    case 'time':
      return canonical(canonicalTime(asText(json)));
    case 'json':
      return JsonText.of(parseJson(asText(json)));
    case 'array':
      return asArray(json).map((element) => readValue(type.elementType, element));
    case 'map':
      return new Map(
        [...asObject(json)].map(([key, value]) => [key, readValue(type.elementType, value)]),
      );
    case 'object':
      return readRecord(type, json);
    default:
      return asText(json);
  }
};

/** Reads a record; missing members stay missing. @throws FormatError */
export const readRecord = (type: ObjectType, json: Json | undefined): RecordValue => {
  const record = newRecord();
  const members = asObject(json);
  for (const property of type.properties) {
    const member = members.get(property.name);
    if (member !== undefined) record[property.name] = readValue(property.type, member);
  }
  return record;
};

/** A value in a form for deep comparison: json by content, with members in any order and numbers by their text. */
export const comparable = (value: Value | undefined): unknown => {
  if (value instanceof JsonText) return { json: value.value };
  if (Array.isArray(value)) return (value as readonly Value[]).map(comparable);
  if (value instanceof Map)
    return new Map(
      [...(value as ReadonlyMap<string, Value>)].map(([key, item]) => [key, comparable(item)]),
    );
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as RecordValue).map(([name, member]) => [name, comparable(member)]),
  );
};
