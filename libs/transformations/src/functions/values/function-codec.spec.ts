import { parseJson, parseSchema } from '@penstock/schema';
import { FunctionCodec } from './function-codec';
import { RecordFailure } from './record-failure';

const schema = parseSchema(
  parseJson(`{"kind":"object","properties":[
    {"name":"areas","type":{"kind":"map","elementType":{"kind":"int","bitSize":32,"minimum":1}},"readOptional":true},
    {"name":"list","type":{"kind":"array","elementType":{"kind":"int","bitSize":32,"minimum":1}},"readOptional":true}
  ]}`),
);

const codec = new FunctionCodec(
  {
    language: 'JavaScript',
    source: '',
    preserveJSON: false,
    inPaths: [],
    outPaths: ['areas', 'list'],
  },
  { input: schema, output: schema },
);

it.each([
  ['{"areas":{"0":0}}', 'areas["0"]: must be between', 'areas[…]: must be between'],
  ['{"areas":{"a/~b":0}}', 'areas["a/~b"]: must be between', 'areas[…]: must be between'],
  ['{"areas":{"ann@example.com":"x"}}', 'areas["ann@example.com"]: is', 'areas[…]: is'],
  ['{"list":[1,0]}', 'list[1]: must be between', 'list[1]: must be between'],
  ['{"ann@example.com":1}', '["ann@example.com"]: is not one', '[…]: is not one'],
  ['{"other":1}', 'other: is not one', 'other: is not one'],
])('names the place of %j with and without keys', (text, message, withoutValue) => {
  const failure = codec.decode(text, 'None');
  expect(failure).toBeInstanceOf(RecordFailure);
  expect(failure).toMatchObject({
    message: expect.stringContaining(message) as string,
    withoutValue: expect.stringContaining(withoutValue) as string,
  });
});
