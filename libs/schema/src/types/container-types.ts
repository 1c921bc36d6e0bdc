import { isPropertyName } from '../paths';
import type { ArrayType, MapType, ObjectType, Property, Type } from '../type';
import type { Notation } from './notation';

/** What reading goes on with where no property could be read, so that those after it keep their index. */
const STAND_IN: Property = {
  name: '',
  type: { kind: 'boolean' },
  prefilled: '',
  createRequired: false,
  updateRequired: false,
  readOptional: false,
  nullable: false,
  description: '',
};

/** Reads the type that stands at a key. */
export type ReadInner = (notation: Notation, key: string) => Type;

/** The most elements that a type can speak of. */
export const MAX_ELEMENTS = 2_147_483_647;

/** Elements of these kinds are not compared. */
const INCOMPARABLE: readonly string[] = ['json', 'array', 'map', 'object'];

const PROPERTY_KEYS = [
  'name',
  'type',
  'prefilled',
  'createRequired',
  'updateRequired',
  'readOptional',
  'nullable',
  'description',
];

export const readArrayType = (notation: Notation, readInner: ReadInner): ArrayType => {
  const elementType = readElementType(notation, readInner);
  const minElements = notation.smallInteger('minElements', 0, MAX_ELEMENTS) ?? 0;
  const maxElements = notation.smallInteger('maxElements', 0, MAX_ELEMENTS) ?? MAX_ELEMENTS;
  if (minElements > maxElements) notation.refuse('maxElements', 'is less than minElements');
  const uniqueElements = notation.flag('uniqueElements');
  if (notation.has('uniqueElements') && INCOMPARABLE.includes(elementType.kind))
    notation.refuse('uniqueElements', `does not apply to elements of kind ${elementType.kind}`);
  return { kind: 'array', elementType, minElements, maxElements, uniqueElements };
};

export const readMapType = (notation: Notation, readInner: ReadInner): MapType => ({
  kind: 'map',
  elementType: readElementType(notation, readInner),
});

const readElementType = (notation: Notation, readInner: ReadInner): Type =>
  readInner(notation, 'elementType');

export const readObjectType = (notation: Notation, readInner: ReadInner): ObjectType => {
  const names = new Set<string>();
  const properties: Property[] = [];
  for (const member of notation.requiredObjects('properties')) {
    if (member === undefined) {
      properties.push(STAND_IN);
      continue;
    }
    const property = readProperty(member, readInner);
    if (property.name !== '' && names.has(property.name))
      member.refuse('name', `repeats the name ${property.name}`);
    names.add(property.name);
    properties.push(property);
  }
  return { kind: 'object', properties };
};

const readProperty = (notation: Notation, readInner: ReadInner): Property => {
  notation.allowOnly(PROPERTY_KEYS, 'a property');
  const name = readName(notation);
  return {
    name,
    type: readInner(notation, 'type'),
    prefilled: notation.text('prefilled') ?? '',
    createRequired: notation.flag('createRequired'),
    updateRequired: notation.flag('updateRequired'),
    readOptional: notation.flag('readOptional'),
    nullable: notation.flag('nullable'),
    description: notation.text('description') ?? '',
  };
};

const readName = (notation: Notation): string => {
  const name = notation.text('name');
  if (!notation.has('name')) notation.refuse('name', 'is required');
  else if (name !== undefined && !isPropertyName(name))
    notation.refuse('name', 'must be letters, digits and _, and not begin with a digit');
  return name ?? '';
};
