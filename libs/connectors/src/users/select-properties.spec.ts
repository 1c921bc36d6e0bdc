import { compileCodec, parseJson, parseSchema } from '@penstock/schema';
import { selectProperties } from './select-properties';

const TEXT = { kind: 'string' };
const object = (...names: string[]) => ({
  kind: 'object',
  properties: names.map((name) => ({ name, type: TEXT, nullable: true, readOptional: true })),
});
const schemaOf = (types: Record<string, object>) =>
  parseSchema(
    parseJson(
      JSON.stringify({
        kind: 'object',
        properties: Object.entries(types).map(([name, type]) => ({
          name,
          type,
          nullable: true,
          readOptional: true,
        })),
      }),
    ),
  );
const list = (elementType: object) => ({ kind: 'array', elementType });
const map = (elementType: object) => ({ kind: 'map', elementType });

const WHOLE = schemaOf({
  a: TEXT,
  o: object('x', 'y'),
  l: list(object('x', 'y')),
  m: map(object('x', 'y')),
});

it.each<[title: string, part: Record<string, object>, whole: string, selected: string]>([
  ['a property', { a: TEXT }, '{"a":"1","o":{"x":"2"}}', '{"a":"1"}'],
  ['what is null', { o: object('x') }, '{"a":"1","o":null}', '{"o":null}'],
  ['nothing that is missing', { a: TEXT, o: object('x') }, '{"o":{"y":"1"}}', '{"o":{}}'],
  ['in objects', { o: object('y') }, '{"o":{"x":"1","y":"2"}}', '{"o":{"y":"2"}}'],
  ['in arrays', { l: list(object('x')) }, '{"l":[{"x":"1","y":"2"},{}]}', '{"l":[{"x":"1"},{}]}'],
  ['in maps', { m: map(object('x')) }, '{"m":{"k":{"x":"1","y":"2"}}}', '{"m":{"k":{"x":"1"}}}'],
])('selects %s', (_, part, whole, selected) => {
  const schema = schemaOf(part);
  const record = selectProperties(compileCodec(WHOLE).parse(whole), schema);
  expect(compileCodec(schema).encode(record)).toBe(selected);
});
