import { EVENT_SCHEMA } from '@penstock/contracts';
import { withAllPaths } from './with-all-paths';

const SCHEMA = JSON.stringify({
  kind: 'object',
  properties: [
    { name: 'a', type: { kind: 'string' } },
    { name: 'b', type: { kind: 'object', properties: [{ name: 'c', type: { kind: 'ip' } }] } },
  ],
});
const ALL = EVENT_SCHEMA.properties.map(({ name }) => name);

const completed = (fn: object, outSchema: string | null = SCHEMA): unknown => {
  const text = withAllPaths(JSON.stringify({ mapping: null, function: fn }), outSchema);
  const { mapping, function: given } = JSON.parse(text ?? '') as Record<string, unknown>;
  expect(mapping).toBeNull();
  return given;
};

it('adds all properties of the event and of the schema', () => {
  expect(completed({ source: 's' })).toEqual({ source: 's', inPaths: ALL, outPaths: ['a', 'b'] });
});

it('keeps the paths that were sent, valid or not', () => {
  const given = { inPaths: ['event'], outPaths: null };
  expect(completed(given)).toEqual(given);
});

it.each([null, '[]', '{}', '{"properties":{}}', '{"properties":[5]}'])(
  'finds no paths in %s',
  (outSchema) => {
    expect(completed({}, outSchema)).toMatchObject({ outPaths: [] });
  },
);

it.each([null, '[]', '{"mapping":{"a":"event"}}', '{"function":null}', '{"function":[]}'])(
  'leaves %s alone',
  (transformation) => {
    expect(withAllPaths(transformation, SCHEMA)).toBe(transformation);
  },
);
