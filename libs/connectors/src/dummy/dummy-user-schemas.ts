import { parseJson, parseSchema, type Schema } from '@penstock/schema';

const schema = (...properties: readonly object[]): Schema =>
  parseSchema(parseJson(JSON.stringify({ kind: 'object', properties })));

const text = (maxLength: number): object => ({ kind: 'string', maxLength });
const TEXT = { kind: 'string' };

const EMAIL = { name: 'email', type: text(254), description: 'Of no other user.' };
const NAMES = ['firstName', 'lastName', 'fullName'].map((name) => ({
  name,
  type: text(100),
  nullable: true,
}));
const DRINK = {
  name: 'favouriteDrink',
  type: { kind: 'string', values: ['tea', 'beer', 'wine', 'water'] },
  nullable: true,
};
const MOVIE = { name: 'favourite_movie', type: TEXT };
const ADDRESS = {
  name: 'address',
  type: {
    kind: 'object',
    properties: ['street', 'postal_code', 'city'].map((name) => ({ name, type: TEXT })),
  },
};

/** A user as it is read. */
export const DUMMY_USER = schema(
  { name: 'dummyId', type: text(50), description: 'Identifies the user.' },
  EMAIL,
  ...NAMES,
  DRINK,
  { ...MOVIE, readOptional: true, description: 'Known of every other user.' },
  ADDRESS,
);

const ADDITIONAL = { name: 'additionalProperties', type: { kind: 'map', elementType: TEXT } };

/** What is kept of a user that was written. */
export const DUMMY_USER_KEPT: Schema = {
  kind: 'object',
  properties: [...DUMMY_USER.properties, ...schema(ADDITIONAL).properties],
};

/** What can be written of a user. */
export const DUMMY_USER_TO_WRITE = schema(
  { ...EMAIL, createRequired: true },
  ...NAMES,
  DRINK,
  MOVIE,
  ADDRESS,
  ADDITIONAL,
);
