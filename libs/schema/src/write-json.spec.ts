import { JsonNumber } from './json';
import { JsonText } from './json-text';
import { parseJson } from './parse-json';
import { writeJson } from './write-json';

it.each([
  ['[ 1.50 , -0 , 1E5 ]', '[1.50,-0,1E5]'],
  ['{ "b" : null , "a" : [ true , false ] }', '{"b":null,"a":[true,false]}'],
  [String.raw`"\u00e9\/\u0001\u001F\ud800"`, String.raw`"é/\u0001\u001f\ud800"`],
  [String.raw`{"\u0061\n":"\""}`, String.raw`{"a\n":"\""}`],
  ['[[],{}]', '[[],{}]'],
  ['""', '""'],
])('%s is written %s', (text, written) => expect(writeJson(parseJson(text))).toBe(written));

describe('JsonText', () => {
  it('gives the value of its text, and the same one again', () => {
    const json = JsonText.trusted('{"a":[1.50]}');
    expect(json.value).toEqual(new Map([['a', [new JsonNumber('1.50')]]]));
    expect(json.value).toBe(json.value);
  });

  it('is written from a value', () => expect(JsonText.of([null, 'a']).text).toBe('[null,"a"]'));
});
