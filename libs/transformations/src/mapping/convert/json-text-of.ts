import {
  floatText,
  type JsonText,
  type ObjectType,
  type RecordValue,
  type Type,
  type Value,
} from '@penstock/schema';

/** Writes a value that is not null as JSON; undefined when JSON cannot represent it (NaN, infinities). */
export type JsonTextOf = (value: NonNullable<Value>) => string | undefined;

const quoted: JsonTextOf = (value) => JSON.stringify(value);
const unquoted: JsonTextOf = (value) => (value as boolean | number | bigint | string).toString();
const json: JsonTextOf = (value) => (value as JsonText).text;

const float =
  (bitSize: 32 | 64): JsonTextOf =>
  (value) =>
    Number.isFinite(value) ? floatText(value as number, bitSize) : undefined;

const array =
  (element: JsonTextOf): JsonTextOf =>
  (value) => {
    const texts: string[] = [];
    for (const item of value as readonly Value[]) {
      const text = item === null ? 'null' : element(item);
      if (text === undefined) return undefined;
      texts.push(text);
    }
    return `[${texts.join(',')}]`;
  };

const map =
  (element: JsonTextOf): JsonTextOf =>
  (value) => {
    const texts: string[] = [];
    for (const [key, item] of value as ReadonlyMap<string, Value>) {
      const text = item === null ? 'null' : element(item);
      if (text === undefined) return undefined;
      texts.push(`${JSON.stringify(key)}:${text}`);
    }
    return `{${texts.join(',')}}`;
  };

const object = ({ properties }: ObjectType): JsonTextOf => {
  const members = properties.map(({ name, type }) => ({ name, textOf: jsonTextOf(type) }));
  return (value) => {
    const texts: string[] = [];
    for (const { name, textOf } of members) {
      const member = (value as RecordValue)[name];
      if (member === undefined) continue;
      const text = member === null ? 'null' : textOf(member);
      if (text === undefined) return undefined;
      texts.push(`"${name}":${text}`);
    }
    return `{${texts.join(',')}}`;
  };
};

/** Returns the JSON writer of a type: numbers without loss, kinds that only have a text in quotes. */
export const jsonTextOf = (type: Type): JsonTextOf => {
  switch (type.kind) {
    case 'json':
      return json;
    case 'float':
      return float(type.bitSize);
    case 'boolean':
    case 'int':
    case 'decimal':
    case 'year':
      return unquoted;
    case 'array':
      return array(jsonTextOf(type.elementType));
    case 'map':
      return map(jsonTextOf(type.elementType));
    case 'object':
      return object(type);
    default:
      return quoted;
  }
};
