import { parseJson } from './parse-json';
import { pathWithoutKeys, stepsTo } from './path-steps';
import { parseType } from './types/parse-type';

const DEFINITION = {
  kind: 'object',
  properties: [
    {
      name: 'phones',
      type: {
        kind: 'map',
        elementType: {
          kind: 'array',
          elementType: { kind: 'object', properties: [{ name: 'area', type: { kind: 'string' } }] },
        },
      },
    },
  ],
};

const TYPE = parseType(parseJson(JSON.stringify(DEFINITION)));

it('tells properties, elements and keys apart', () => {
  expect(stepsTo(TYPE, '')).toEqual([]);
  expect(stepsTo(TYPE, '/phones/0~1~01/3/area')).toEqual([
    { into: 'property', name: 'phones' },
    { into: 'key', name: '0/~1' },
    { into: 'element', name: '3' },
    { into: 'property', name: 'area' },
  ]);
});

it('takes what the type does not know for a property', () => {
  expect(stepsTo(TYPE, '/other/0')).toEqual([
    { into: 'property', name: 'other' },
    { into: 'property', name: '0' },
  ]);
});

it('leaves keys out of paths', () => {
  expect(pathWithoutKeys(TYPE, '')).toBe('');
  expect(pathWithoutKeys(TYPE, '/phones/0~1~01/3/area')).toBe('/phones/…/3/area');
});
