import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../parse-json';
import { parseType } from './parse-type';
import { printType } from './print-type';

interface TypeCase {
  input: string;
  valid: boolean;
  canonical?: string;
}

const FOLDER = join(__dirname, '../../../../conformance');
const { types } = JSON.parse(readFileSync(join(FOLDER, 'types.json'), 'utf8')) as {
  types: TypeCase[];
};

it.each(types.filter(({ valid }) => valid))(
  '$input is written $canonical',
  ({ input, canonical }) => {
    expect(printType(parseType(parseJson(input)))).toBe(canonical);
  },
);

it.each(types.filter(({ valid }) => !valid))('$input is refused', ({ input }) => {
  expect(() => parseType(parseJson(input))).toThrow();
});

it('leaves out no case', () => expect(types.length).toBeGreaterThan(0));
