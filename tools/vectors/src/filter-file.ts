import {
  compileFilter,
  type Filter,
  type FilterContext,
  filterPaths,
  parseFilter,
  printFilter,
} from '@penstock/filters';
import { type Json, type JsonObject, parseJson, parseSchema, type Schema } from '@penstock/schema';
import type { Case } from './case';
import type { CaseFile, MakeCase } from './case-file';
import { readRecord } from './case-values';
import { orRefused, REFUSED } from './refused';

const CONTEXTS: readonly (readonly [name: string, context: FilterContext])[] = [
  ['source_user', 'SourceUser'],
  ['destination_user', 'DestinationUser'],
  ['source_event', 'SourceEvent'],
  ['destination_event', 'DestinationEvent'],
];

/** The filter of a case: a complete one, or one condition, whose only operand may be given without a list. */
const filterOf = (members: JsonObject): Json => {
  const complete = members.get('filter');
  if (complete !== undefined) return complete;
  const value = members.get('value');
  const condition = new Map<string, Json>();
  for (const name of ['property', 'operator', 'values']) {
    const member = members.get(name);
    if (member !== undefined) condition.set(name, member);
  }
  if (value !== undefined) condition.set('values', [value]);
  return new Map<string, Json>([
    ['logical', 'and'],
    ['conditions', [condition]],
  ]);
};

const titleOf = (members: JsonObject): string => {
  const words = [members.get('property'), members.get('operator')];
  return words.every((word) => typeof word === 'string') ? words.join(' ') : '';
};

type Parse = (members: JsonObject, context?: FilterContext) => Filter;

const matrix =
  (parse: Parse): MakeCase =>
  (members) => ({
    title: titleOf(members),
    run: () => ({
      expected: members.get('accepted'),
      actual: new Map(
        CONTEXTS.map(([name, context]) => [
          name,
          orRefused(() => parse(members, context)) !== REFUSED,
        ]),
      ),
    }),
  });

/** A case that compares a property of a valid filter with the case's member. */
const reading =
  (parse: Parse, member: string, read: (filter: Filter) => unknown): MakeCase =>
  (members): Case => ({
    title: titleOf(members),
    run: () => ({
      expected: members.get('valid') === true ? members.get(member) : REFUSED,
      actual: orRefused(() => read(parse(members))),
    }),
  });

/** A case of an evaluation, which must give the same after the filter was written and read back. */
const evaluation =
  (parse: Parse, schema: Schema): MakeCase =>
  (members) => ({
    title: titleOf(members),
    run: () => {
      const record = readRecord(schema, members.get('attributes'));
      const filter = parse(members);
      const stored = parseFilter(parseJson(printFilter(filter)), schema, 'SourceUser');
      const result = members.get('result');
      return {
        expected: [result, result],
        actual: [filter, stored].map((each) => compileFilter(each, schema).matches(record)),
      };
    },
  });

export const FILTER_FILE: CaseFile = {
  headers: ['schema'],
  lists: (file) => {
    const schema = parseSchema(file.get('schema') ?? null);
    const parse: Parse = (members, context = 'SourceUser') =>
      parseFilter(filterOf(members), schema, context);
    return {
      matrix: matrix(parse),
      structure: reading(parse, 'paths', filterPaths),
      values: reading(parse, 'readBack', ({ conditions }) => conditions[0]?.values),
      evaluation: evaluation(parse, schema),
      logical: evaluation(parse, schema),
    };
  },
};
