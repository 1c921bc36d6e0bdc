import type { ObjectType, Property, Type } from './type';

/** A property and where it stands. */
export interface PlacedProperty {
  readonly property: Property;
  /** Names joined by dots; arrays and maps on the way add nothing. */
  readonly path: string;
  /** JSON pointer to the property in the notation of the whole type. */
  readonly pointer: string;
}

/** The properties inside a type at every depth, through objects, arrays and maps, parents first. */
export function* everyProperty(type: Type, path = '', at = ''): Generator<PlacedProperty> {
  if (type.kind === 'array' || type.kind === 'map')
    yield* everyProperty(type.elementType, path, `${at}/elementType`);
  if (type.kind !== 'object') return;
  for (const placed of ownProperties(type, path, at)) {
    yield placed;
    yield* everyProperty(placed.property.type, placed.path, `${placed.pointer}/type`);
  }
}

/** The properties of one object that stands at a path and a pointer. */
export const ownProperties = (
  { properties }: ObjectType,
  path: string,
  at: string,
): PlacedProperty[] =>
  properties.map((property, index) => ({
    property,
    path: path === '' ? property.name : `${path}.${property.name}`,
    pointer: `${at}/properties/${index}`,
  }));
