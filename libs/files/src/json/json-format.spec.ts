import { badPaths } from '../settings.fixture';
import { readAll } from '../testing.fixture';
import { MAX_ELEMENT_LENGTH } from './json-elements';

const settings = {
  properties: [{ name: 'id', required: true }, { name: 'First Name' }],
};
const read = (text: string | Uint8Array, length?: number) =>
  readAll('json', text, { settings, ...(length !== undefined && { length }) });

const DIGITS = '{"id":12345678901234567890.50,"First_Name":{"b":1.0,"a":[null,"ü😀\\n"]}}';
const ARRAY = ` [ {"id":12345678901234567890.50, "First Name":{"b":1.0,"a":[null,"ü😀\\n"]}, "x":1 } ,
  {"id": "a]},[\\"\\\\", "First Name":null},{"id":"\\\\"} ] `;

it.each([
  ['an array', ARRAY],
  [
    'lines',
    ARRAY.replace(/^ \[ /, '')
      .replace(' ] ', '')
      .replace(/,\n/, '\n\n')
      .replace('},{', '}\r\n{')
      .replace(' ,', ''),
  ],
])('gives the members of %s to the last digit, wherever the content is cut', async (_, text) => {
  for (const length of [1, 2, 3, 7, 1_000]) {
    const { properties, texts, errors } = await read(text, length);
    expect(properties).toEqual(['id', 'First_Name']);
    expect(errors).toEqual([]);
    expect(texts).toEqual([DIGITS, '{"id":"a]},[\\"\\\\","First_Name":null}', '{"id":"\\\\"}']);
  }
});

it.each([
  ['[]', 0],
  [' [ \n ] ', 0],
  ['', 0],
  ['  \n ', 0],
  ['{"id":1}', 1],
  ['\ufeff{"id":1}\n', 1],
  ['[{"id":1}]', 1],
])('%j has %i records', async (text, count) => {
  const { texts, errors } = await read(text);
  expect([texts.length, errors.length]).toEqual([count, 0]);
});

it.each([
  ['[%s]', ','],
  ['%s', '\n'],
])('makes what is no record an error of its own in %s', async (frame, separator) => {
  const elements = [
    '{"id":1}',
    '{"First Name":1}',
    '{"id":1,"id":2}',
    '{"id":01}',
    '[1]',
    'null',
    '{"id":"\\u0000"}',
    '{"id":"\\ud800"}',
    `{"id":${'['.repeat(129)}${']'.repeat(129)}}`,
    '{"id":2}',
  ];
  const { texts, errors } = await read(frame.replace('%s', elements.join(separator)));
  expect(texts).toEqual(['{"id":1}', '{"id":2}']);
  expect(errors).toEqual([
    [2, 'column "id" is missing'],
    [3, expect.stringMatching(/^is not JSON: a member name is repeated/)],
    [4, expect.stringMatching(/^is not JSON/)],
    [5, 'is not a JSON object'],
    [6, 'is not a JSON object'],
    [7, expect.stringMatching(/^column "id" is not UTF-8, or holds NUL/)],
    [8, expect.stringMatching(/^column "id" is not UTF-8, or holds NUL/)],
    [9, expect.stringMatching(/nesting is deeper/)],
  ]);
});

it('reads every member by itself, and none that is not wanted', async () => {
  const content = '{"id":1,"a":"\\u0000"}\n\n{"id":2}\n{"id":"\\u0000","a":3}\n[]\n';
  const both = {
    properties: [
      { name: 'id', required: true },
      { name: 'a', required: true },
    ],
  };
  const { errors, readable } = await readAll('json', content, { settings: both });
  expect(errors.map(([row]) => row)).toEqual([1, 3, 4, 5]);
  expect(readable).toEqual([['id'], ['id'], ['a'], null]);
  const columns = new Set(['id']);
  const { errors: wanted } = await readAll('json', content, { settings: both, columns });
  expect(wanted.map(([row]) => row)).toEqual([4, 5]);
});

it('makes bytes that are not UTF-8 an error of their record', async () => {
  const content = Buffer.from('{"id":"ä"}\n{"id":1}\n', 'latin1');
  const { texts, errors } = await read(content);
  expect(texts).toEqual(['{"id":1}']);
  expect(errors).toEqual([[1, expect.stringMatching(/not UTF-8/)]]);
});

it.each([
  ['[%s]', ','],
  ['%s', '\n'],
])('bounds the length of a record in %s', async (frame, separator) => {
  const record = (length: number): string => `{"id":"${'x'.repeat(length - 9)}"}`;
  const elements = [MAX_ELEMENT_LENGTH, MAX_ELEMENT_LENGTH + 1, 3 * MAX_ELEMENT_LENGTH, 20].map(
    record,
  );
  const { texts, errors } = await read(frame.replace('%s', elements.join(separator)), 65_536);
  expect(texts.map(({ length }) => length)).toEqual([MAX_ELEMENT_LENGTH, 20]);
  expect(errors.map(([row]) => row)).toEqual([2, 3]);
});

it.each([
  ['an array without an end', '[{"id":1},{"id":2}', /cut off/],
  ['an array that ends in a string', '[{"id":1},{"id":"]', /cut off/],
  ['text behind the array', '[{"id":1}] x', /goes on after/],
  ['two arrays', '[{"id":1}]\n[{"id":2}]', /goes on after/],
  ['another value', '"id"', /neither/],
  ['csv', 'id,name\n1,2\n', /neither/],
])('refuses %s', async (_, text, message) => {
  for (const length of [1, 3, 100])
    await expect(read(text, length)).rejects.toMatchObject({
      kind: 'InvalidFile',
      message: expect.stringMatching(message) as string,
    });
});

it('refuses names that become one property', async () => {
  const properties = [{ name: 'a b' }, { name: 'a-b' }];
  await expect(readAll('json', '[]', { settings: { properties } })).rejects.toMatchObject({
    kind: 'NoColumnsFound',
  });
});

it.each<[object, string[]]>([
  [settings, []],
  [{ ...settings, indent: true, generateASCII: true, allowSpecialFloats: true }, []],
  [{}, ['/properties']],
  [{ properties: [] }, ['/properties']],
  [{ properties: Array.from({ length: 1_000 }, () => ({ name: 'a' })) }, []],
  [{ properties: Array.from({ length: 1_001 }, () => ({ name: 'a' })) }, ['/properties']],
  [{ properties: [{ required: true }] }, ['/properties/0/name']],
  [{ properties: [{ name: 'a', type: 'int' }] }, ['/properties/0/type']],
])('checks the settings %#', (given, paths) => {
  expect(badPaths('json', given)).toEqual(paths);
});
