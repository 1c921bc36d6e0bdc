import { FIRST_PROFILE_SCHEMA, type ImportDefinition, type KindInput } from '@penstock/contracts';
import fc from 'fast-check';
import { mapping, profiles, schemaOf } from '../testing/import.fixture';
import { checkedImport } from './checked-import';
import type { DefinitionInput } from './definition-parts';
import type { ImportKind } from './pipeline-kind';
import { readTransformation } from './read-transformation';

type Input = DefinitionInput & KindInput & { readonly transformation: string };
type Definition = Omit<ImportDefinition, 'name' | 'enabled'>;

const checked = (kind: ImportKind, input: Input): Promise<Definition> =>
  checkedImport(input, readTransformation(input.transformation), {
    kind,
    profiles: FIRST_PROFILE_SCHEMA.schema,
    readsChanges: true,
    compile: () => Promise.resolve(),
  });

/** What a client sends that sends back what it was answered. */
const sentBack = ({ filter, transformation, outSchema, imports }: Definition): Input => {
  const { source, inSchema, incremental } = imports;
  const common = { filter, transformation: JSON.stringify(transformation), outSchema, inSchema };
  if (source.kind === 'application') return { ...common, incremental };
  const { userID, updatedAt, updatedAtFormat } = source.columns;
  const columns = {
    userIDColumn: userID,
    ...(updatedAt !== null && { updatedAtColumn: updatedAt }),
    ...(updatedAtFormat !== null && { updatedAtFormat }),
  };
  if (source.kind === 'database')
    return { ...common, incremental, query: source.query, ...columns };
  const { format, path, sheet, compression, formatSettings } = source;
  const file = { format, path, compression, formatSettings, ...(sheet !== null && { sheet }) };
  return { ...common, incremental, ...file, ...columns };
};

const text = { kind: 'string' };
const json = (value: unknown): string => JSON.stringify(value);

/** The same JSON with its members in another order, and with white space. */
const shuffled = (schema: string): string => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, each]) => [name, turned(each)] as const);
    return Object.fromEntries(members.reverse());
  };
  return JSON.stringify(turned(JSON.parse(schema)), null, 2);
};

const idType = fc.constantFrom(
  text,
  { kind: 'int', bitSize: 64, minimum: -5 },
  { kind: 'uuid' },
  { kind: 'json' },
);

/** A column of update times: its type and its form. */
const time = fc.constantFrom<readonly [object, string | undefined]>(
  [{ kind: 'datetime' }, undefined],
  [{ kind: 'date' }, undefined],
  [text, 'ISO8601'],
  [text, '%d.%m.%Y'],
  [{ kind: 'json' }, '%y%j'],
);

const settings = fc.constantFrom<readonly [format: string, settings: object | undefined]>(
  ['csv', undefined],
  ['csv', { separator: '\t', hasColumnNames: true }],
  ['csv', { numberOfColumns: 7, useCRLF: false }],
  ['json', { properties: [{ name: 'id', required: true }, { name: 'ü' }] }],
  ['parquet', undefined],
  ['parquet', {}],
);

interface Choice {
  readonly kind: ImportKind;
  readonly id: object;
  readonly time: readonly [object, string | undefined] | undefined;
  readonly file: readonly [string, object | undefined];
  readonly compression: string | undefined;
  readonly incremental: boolean | undefined;
  readonly isFiltered: boolean;
  readonly isFunction: boolean;
}

const choices: fc.Arbitrary<Choice> = fc.record({
  kind: fc.constantFrom<ImportKind>('application', 'database', 'file'),
  id: idType,
  time: fc.option(time, { nil: undefined }),
  file: settings,
  compression: fc.constantFrom(undefined, '', 'Zip', 'Gzip', 'Snappy'),
  incremental: fc.constantFrom(undefined, true, false),
  isFiltered: fc.boolean(),
  isFunction: fc.boolean(),
});

const columnsOf = ({ time: changed, incremental }: Choice): KindInput => ({
  userIDColumn: 'id',
  ...(changed !== undefined && { updatedAtColumn: 'changed' }),
  ...(changed?.[1] !== undefined && { updatedAtFormat: changed[1] }),
  ...(incremental !== undefined && { incremental: incremental && changed !== undefined }),
});

const membersOf = (choice: Choice): KindInput => {
  const { kind, file, compression, incremental } = choice;
  if (kind === 'application') return incremental === undefined ? {} : { incremental };
  if (kind === 'database') return { query: 'SELECT ${limit}', ...columnsOf(choice) };
  const [format, formatSettings] = file;
  return {
    format,
    path: 'in/ü.csv',
    ...(compression !== undefined && { compression }),
    ...(formatSettings !== undefined && { formatSettings: json(formatSettings) }),
    ...columnsOf(choice),
  };
};

const FUNCTION = {
  source: 'x',
  language: 'Python',
  preserveJSON: true,
  inPaths: ['last', 'email'],
  outPaths: ['last_name', 'email'],
};

const FILTER = {
  conditions: [{ property: 'email', values: ['+1.50'], operator: 'is' }],
  logical: 'or',
};

const inputOf = (choice: Choice): Input => {
  const { kind, id, time: changed, isFiltered, isFunction } = choice;
  const columns =
    kind === 'application' ? {} : { id, ...(changed !== undefined && { changed: changed[0] }) };
  return {
    filter: isFiltered && kind !== 'database' ? json(FILTER) : null,
    transformation: isFunction
      ? json({ function: FUNCTION })
      : mapping({ last_name: 'upper(last)', email: 'email' }),
    inSchema: shuffled(
      schemaOf({ email: text, last: { kind: 'decimal', precision: 3 }, ...columns }),
    ),
    outSchema: shuffled(profiles('email', 'last_name')),
    ...membersOf(choice),
  };
};

it('an import that is sent back as it was answered is accepted, and changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(choices, async (choice) => {
      const definition = await checked(choice.kind, inputOf(choice));
      const again = await checked(choice.kind, sentBack(definition));
      expect(JSON.stringify(again)).toBe(JSON.stringify(definition));
    }),
    { numRuns: 300 },
  );
});
