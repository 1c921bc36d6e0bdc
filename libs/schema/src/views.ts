import type { Property, Schema, Type } from './type';

/** A schema as reading from it sees it: nothing is required for creating or updating, at every depth. */
export const sourceView = (schema: Schema): Schema =>
  withProperties(schema, (property) => ({
    ...property,
    createRequired: false,
    updateRequired: false,
  }));

/** A schema as writing to it sees it: nothing is optional for reading, at every depth. */
export const destinationView = (schema: Schema): Schema =>
  withProperties(schema, (property) => ({ ...property, readOptional: false }));

const withProperties = (schema: Schema, change: (property: Property) => Property): Schema => ({
  kind: 'object',
  properties: schema.properties.map((property) => ({
    ...change(property),
    type: inside(property.type, change),
  })),
});

const inside = (type: Type, change: (property: Property) => Property): Type => {
  if (type.kind === 'object') return withProperties(type, change);
  if (type.kind === 'array' || type.kind === 'map')
    return { ...type, elementType: inside(type.elementType, change) };
  return type;
};
