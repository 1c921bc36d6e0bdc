import { Refusal } from '@penstock/contracts';
import { parseJson, parseSchema, type Schema } from '@penstock/schema';
import { checkAlignment } from './check-alignment';

const schemaOf = (...properties: readonly object[]): Schema =>
  parseSchema(parseJson(JSON.stringify({ kind: 'object', properties })));

const string = (name: string, members: object = {}) => ({
  name,
  type: { kind: 'string' },
  ...members,
});
const object = (name: string, ...properties: readonly object[]) => ({
  name,
  type: { kind: 'object', properties },
});
const REQUIRED = { createRequired: true };

const EMAIL = string('email', REQUIRED);
const ADDRESS = object('address', string('city', REQUIRED), string('street'));
const EVENT_TYPE = schemaOf(EMAIL, string('name'), ADDRESS);

const differences = (outSchema: Schema | null, outPaths?: readonly string[]): string[] => {
  try {
    checkAlignment(outSchema, EVENT_TYPE, outPaths);
    return [];
  } catch (error) {
    if (error instanceof Refusal && error.code === 'SchemaNotAligned')
      return error.details.map(({ path, message }) => `${path} ${message.split(':')[0] ?? ''}`);
    throw error;
  }
};

const OUT_PATHS = '/transformation/function/outPaths';

it.each<[string, readonly string[], string[]]>([
  ['all', ['address', 'email', 'name'], []],
  ['what is required', ['email'], []],
  ['all but what is required', ['name'], [`${OUT_PATHS} email`]],
  ['an object in parts, with what it requires', ['address.city', 'email'], []],
  [
    'an object without what it requires',
    ['address.street', 'email'],
    [`${OUT_PATHS} address.city`],
  ],
])('a function that returns %s', (_, outPaths, expected) => {
  expect(differences(EVENT_TYPE, outPaths)).toEqual(expected);
});

it('reports a property once that neither the schema nor the function has', () => {
  expect(differences(schemaOf(string('name')), ['name'])).toEqual(['/outSchema email']);
});

it('reports only the differences of the schema for a mapping', () => {
  expect(differences(schemaOf(EMAIL, string('other')))).toEqual(['/outSchema/properties/1 other']);
});
