import { Invalid, parseJson, parseSchema } from '@penstock/schema';
import { partOf } from './wanted-properties';

const schema = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: ['email', 'phone', 'name'].map((name) => ({ name, type: { kind: 'string' } })),
    }),
  ),
);

const messagesOf = (wanted: readonly string[]): readonly string[] => {
  try {
    partOf(schema, wanted);
    return [];
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return error.issues.map(({ message }) => message);
  }
};

it('has what is wanted, in the order of the schema', () => {
  expect(partOf(schema, ['name', 'email']).properties.map(({ name }) => name)).toEqual([
    'email',
    'name',
  ]);
  expect(partOf(schema, null)).toBe(schema);
});

it('names every property that there is not, and what was meant by the first ten', () => {
  const messages = messagesOf(Array.from({ length: 12 }, () => 'emial'));
  expect(messages.slice(0, 10)).toEqual(
    Array.from({ length: 10 }, () => 'there is no property "emial": did you mean "email"?'),
  );
  expect(messages.slice(10)).toEqual(
    Array.from({ length: 2 }, () => 'there is no property "emial"'),
  );
});
