import {
  align,
  type AlignmentMode,
  compileCodec,
  decodeValue,
  encodeValue,
  isPropertyName,
  isPropertyPath,
  type Json,
  type JsonObject,
  type ObjectType,
  parseJson,
  parseSchema,
  parseType,
  printType,
  type Schema,
  type Type,
} from '@penstock/schema';
import type { Case } from './case';
import type { CaseFile } from './case-file';
import { asText } from './members';
import { orRefused, REFUSED } from './refused';

const typeOf = (text: string): Type => parseType(parseJson(text));

/** Checks that a type is printed in its one form, and that the text parses to the same type. */
const typeCase = (members: JsonObject): Case => {
  const input = asText(members.get('input'));
  const again = (text: string): string => printType(typeOf(text));
  return {
    title: input,
    run: () => ({
      expected: members.get('valid') === true ? asText(members.get('canonical')) : REFUSED,
      actual: orRefused(() => again(again(input))),
    }),
  };
};

/** A record type with one required property. */
const recordOf = (type: Type): ObjectType =>
  typeOf(`{"kind":"object","properties":[{"name":"v","type":${printType(type)}}]}`) as ObjectType;

/** Checks that a value is read the same from parsed JSON and directly from its text. */
const valueCase = (members: JsonObject): Case => {
  const input = asText(members.get('input'));
  const type = typeOf(asText(members.get('type')));
  const codec = compileCodec(recordOf(type));
  const encoded = members.get('valid') === true ? asText(members.get('encoded')) : REFUSED;
  const inRecord = encoded === REFUSED ? REFUSED : `{"v":${encoded}}`;
  return {
    title: `${input} of ${printType(type)}`,
    run: () => ({
      expected: [encoded, inRecord],
      actual: [
        orRefused(() => encodeValue(type, decodeValue(type, parseJson(input)))),
        orRefused(() => codec.encode(codec.parse(`{"v":${input}}`))),
      ],
    }),
  };
};

const pathCase = (members: JsonObject): Case => {
  const path = asText(members.get('path'));
  return {
    title: JSON.stringify(path),
    run: () => ({
      expected: [members.get('validName'), members.get('validPath')],
      actual: [isPropertyName(path), isPropertyPath(path)],
    }),
  };
};

/** The text of a schema; null when there is none. */
const schemaText = (json: Json | undefined): string | null => (json === null ? null : asText(json));

const schemaOf = (text: string | null): Schema | null =>
  text === null ? null : parseSchema(parseJson(text));

const alignmentCase = (members: JsonObject): Case => {
  const mode = members.get('mode') as AlignmentMode;
  const [schema, against] = [schemaText(members.get('schema')), schemaText(members.get('against'))];
  return {
    title: `${schema} against ${against}, ${mode}`,
    run: () => ({
      expected: members.get('differences'),
      actual: [
        ...new Set(
          align(schemaOf(schema), schemaOf(against), mode).map(({ property }) => property),
        ),
      ].sort(),
    }),
  };
};

export const TYPES_FILE: CaseFile = {
  headers: [],
  lists: () => ({
    types: typeCase,
    values: valueCase,
    paths: pathCase,
    alignment: alignmentCase,
  }),
};
