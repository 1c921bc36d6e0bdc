import { parseJson, parseType, type Type } from '@penstock/schema';
import { blockedTexts } from './blocked-texts';

const typeOf = (text: string): Type => parseType(parseJson(text));

const UUID = '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';

it.each<[string, string, string]>([
  ['{"kind":"uuid"}', UUID.toUpperCase(), UUID],
  ['{"kind":"uuid"}', `{${UUID}}`, UUID],
  ['{"kind":"uuid"}', `urn:uuid:${UUID}`, UUID],
  ['{"kind":"uuid"}', UUID.replaceAll('-', ''), UUID],
  ['{"kind":"ip"}', '2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['{"kind":"int","bitSize":64}', '007', '7'],
  ['{"kind":"int","bitSize":64}', '-007', '-7'],
  ['{"kind":"int","bitSize":64}', '+7', '7'],
  ['{"kind":"int","bitSize":64}', '0', '0'],
  ['{"kind":"int","bitSize":64}', '-0', '0'],
  ['{"kind":"int","bitSize":64}', '000', '0'],
  ['{"kind":"decimal","precision":20,"scale":0}', '1e3', '1000'],
  ['{"kind":"string"}', 'A b', 'A b'],
])('of %s blocks %s as %s', (type, value, text) => {
  expect(blockedTexts(typeOf(type), [value])).toEqual(new Set([value, text]));
});

it.each<[string, string]>([
  ['{"kind":"uuid"}', 'none'],
  ['{"kind":"ip"}', 'unknown'],
  ['{"kind":"int","bitSize":64}', 'seven'],
  ['{"kind":"int","bitSize":64}', ''],
])('of %s keeps %j, which is no value', (type, value) => {
  expect(blockedTexts(typeOf(type), [value])).toEqual(new Set([value]));
});
