import { aProperty, anInt, aSchema } from './schema.fixtures';
import { locate } from './target';

const address = aSchema(
  aProperty('city', { kind: 'string' }),
  aProperty('extra', { kind: 'json' }),
);
const schema = aSchema(
  aProperty('age', anInt(8)),
  aProperty('traits', { kind: 'json' }),
  aProperty('address', address),
  aProperty('labels', { kind: 'map', elementType: { kind: 'string' } }),
);

it.each<[path: string, steps: string[], inside: string[]]>([
  ['age', ['age'], []],
  ['address', ['address'], []],
  ['address.city', ['address', 'city'], []],
  ['traits', ['traits'], []],
  ['traits.a.b', ['traits'], ['a', 'b']],
  ['address.extra.a', ['address', 'extra'], ['a']],
])('%s is found', (path, steps, inside) => {
  const property = { name: steps.at(-1) };
  expect(locate(schema, path)).toMatchObject({ property, steps, inside });
});

it.each<[path: string, problem: string]>([
  ['agee', 'there is no property "agee": did you mean "age"?'],
  ['Age', 'there is no property "Age": did you mean "age"?'],
  ['nothing', 'there is no property "nothing"'],
  ['address.town.x', 'there is no property "address.town"'],
  ['address.cty', 'there is no property "address.cty": did you mean "city"?'],
  ['age.x', '"age" is of kind int: a path goes on through object and json only'],
  ['labels.x', '"labels" is of kind map: a path goes on through object and json only'],
])('%s leads nowhere', (path, problem) => {
  expect(locate(schema, path)).toBe(problem);
});
