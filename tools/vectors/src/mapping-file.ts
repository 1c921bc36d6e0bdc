import {
  type Json,
  type JsonObject,
  parseSchema,
  parseType,
  type Property,
  type RecordValue,
  type Schema,
  type Type,
} from '@penstock/schema';
import {
  compileMapping,
  OutputValidationError,
  type Purpose,
  TransformationError,
} from '@penstock/transformations';
import type { CaseFile, MakeCase } from './case-file';
import { comparable, readRecord, readValue } from './case-values';
import { asObject, asText, FormatError } from './members';
import { orRefused, REFUSED } from './refused';

const PURPOSES: Readonly<Record<string, Purpose>> = {
  none: 'None',
  create: 'Create',
  update: 'Update',
};

const property = (name: string, type: Type, nullable: boolean): Property => ({
  name,
  type,
  nullable,
  prefilled: '',
  createRequired: false,
  updateRequired: false,
  readOptional: false,
  description: '',
});

const oneProperty = (name: string, type: Type, nullable: boolean): Schema => ({
  kind: 'object',
  properties: [property(name, type, nullable)],
});

type Given = readonly [schema: Schema, record: RecordValue];
type Expressions = ReadonlyMap<string, string>;

/** The output in a form for comparison, or the stage that failed: `compile`, `transformation`, `validation`. */
const outcome = (
  expressions: Expressions,
  [input, record]: Given,
  output: Schema,
  purpose: Purpose = 'None',
): unknown => {
  const mapping = orRefused(() => compileMapping(expressions, input, output));
  if (mapping === REFUSED) return 'compile';
  try {
    return comparable(mapping.apply(record, purpose));
  } catch (error) {
    if (error instanceof TransformationError) return 'transformation';
    if (error instanceof OutputValidationError) return 'validation';
    throw error;
  }
};

/** The expected result of a mapping with the one property `y`. */
const expectedOf = (members: JsonObject, type: Type): unknown => {
  const error = members.get('error');
  if (error !== undefined) return error;
  if (members.get('refused') === true) return 'compile';
  if (members.get('absent') === true) return {};
  const result = members.get('result');
  if (result === undefined) throw new FormatError('the case has no outcome');
  return comparable({ y: readValue(type, result) });
};

/** Whether `y` is nullable; both values when the case does not set it. */
const nullabilities = (members: JsonObject): boolean[] => {
  const nullable = members.get('nullable');
  return typeof nullable === 'boolean' ? [nullable] : [false, true];
};

type TypeNamed = (name: Json | undefined) => Type;

const conversion =
  (typeNamed: TypeNamed): MakeCase =>
  (members) => ({
    title: `${asText(members.get('source'))} → ${asText(members.get('dest'))}`,
    run: () => {
      const source = typeNamed(members.get('source'));
      const destination = typeNamed(members.get('dest'));
      const record = { x: readValue(source, members.get('value') ?? null) };
      const given: Given = [oneProperty('x', source, true), record];
      const expected = expectedOf(members, destination);
      const both = nullabilities(members);
      return {
        expected: both.map(() => expected),
        actual: both.map((nullable) =>
          outcome(new Map([['y', 'x']]), given, oneProperty('y', destination, nullable)),
        ),
      };
    },
  });

const expression =
  (typeNamed: TypeNamed, given: Given): MakeCase =>
  (members) => ({
    title: `${asText(members.get('expression'))} → ${asText(members.get('dest'))}`,
    run: () => {
      const expressions = new Map([['y', asText(members.get('expression'))]]);
      const type = typeNamed(members.get('dest'));
      const output = oneProperty('y', type, members.get('nullable') === true);
      const inPaths = () => compileMapping(expressions, given[0], output).inPaths;
      const paths = members.get('inPaths');
      return {
        expected: [expectedOf(members, type), paths],
        actual: [outcome(expressions, given, output), paths === undefined ? undefined : inPaths()],
      };
    },
  });

const mapping =
  (given: Given, output: Schema): MakeCase =>
  (members) => {
    const expressions = new Map(
      [...asObject(members.get('mapping'))].map(([key, text]) => [key, asText(text)]),
    );
    const purpose = PURPOSES[asText(members.get('purpose'))];
    if (!purpose) throw new FormatError('the purpose is not known');
    return {
      title: `${[...expressions.keys()].join()} for ${purpose}`,
      run: () => ({
        expected: members.get('error') ?? comparable(readRecord(output, members.get('result'))),
        actual: outcome(expressions, given, output, purpose),
      }),
    };
  };

export const MAPPING_FILE: CaseFile = {
  headers: ['types', 'expression_schema', 'expression_record', 'mapping_out_schema'],
  lists: (file) => {
    const types = asObject(file.get('types'));
    const typeNamed: TypeNamed = (name) => parseType(types.get(asText(name)) ?? null);
    const schema = parseSchema(file.get('expression_schema') ?? null);
    const given: Given = [schema, readRecord(schema, file.get('expression_record'))];
    const output = parseSchema(file.get('mapping_out_schema') ?? null);
    return {
      conversion: conversion(typeNamed),
      expression: expression(typeNamed, given),
      mapping: mapping(given, output),
    };
  },
};
