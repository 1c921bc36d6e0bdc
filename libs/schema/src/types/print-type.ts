import { type Json, JsonNumber, type JsonObject } from '../json';
import { floatText } from '../texts/float';
import type { FloatType, IntType, Property, StringType, Type } from '../type';
import { writeJson } from '../write-json';
import { MAX_ELEMENTS } from './container-types';
import { intRange } from './scalar-types';

/** A key and its value; undefined where it equals its default and is left out. */
type Entry = readonly [key: string, value: Json | undefined];

/** The canonical notation of a type: fixed order of keys, defaults left out, compact. */
export const printType = (type: Type): string => writeJson(typeToJson(type));

/** {@link printType} as JSON. */
export const typeToJson = (type: Type): JsonObject =>
  present([['kind', type.kind], ...keysOf(type)]);

const keysOf = (type: Type): readonly Entry[] => {
  switch (type.kind) {
    case 'string':
      return stringKeys(type);
    case 'int':
      return intKeys(type);
    case 'float':
      return floatKeys(type);
    case 'decimal':
      return [
        ['precision', number(type.precision)],
        ['scale', unless(type.scale, 0)],
        ['minimum', number(type.minimum)],
        ['maximum', number(type.maximum)],
      ];
    case 'array':
      return [
        ['elementType', typeToJson(type.elementType)],
        ['minElements', unless(type.minElements, 0)],
        ['maxElements', unless(type.maxElements, MAX_ELEMENTS)],
        ['uniqueElements', flag(type.uniqueElements)],
      ];
    case 'map':
      return [['elementType', typeToJson(type.elementType)]];
    case 'object':
      return [['properties', type.properties.map(propertyToJson)]];
    case 'boolean':
    case 'datetime':
    case 'date':
    case 'time':
    case 'year':
    case 'uuid':
    case 'json':
    case 'ip':
      return [];
  }
};

const stringKeys = ({ values, pattern, maxLength, maxByteLength }: StringType): Entry[] => [
  ['values', values],
  ['pattern', pattern],
  ['maxLength', number(maxLength)],
  ['maxByteLength', number(maxByteLength)],
];

const intKeys = ({ bitSize, unsigned, minimum, maximum }: IntType): Entry[] => {
  const [least, most] = intRange(bitSize, unsigned);
  return [
    ['bitSize', number(bitSize)],
    ['minimum', unless(minimum, least)],
    ['maximum', unless(maximum, most)],
    ['unsigned', flag(unsigned)],
  ];
};

const floatKeys = ({ bitSize, minimum, maximum, real }: FloatType): Entry[] => [
  ['bitSize', number(bitSize)],
  ['minimum', minimum === undefined ? undefined : new JsonNumber(floatText(minimum, bitSize))],
  ['maximum', maximum === undefined ? undefined : new JsonNumber(floatText(maximum, bitSize))],
  ['real', flag(real)],
];

const propertyToJson = (property: Property): JsonObject =>
  present([
    ['name', property.name],
    ['type', typeToJson(property.type)],
    ['prefilled', property.prefilled || undefined],
    ['createRequired', flag(property.createRequired)],
    ['updateRequired', flag(property.updateRequired)],
    ['readOptional', flag(property.readOptional)],
    ['nullable', flag(property.nullable)],
    ['description', property.description],
  ]);

const number = (value: number | bigint | string | undefined): JsonNumber | undefined =>
  value === undefined ? undefined : new JsonNumber(String(value));

const unless = <N extends number | bigint>(value: N, usual: N): JsonNumber | undefined =>
  value === usual ? undefined : number(value);

const flag = (value: boolean): true | undefined => (value ? true : undefined);

const present = (entries: readonly Entry[]): JsonObject =>
  new Map(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
