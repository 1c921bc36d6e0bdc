import type { ArrayType, MapType, ObjectType, Property, Type } from '../type';
import { writeJsonString } from '../write-json';
import { ArrayCodec } from './array-codec';
import { booleanCodec } from './boolean-codec';
import type { Codec } from './codec';
import { jsonCodec } from './json-codec';
import { MapCodec } from './map-codec';
import { decimal, float, largeInteger, smallInteger } from './number-scalars';
import { type Member, ObjectCodec } from './object-codec';
import { ScalarCodec } from './scalar-codec';
import { StringCodec } from './string-codec';
import { TEXT_SCALARS } from './text-scalars';

/** What reading demands beside the type. */
export interface DecodeOptions {
  /**
   * Members may be missing whether or not their property is `readOptional`, at every depth: for records whose
   * required members depend on a purpose that somebody else checks. Default false.
   */
  readonly partial?: boolean;
}

const WHOLE = new WeakMap<Type, Codec>();
const PARTIAL = new WeakMap<Type, Codec>();

/** The codec of a type, compiled at its first use. Types are immutable. */
export const codecOf = (type: Type, { partial = false }: DecodeOptions = {}): Codec => {
  const known = partial ? PARTIAL : WHOLE;
  const compiled = known.get(type);
  if (compiled) return compiled;
  const codec = compile(type, partial);
  known.set(type, codec);
  return codec;
};

const compile = (type: Type, partial: boolean): Codec => {
  switch (type.kind) {
    case 'string':
      return new StringCodec(type);
    case 'boolean':
      return booleanCodec;
    case 'int':
      return type.bitSize === 64
        ? new ScalarCodec(largeInteger(type))
        : new ScalarCodec(smallInteger(Number(type.minimum), Number(type.maximum)));
    case 'year':
      return new ScalarCodec(smallInteger(1, 9999));
    case 'float':
      return new ScalarCodec(float(type));
    case 'decimal':
      return new ScalarCodec(decimal(type));
    case 'json':
      return jsonCodec;
    case 'array':
    case 'map':
    case 'object':
      return compileContainer(type, partial);
    case 'datetime':
    case 'date':
    case 'time':
    case 'uuid':
    case 'ip':
      return new ScalarCodec(TEXT_SCALARS[type.kind]);
  }
};

const compileContainer = (type: ArrayType | MapType | ObjectType, partial: boolean): Codec => {
  switch (type.kind) {
    case 'array':
      return new ArrayCodec(type, codecOf(type.elementType, { partial }));
    case 'map':
      return new MapCodec(codecOf(type.elementType, { partial }));
    case 'object':
      return new ObjectCodec(
        type.properties.map((property, index) => compileMember(property, index, partial)),
        partial,
      );
  }
};

const compileMember = (property: Property, index: number, partial: boolean): Member => ({
  property,
  index,
  codec: codecOf(property.type, { partial }),
  label: `${writeJsonString(property.name)}:`,
  takesNull: property.nullable && property.type.kind !== 'json',
});
