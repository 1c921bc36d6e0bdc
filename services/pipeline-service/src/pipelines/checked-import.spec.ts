import type { FileStorage } from '@penstock/connectors';
import {
  FIRST_PROFILE_SCHEMA,
  type KindInput,
  type RecordColumns,
  Refusal,
} from '@penstock/contracts';
import { postgresqlDatabase } from '@penstock/databases';
import { FileFault } from '@penstock/files';
import { checkedImport } from './checked-import';
import {
  APPLICATION,
  DATABASE,
  FILE,
  mapping,
  profiles,
  schemaOf,
} from '../testing/import.fixture';
import type { ImportKind } from './pipeline-kind';
import { readTransformation } from './read-transformation';

type Members = typeof APPLICATION;
type Changes = Partial<Record<keyof Members, unknown>>;

const text = { kind: 'string' };
const json = (value: unknown): string => JSON.stringify(value);

/** Refuses a path that ends with a slash, which {@link FileStorage} may. */
const storage: FileStorage = {
  absolutePath: (path) => {
    if (path.endsWith('/')) throw new FileFault('InvalidPath', 'must end with the name of a file');
    return path;
  },
  open: () => Promise.reject(new Error('is not opened')),
};

const VALID: Readonly<Record<ImportKind, Members>> = {
  application: APPLICATION,
  database: DATABASE,
  file: FILE,
};

const compiled: unknown[] = [];

const checked = (kind: ImportKind, changes: Changes = {}, readsChanges = true) => {
  const given = Object.entries({ ...VALID[kind], ...changes });
  const input = Object.fromEntries(
    given.filter(([, value]) => value !== undefined),
  ) as unknown as Members & KindInput;
  return checkedImport(input, readTransformation(input.transformation), {
    kind,
    profiles: FIRST_PROFILE_SCHEMA.schema,
    readsChanges,
    storage: { storage, settings: new Map() },
    database: postgresqlDatabase,
    compile: (_, schemas) => {
      compiled.push(schemas);
      return Promise.resolve();
    },
  });
};

/** What is wrong, as `path: message`; `code` alone for a refusal without details. */
const problems = async (...of: Parameters<typeof checked>): Promise<string[]> => {
  try {
    await checked(...of);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, details } = error;
    const told = details.map(({ path, message }) => `${path}: ${message}`);
    return code === 'BadRequest' ? told : [code, ...told];
  }
};

it.each(['application', 'database', 'file'] as const)(
  'an import of the kind %s is valid as a whole',
  async (kind) => {
    expect(await problems(kind)).toEqual([]);
  },
);

it('defaults are filled in, and everything is in canonical form', async () => {
  const definition = await checked('file', {
    updatedAtColumn: undefined,
    updatedAtFormat: undefined,
    inSchema: json({
      properties: [
        { type: text, name: 'id' },
        { name: 'email', type: text },
      ],
      kind: 'object',
    }),
  });
  expect(definition.imports).toEqual({
    source: {
      kind: 'file',
      format: 'csv',
      path: 'in/users.csv',
      sheet: null,
      compression: '',
      formatSettings:
        '{"separator":",","hasColumnNames":false,"numberOfColumns":0,"lazyQuotes":false,"trimLeadingSpace":false,"useCRLF":false}',
      columns: { userID: 'id', updatedAt: null, updatedAtFormat: null },
    },
    inSchema: expect.stringMatching(/^\{"kind":"object","properties":\[\{"name":"id",/) as string,
    incremental: false,
  });
});

it.each([
  [undefined, undefined],
  ['fail', undefined],
  ['null', 'null'],
])('missingColumns %p is kept as %p', async (missingColumns, missing) => {
  const { imports } = await checked('file', { missingColumns });
  const { columns = {} } = imports.source as { columns?: Partial<RecordColumns> };
  expect(columns.missing).toBe(missing);
});

const withId = (type: object, flags: object = {}): string =>
  json({
    kind: 'object',
    properties: [
      { name: 'id', type, ...flags },
      { name: 'email', type: text },
      { name: 'changed', type: { kind: 'datetime' } },
    ],
  });

const withTime = (type: object): string => schemaOf({ id: text, email: text, changed: type });

const NO_COLUMN = 'must be the name of a property of inSchema';
const ID_KINDS = 'must be a property of kind string, int, uuid or json, not';
const TIME_KINDS = 'must be a property of kind datetime, date, string or json, not';

type Row = [what: string, kind: ImportKind, changes: Changes, problems: readonly string[]];

const QUERIES: Row[] = [
  ['without placeholders', 'database', { query: 'SELECT 1' }, []],
  ['with a dollar', 'database', { query: "SELECT '$' || $1, $a$x$a$" }, []],
  [
    'with another placeholder',
    'database',
    { query: 'SELECT ${limit}, ${Limit}, ${last}' },
    ['/query: ${Limit}: there are only ${updated_at} and ${limit}'],
  ],
  [
    'with a placeholder in quotes',
    'database',
    { query: "SELECT '${updated_at}'" },
    ['/query: a placeholder stands in quotes: take the quotes off, they come with the value'],
  ],
  ['with a placeholder in a comment', 'database', { query: 'SELECT 1 -- ${last}' }, []],
];

const USER_IDS: Row[] = [
  ...['string', 'uuid', 'json'].map((kind): Row => [
    `user id of kind ${kind}`,
    'database',
    { inSchema: withId({ kind }) },
    [],
  ]),
  ['that is nullable', 'database', { inSchema: withId(text, { nullable: true }) }, []],
  ...['datetime', 'boolean', 'ip'].map((kind): Row => [
    `user id of kind ${kind}`,
    'database',
    { inSchema: withId({ kind }) },
    [`/userIDColumn: ${ID_KINDS} ${kind}`],
  ]),
  [
    'user id that is not read',
    'file',
    { userIDColumn: 'ID' },
    [
      `/userIDColumn: ${NO_COLUMN}; did you mean "id"?`,
      '/inSchema/properties/0: property id is not used',
    ],
  ],
  [
    'user id that may be absent',
    'file',
    { inSchema: withId(text, { readOptional: true }), updatedAtFormat: undefined },
    ['/userIDColumn: must be a property that is always there, not readOptional'],
  ],
];

const withFormat = (kind: string, updatedAtFormat?: string): Changes => ({
  inSchema: withTime({ kind }),
  updatedAtFormat,
});

const TIMES: Row[] = [
  ['time of kind date', 'database', withFormat('date'), []],
  ['time of kind datetime', 'file', withFormat('datetime'), []],
  ['text in ISO 8601', 'database', withFormat('string', 'ISO8601'), []],
  ['json with a layout', 'database', withFormat('json', '%Y-%m-%d'), []],
  ['serial days of a file', 'file', withFormat('string', 'Excel'), []],
  [
    'serial days of a database',
    'database',
    withFormat('string', 'Excel'),
    ['/updatedAtFormat: Excel is a form of times in files only'],
  ],
  [
    'unknown directive',
    'file',
    withFormat('string', '%Y %Q'),
    [expect.stringMatching(/^\/updatedAtFormat: holds the directive %Q/) as string],
  ],
  [
    'text without a format',
    'file',
    withFormat('string'),
    ['/updatedAtFormat: is required for a column of kind string'],
  ],
  [
    'json without a format',
    'database',
    withFormat('json'),
    ['/updatedAtFormat: is required for a column of kind json'],
  ],
  [
    'datetime with a format',
    'database',
    withFormat('datetime', 'ISO8601'),
    ['/updatedAtFormat: must be left out for a column of kind datetime'],
  ],
  ['time of kind year', 'file', withFormat('year'), [`/updatedAtColumn: ${TIME_KINDS} year`]],
  [
    'format without a column',
    'file',
    { updatedAtColumn: undefined, inSchema: schemaOf({ id: text, email: text }) },
    ['/updatedAtFormat: must be left out without an updatedAtColumn'],
  ],
  [
    'time that is not read',
    'file',
    { updatedAtColumn: 'change' },
    [
      `/updatedAtColumn: ${NO_COLUMN}; did you mean "changed"?`,
      '/inSchema/properties/2: property changed is not used',
    ],
  ],
  [
    'time that is the user id',
    'file',
    { updatedAtColumn: 'id', inSchema: schemaOf({ id: text, email: text }) },
    ['/updatedAtColumn: must be another than userIDColumn'],
  ],
];

const FILES: Row[] = [
  ['format that is not there', 'file', { format: 'xml', sheet: 'S' }, ['FormatNotExist']],
  ['sheet of a format without', 'file', { sheet: 'S' }, ['/sheet: the format csv has no sheets']],
  ['sheet', 'file', { format: 'excel', sheet: 'S' }, []],
  [
    'no sheet of a format with',
    'file',
    { format: 'excel' },
    ['/sheet: is required: the format excel has sheets'],
  ],
  ...['', 'Zip', 'Gzip', 'Snappy'].map((compression): Row => [
    `compression "${compression}"`,
    'file',
    { compression },
    [],
  ]),
  [
    'another compression',
    'file',
    { compression: 'zip' },
    ['/compression: must be one of Zip, Gzip, Snappy, or empty'],
  ],
  ['settings of the format', 'file', { formatSettings: '{"hasColumnNames":true}' }, []],
  [
    'other settings of the format, all of them named',
    'file',
    { formatSettings: '{"sheet":1,"separator":";;","numberOfColumns":1001}' },
    [
      expect.stringMatching(/^\/formatSettings\/separator: /) as string,
      expect.stringMatching(/^\/formatSettings\/numberOfColumns: /) as string,
      '/formatSettings/sheet: is not known',
    ],
  ],
  [
    'format that needs settings',
    'file',
    { format: 'json' },
    [expect.stringMatching(/^\/formatSettings\/properties: /) as string],
  ],
  [
    'path that the storage refuses',
    'file',
    { path: 'in/' },
    ['/path: must end with the name of a file'],
  ],
];

const FILTER = (property: string): string =>
  json({ logical: 'and', conditions: [{ property, operator: 'is', values: ['x'] }] });

const NESTED = json({
  kind: 'object',
  properties: [
    { name: 'email', type: text },
    { name: 'a', type: JSON.parse(schemaOf({ b: text, c: { kind: 'json' } })) as object },
  ],
});

const SCHEMAS: Row[] = [
  [
    'property that nothing uses',
    'application',
    { inSchema: schemaOf({ email: text, name: text }) },
    ['/inSchema/properties/1: property name is not used'],
  ],
  [
    'property that the filter alone uses',
    'application',
    { inSchema: schemaOf({ email: text, name: text }), filter: FILTER('name') },
    [],
  ],
  [
    'leaf of an object that nothing uses',
    'application',
    { inSchema: NESTED, transformation: mapping({ email: 'email a.c.x.y' }) },
    ['/inSchema/properties/1/type/properties/0: property a.b is not used'],
  ],
  [
    'leaves of an object that is used as a whole',
    'application',
    { inSchema: NESTED, transformation: mapping({ email: 'if(eq(len(a), 0), "", email)' }) },
    [],
  ],
  [
    'property that is not written',
    'application',
    { outSchema: profiles('email', 'first_name') },
    ['/outSchema: property first_name is not given by the mapping'],
  ],
  [
    'property that is there in one schema only, with all else that is wrong',
    'application',
    { filter: FILTER('nam'), transformation: mapping({ email: 'mail', name: 'email' }) },
    [
      expect.stringMatching(/^\/filter\/conditions\/0\/property: /) as string,
      expect.stringMatching(/^\/transformation\/mapping\/email: /) as string,
      expect.stringMatching(/^\/transformation\/mapping\/name: /) as string,
    ],
  ],
  [
    'constants only',
    'database',
    {
      transformation: mapping({ email: '"x"' }),
      inSchema: schemaOf({ id: text, changed: { kind: 'date' } }),
    },
    ['/transformation/mapping: must read a property: it has constants only'],
  ],
  [
    'flags of the source: nothing is required',
    'application',
    { inSchema: schemaOf({ email: text }, { createRequired: true, updateRequired: true }) },
    [
      '/inSchema/properties/0/createRequired: email: must not be createRequired here',
      '/inSchema/properties/0/updateRequired: email: must not be updateRequired here',
    ],
  ],
  [
    'flags of the source: absent and null',
    'application',
    { inSchema: schemaOf({ email: text }, { readOptional: true, nullable: true }) },
    [],
  ],
  [
    'flags of a database: never absent',
    'database',
    { inSchema: withId(text, { readOptional: true }) },
    [
      '/inSchema/properties/0/readOptional: id: must not be readOptional here',
      '/userIDColumn: must be a property that is always there, not readOptional',
    ],
  ],
  [
    'flags of profiles',
    'application',
    { outSchema: schemaOf({ email: text }, { nullable: true, prefilled: 'email' }) },
    [
      '/outSchema/properties/0/readOptional: email: must be readOptional here',
      '/outSchema/properties/0/nullable: email: must not be nullable here',
      '/outSchema/properties/0/prefilled: email: must not be prefilled here',
    ],
  ],
  [
    'inSchema that is none',
    'database',
    { inSchema: json({ kind: 'object' }), query: '${x}' },
    [
      '/query: ${x}: there are only ${updated_at} and ${limit}',
      expect.stringMatching(/^\/inSchema/) as string,
    ],
  ],
];

describe.each<[string, Row[]]>([
  ['queries', QUERIES],
  ['user ids', USER_IDS],
  ['update times', TIMES],
  ['files', FILES],
  ['schemas', SCHEMAS],
])('of %s', (_, rows) => {
  it.each(rows)('%s (%s)', async (_what, kind, changes, expected) => {
    expect(await problems(kind, changes)).toEqual(expected);
  });
});

describe('the schema of profiles', () => {
  it('has all that a new workspace has', async () => {
    const transformation = mapping({ email: 'email', first_name: 'email', last_name: 'email' });
    const outSchema = profiles('email', 'first_name', 'last_name');
    expect(await problems('application', { transformation, outSchema })).toEqual([]);
  });

  it('must have all that is written, with equal types: every difference is named', async () => {
    const transformation = mapping({ email: 'email', name: 'email', first_name: 'email' });
    const outSchema = schemaOf(
      { email: { kind: 'string', maxLength: 9 }, name: text, first_name: { kind: 'json' } },
      { readOptional: true },
    );
    expect(await problems('application', { transformation, outSchema })).toEqual([
      'SchemaNotAligned',
      '/outSchema/properties/0: email: maxLength is 9, in the current schema it is not set',
      '/outSchema/properties/1: name: does not exist in the current schema',
      '/outSchema/properties/2: first_name: kind is json, in the current schema it is string',
    ]);
    await expect(checked('application', { transformation, outSchema })).rejects.toMatchObject({
      message: 'output schema is not aligned with the profile schema',
    });
  });
});

describe('incremental', () => {
  it.each<[ImportKind, Changes, boolean, readonly string[]]>([
    ['application', {}, true, []],
    [
      'application',
      {},
      false,
      [
        'IncrementalNotPossible',
        '/incremental: the application does not list the users that were changed since a time',
      ],
    ],
    ['database', {}, false, []],
    ['file', {}, false, []],
    ...(['database', 'file'] as const).map(
      (kind): [ImportKind, Changes, boolean, readonly string[]] => [
        kind,
        { updatedAtColumn: undefined, updatedAtFormat: undefined },
        true,
        ['IncrementalNotPossible', '/incremental: needs an updatedAtColumn'],
      ],
    ),
  ])('%s with %j; reads changes: %s', async (kind, changes, readsChanges, expected) => {
    expect(await problems(kind, { ...changes, incremental: true }, readsChanges)).toEqual(expected);
  });

  it('is possible to leave out where it is not possible', async () => {
    expect(await problems('application', { incremental: false }, false)).toEqual([]);
  });
});

describe('functions', () => {
  const fn = (changes: object = {}): string =>
    json({
      function: {
        source: 'x',
        language: 'JavaScript',
        preserveJSON: false,
        inPaths: ['email'],
        outPaths: ['email'],
        ...changes,
      },
    });
  const AT = '/transformation/function';

  it('are compiled with the schemas of the import', async () => {
    compiled.length = 0;
    await checked('application', { transformation: fn() });
    expect(compiled).toMatchObject([
      { input: { properties: [{ name: 'email' }] }, output: { properties: [{ name: 'email' }] } },
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'nothing that is read',
      { inPaths: [] },
      [
        `${AT}/inPaths: must have at least one path`,
        '/inSchema/properties/0: property email is not used',
      ],
    ],
    [
      'what is not there',
      { inPaths: ['email', 'traits'] },
      [`${AT}/inPaths/1: does not exist in the schema`],
    ],
    ['a path twice', { outPaths: ['email', 'email'] }, [`${AT}/outPaths/1: is there twice`]],
    [
      'nothing that is given',
      { outPaths: [] },
      [
        `${AT}/outPaths: must have at least one path`,
        '/outSchema: property email is not given by the function',
      ],
    ],
    ['another language', { language: 'Ruby' }, ['UnsupportedLanguage']],
  ])('with %s', async (_, changes, expected) => {
    expect(await problems('application', { transformation: fn(changes) })).toEqual(expected);
  });
});
