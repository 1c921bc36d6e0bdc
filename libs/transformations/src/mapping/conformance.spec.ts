import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Invalid,
  type Json,
  type JsonObject,
  parseJson,
  parseSchema,
  parseType,
  type Property,
  type RecordValue,
  type Schema,
  type Type,
} from '@penstock/schema';
import { compileMapping } from './compile-mapping';
import type { CompiledMapping } from './compiled-mapping';
import { OutputValidationError, TransformationError } from './errors';
import type { Purpose } from './purpose';
import { asArray, asObject, asText, comparable, readRecord, readValue } from './vectors.fixture';

const FILE = join(__dirname, '../../../../conformance/mapping.json');

const file = asObject(parseJson(readFileSync(FILE, 'utf8')));
const types = asObject(file.get('types'));
const typeNamed = (name: string): Type => parseType(types.get(name) ?? null);

const expressionSchema = parseSchema(file.get('expression_schema') ?? null);
const expressionRecord = readRecord(expressionSchema, file.get('expression_record'));
const mappingOutSchema = parseSchema(file.get('mapping_out_schema') ?? null);

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

const PURPOSES: Readonly<Record<string, Purpose>> = {
  none: 'None',
  create: 'Create',
  update: 'Update',
};

/** `compile`, `transformation`, `validation`, or the output as a matcher compares it. */
const outcome = (
  mapping: ReadonlyMap<string, string>,
  [input, record]: readonly [Schema, RecordValue],
  output: Schema,
  purpose: Purpose = 'None',
): unknown => {
  try {
    return comparable(compileMapping(mapping, input, output).apply(record, purpose));
  } catch (error) {
    if (error instanceof Invalid) return 'compile';
    if (error instanceof TransformationError) return 'transformation';
    if (error instanceof OutputValidationError) return 'validation';
    throw error;
  }
};

const expected = (members: JsonObject, output: Schema): unknown => {
  const error = members.get('error');
  if (error !== undefined) return error;
  if (members.get('absent') === true) return {};
  const [first] = output.properties;
  if (!first) throw new TypeError('no property');
  return comparable({ y: readValue(first.type, members.get('result') ?? null) });
};

type Row = readonly [title: string, members: JsonObject];

const rows = (list: string, title: (members: JsonObject) => string): Row[] =>
  asArray(file.get(list)).map((json, index) => {
    const members = asObject(json);
    return [`${index} ${title(members)}`, members];
  });

const nullabilities = (members: JsonObject): boolean[] => {
  const nullable = members.get('nullable');
  return typeof nullable === 'boolean' ? [nullable] : [false, true];
};

describe('conversion', () => {
  const title = (members: JsonObject): string =>
    `${asText(members.get('source'))} → ${asText(members.get('dest'))}`;

  it.each(rows('conversion', title))('%s', (_title, members) => {
    const source = typeNamed(asText(members.get('source')));
    const input = oneProperty('x', source, true);
    for (const nullable of nullabilities(members)) {
      const output = oneProperty('y', typeNamed(asText(members.get('dest'))), nullable);
      const record = { x: readValue(source, members.get('value') ?? null) };
      const refused = members.get('refused') === true;
      expect(outcome(new Map([['y', 'x']]), [input, record], output)).toEqual(
        refused ? 'compile' : expected(members, output),
      );
    }
  });
});

describe('expression', () => {
  const title = (members: JsonObject): string =>
    `${asText(members.get('expression'))} → ${asText(members.get('dest'))}`;

  const inPaths = (mapping: CompiledMapping): Json => mapping.inPaths;

  it.each(rows('expression', title))('%s', (_title, members) => {
    const mapping = new Map([['y', asText(members.get('expression'))]]);
    const type = typeNamed(asText(members.get('dest')));
    const output = oneProperty('y', type, members.get('nullable') === true);
    const input = [expressionSchema, expressionRecord] as const;
    expect(outcome(mapping, input, output)).toEqual(expected(members, output));
    const paths = members.get('inPaths');
    if (paths !== undefined)
      expect(inPaths(compileMapping(mapping, expressionSchema, output))).toEqual(paths);
  });
});

describe('mapping', () => {
  const title = (members: JsonObject): string =>
    `${[...asObject(members.get('mapping')).keys()].join()} for ${asText(members.get('purpose'))}`;

  it.each(rows('mapping', title))('%s', (_title, members) => {
    const mapping = new Map(
      [...asObject(members.get('mapping'))].map(([key, text]) => [key, asText(text)]),
    );
    const purpose = PURPOSES[asText(members.get('purpose'))];
    const given = outcome(mapping, [expressionSchema, expressionRecord], mappingOutSchema, purpose);
    const error = members.get('error');
    expect(given).toEqual(error ?? comparable(readRecord(mappingOutSchema, members.get('result'))));
  });
});
