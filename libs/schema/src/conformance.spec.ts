import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { align, type AlignmentMode } from './align';
import { parseJson } from './parse-json';
import { isPropertyName, isPropertyPath } from './paths';
import type { ObjectType, Schema, Type } from './type';
import { parseSchema, parseType } from './types/parse-type';
import { printType } from './types/print-type';
import { compileCodec } from './values/record-codec';
import { decodeValue, encodeValue } from './values/values';

interface Cases {
  types: { input: string; valid: boolean; canonical?: string }[];
  values: { type: string; input: string; valid: boolean; encoded?: string }[];
  alignment: {
    schema: string | null;
    against: string | null;
    mode: AlignmentMode;
    differences: string[];
  }[];
  paths: { path: string; validName: boolean; validPath: boolean }[];
}

const FOLDER = join(__dirname, '../../../conformance');
const { types, values, paths, alignment } = JSON.parse(
  readFileSync(join(FOLDER, 'types.json'), 'utf8'),
) as Cases;

const typeOf = (text: string): Type => parseType(parseJson(text));

const schemaOf = (text: string | null): Schema | null =>
  text === null ? null : parseSchema(parseJson(text));

/** A record type with one required property. */
const recordOf = (type: Type): ObjectType =>
  typeOf(`{"kind":"object","properties":[{"name":"v","type":${printType(type)}}]}`) as ObjectType;

const good = <Case extends { valid: boolean }>(cases: Case[]) => cases.filter(({ valid }) => valid);
const bad = <Case extends { valid: boolean }>(cases: Case[]) => cases.filter(({ valid }) => !valid);

describe('types', () => {
  it.each(good(types))('$input is written $canonical', ({ input, canonical }) => {
    expect(printType(typeOf(input))).toBe(canonical);
    expect(printType(typeOf(canonical ?? ''))).toBe(canonical);
  });

  it.each(bad(types))('$input is refused', ({ input }) => {
    expect(() => typeOf(input)).toThrow();
  });
});

describe('values', () => {
  it.each(good(values))('$input of $type is written $encoded', ({ type, input, encoded }) => {
    expect(encodeValue(typeOf(type), decodeValue(typeOf(type), parseJson(input)))).toBe(encoded);
  });

  it.each(good(values))('$input of $type straight from the text', ({ type, input, encoded }) => {
    const codec = compileCodec(recordOf(typeOf(type)));
    expect(codec.encode(codec.parse(`{"v":${input}}`))).toBe(`{"v":${encoded}}`);
  });

  it.each(bad(values))('$input of $type is refused', ({ type, input }) => {
    expect(() => decodeValue(typeOf(type), parseJson(input))).toThrow();
    expect(() => compileCodec(recordOf(typeOf(type))).parse(`{"v":${input}}`)).toThrow();
  });
});

it('the event schema reads back from what is printed', () => {
  const schema = parseSchema(parseJson(readFileSync(join(FOLDER, 'event-schema.json'), 'utf8')));
  expect(parseSchema(parseJson(printType(schema)))).toEqual(schema);
  expect(schema.properties).toHaveLength(18);
});

it.each(paths)('path $path', ({ path, validName, validPath }) => {
  expect([isPropertyName(path), isPropertyPath(path)]).toEqual([validName, validPath]);
});

it.each(alignment)('$schema against $against, $mode', ({ schema, against, mode, differences }) => {
  const found = align(schemaOf(schema), schemaOf(against), mode);
  expect([...new Set(found.map(({ property }) => property))].sort()).toEqual(differences);
});
