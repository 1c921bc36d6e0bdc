import {
  canonicalDateTime,
  canonicalDecimal,
  canonicalTime,
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  JsonText,
  newRecord,
  type ObjectType,
  parseJson,
  type RecordValue,
  type Type,
  type Value,
} from '@penstock/schema';

export const asObject = (json: Json | undefined): JsonObject => {
  if (!isJsonObject(json)) throw new TypeError('not an object');
  return json;
};

export const asArray = (json: Json | undefined): readonly Json[] => {
  if (!isJsonArray(json)) throw new TypeError('not an array');
  return json;
};

export const asText = (json: Json | undefined): string => {
  if (json instanceof JsonNumber) return json.text;
  if (typeof json !== 'string') throw new TypeError('neither text nor number');
  return json;
};

const canonical = (text: string | undefined): string => {
  if (text === undefined) throw new TypeError('not a canonical text');
  return text;
};

/** The worked cases' own writing of values, which is not that of the API. */
export const readValue = (type: Type, json: Json): Value => {
  if (json === null || typeof json === 'boolean') return json;
  switch (type.kind) {
    case 'int':
      return type.bitSize === 64 ? BigInt(asText(json)) : Number(asText(json));
    case 'float':
      return type.bitSize === 32 ? Math.fround(Number(asText(json))) : Number(asText(json));
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

/** A member that is missing stays so. */
export const readRecord = (type: ObjectType, json: Json | undefined): RecordValue => {
  const record = newRecord();
  const members = asObject(json);
  for (const property of type.properties) {
    const member = members.get(property.name);
    if (member !== undefined) record[property.name] = readValue(property.type, member);
  }
  return record;
};

/** A value as a matcher can compare it: json by content, with the text of its numbers. */
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
