import { parseJson, parseSchema } from '@penstock/schema';
import { listNameOf, profilesQuery } from './profiles-query';

const property = (name: string, type: object) => ({ name, type, readOptional: true });

const schemaOf = (...properties: readonly object[]) =>
  parseSchema(parseJson(JSON.stringify({ kind: 'object', properties })));

const TEXT = { kind: 'string' };

const schema = schemaOf(
  property('text', TEXT),
  property('doc', { kind: 'json' }),
  property('list', { kind: 'array', elementType: TEXT }),
  property('map', { kind: 'map', elementType: TEXT }),
  property('near', { kind: 'object', properties: [property('inner', { kind: 'ip' })] }),
);

const input = {
  ...{ properties: null, filter: null, order: null, orderDesc: null },
  ...{ limit: 1, cursor: '', count: false },
};

it.each([
  [null, null, true],
  [null, false, false],
  ['text', null, false],
  ['text', true, true],
  ['near.inner', null, false],
])('by %s, descending %s: %s', (order, orderDesc, isDescending) => {
  expect(profilesQuery({ ...input, order, orderDesc }, schema).order).toEqual({
    path: order,
    isDescending,
  });
});

it.each([
  ['doc', 'OrderTypeNotSortable'],
  ['list', 'OrderTypeNotSortable'],
  ['map', 'OrderTypeNotSortable'],
  ['near', 'OrderTypeNotSortable'],
  ['', 'OrderNotExist'],
  ['Text', 'OrderNotExist'],
  ['_updated_at', 'OrderNotExist'],
  ['near_inner', 'OrderNotExist'],
  ['doc.a', 'OrderNotExist'],
  ['text.a', 'OrderNotExist'],
  ['near.', 'OrderNotExist'],
])('by %j: %s', (order, code) => {
  expect(() => profilesQuery({ ...input, order }, schema)).toThrow(
    expect.objectContaining({ code }) as Error,
  );
});

it('filters by no property of kind json', () => {
  const filter = '{"logical":"or","conditions":[{"property":"doc","operator":"is null"}]}';
  expect(() => profilesQuery({ ...input, filter }, schema)).toThrow(
    expect.objectContaining({
      code: 'BadRequest',
      details: [{ path: '/filter/conditions/0/property', message: expect.any(String) as string }],
    }) as Error,
  );
});

it('is another list when the property of the order is another one under its name', () => {
  const named = (of: typeof schema): string => {
    const given = { ...input, order: 'text' };
    return listNameOf(given, profilesQuery(given, of), of);
  };
  expect(named(schemaOf(property('text', TEXT)))).toBe(named(schema));
  expect(named(schemaOf(property('text', { kind: 'ip' })))).not.toBe(named(schema));
});
