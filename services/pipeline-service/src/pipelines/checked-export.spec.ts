import type { FileDestination } from '@penstock/connectors';
import { FIRST_PROFILE_SCHEMA, type KindInput, Refusal } from '@penstock/contracts';
import { FileFault } from '@penstock/files';
import {
  tableSchema,
  TO_APPLICATION,
  TO_DATABASE,
  TO_FILE,
  userSchema,
} from '../testing/export.fixture';
import { mapping, profiles, schemaOf } from '../testing/import.fixture';
import { checkedExport } from './checked-export';
import type { ExportKind } from './pipeline-kind';
import { readTransformation } from './read-transformation';

type Members = typeof TO_DATABASE;
type Changes = Partial<Record<keyof Members, unknown>>;

const text = { kind: 'string' };
const json = (value: unknown): string => JSON.stringify(value);

/** Refuses a path that ends with a slash, which {@link FileDestination} may. */
const storage: Pick<FileDestination, 'absolutePath'> = {
  absolutePath: (path) => {
    if (path.endsWith('/')) throw new FileFault('InvalidPath', 'must end with the name of a file');
    return path;
  },
};

const VALID: Readonly<Record<ExportKind, Members>> = {
  toApplication: TO_APPLICATION,
  toDatabase: TO_DATABASE,
  toFile: TO_FILE,
};

const checked = (kind: ExportKind, changes: Changes = {}) => {
  const given = Object.entries({ ...VALID[kind], ...changes });
  const input = Object.fromEntries(
    given.filter(([, value]) => value !== undefined),
  ) as unknown as Members & KindInput;
  return checkedExport(input, readTransformation(input.transformation), {
    kind,
    profiles: FIRST_PROFILE_SCHEMA.schema,
    storage: { storage, settings: new Map() },
    compile: () => Promise.resolve(),
  });
};

/** What is wrong, as `path: message`; the code first for a refusal other than BadRequest. */
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

const filter = (property: string): string =>
  json({ logical: 'and', conditions: [{ property, operator: 'is', values: ['x'] }] });

const fn = (changes: object = {}): string =>
  json({
    function: {
      source: 'const transform = (user) => user',
      language: 'JavaScript',
      preserveJSON: false,
      inPaths: ['email', 'first_name'],
      outPaths: ['mail', 'name'],
      ...changes,
    },
  });

const withKey = (type: object, flags: object): string =>
  json({
    kind: 'object',
    properties: [
      { name: 'mail', type, ...flags },
      { name: 'name', type: text, nullable: true },
    ],
  });

type Row = [what: string, kind: ExportKind, changes: Changes, problems: readonly string[]];

const IDS = {
  kind: 'object',
  properties: [
    { name: 'mail', type: text, readOptional: true },
    { name: 'other', type: text, nullable: true },
  ],
};

const UNUSED = '/inSchema/properties/2: property last_name is not used';

const ROWS: Row[] = [
  ['a table', 'toDatabase', {}, []],
  ['a file', 'toFile', {}, []],

  // What is read of profiles.
  [
    'a property that is not used',
    'toDatabase',
    { inSchema: profiles('email', 'first_name', 'last_name') },
    [UNUSED],
  ],
  [
    'a property that only the filter uses',
    'toDatabase',
    { inSchema: profiles('email', 'first_name', 'last_name'), filter: filter('last_name') },
    [],
  ],
  ['of a file, every property is exported', 'toFile', { inSchema: profiles('email') }, []],
  [
    'a property that may not be absent',
    'toFile',
    { inSchema: schemaOf({ email: text }) },
    ['/inSchema/properties/0/readOptional: email: must be readOptional here'],
  ],
  [
    'a property that may be null',
    'toDatabase',
    {
      inSchema: schemaOf({ email: text, first_name: text }, { readOptional: true, nullable: true }),
    },
    [
      '/inSchema/properties/0/nullable: email: must not be nullable here',
      '/inSchema/properties/1/nullable: first_name: must not be nullable here',
    ],
  ],
  [
    'a property that profiles do not have',
    'toFile',
    { inSchema: profiles('email', 'shoe') },
    ['SchemaNotAligned', '/inSchema/properties/1: shoe: does not exist in the current schema'],
  ],
  [
    'a property of another type',
    'toFile',
    { inSchema: schemaOf({ email: { kind: 'string', maxLength: 3 } }, { readOptional: true }) },
    [
      'SchemaNotAligned',
      '/inSchema/properties/0: email: maxLength is 3, in the current schema it is not set',
    ],
  ],

  // The filter.
  ['with a filter', 'toFile', { filter: filter('email') }, []],
  [
    'a filter by a property that is not in the inSchema',
    'toFile',
    { filter: filter('last_name') },
    [expect.stringMatching(/^\/filter\/conditions\/0\/property: /)],
  ],

  // The transformation.
  [
    'a mapping of constants',
    'toDatabase',
    { transformation: mapping({ mail: "'x'", name: "'y'" }) },
    expect.arrayContaining([
      '/transformation/mapping: must read a property: it has constants only',
    ]),
  ],
  [
    'a column that is not written',
    'toDatabase',
    { outSchema: tableSchema({ mail: text }, { name: text, town: text }) },
    ['/outSchema: property town is not given by the mapping'],
  ],
  ['a function', 'toDatabase', { transformation: fn() }, []],
  [
    'a function that does not write a column',
    'toDatabase',
    { transformation: fn({ outPaths: ['mail'] }) },
    ['/outSchema: property name is not given by the function'],
  ],
  [
    'a function in another language',
    'toDatabase',
    { transformation: fn({ language: 'Lua' }) },
    ['UnsupportedLanguage'],
  ],

  // The key.
  [
    'a key of kind int',
    'toDatabase',
    {
      transformation: fn(),
      outSchema: withKey({ kind: 'int', bitSize: 64 }, { createRequired: true }),
    },
    [],
  ],
  [
    'a key of kind uuid',
    'toDatabase',
    { transformation: fn(), outSchema: withKey({ kind: 'uuid' }, { createRequired: true }) },
    [],
  ],
  [
    'a key of another kind',
    'toDatabase',
    { transformation: fn(), outSchema: withKey({ kind: 'boolean' }, { createRequired: true }) },
    ['/tableKey: must be a property of kind string, int or uuid, not boolean'],
  ],
  [
    'a key that may be null or left out',
    'toDatabase',
    { outSchema: withKey(text, { nullable: true }) },
    [
      '/outSchema/properties/0/createRequired: mail: must be createRequired here',
      '/outSchema/properties/0/nullable: mail: must not be nullable here',
    ],
  ],
  [
    'a key that is no column',
    'toDatabase',
    { tableKey: 'mai' },
    expect.arrayContaining([
      '/tableKey: must be the name of a property of outSchema; did you mean "mail"?',
    ]),
  ],
  [
    'a column beside the key that is createRequired',
    'toDatabase',
    { outSchema: tableSchema({ mail: text }, { name: text }, { createRequired: true }) },
    ['/outSchema/properties/1/createRequired: name: must not be createRequired here'],
  ],
  [
    'nothing beside the key',
    'toDatabase',
    {
      inSchema: profiles('email'),
      transformation: mapping({ mail: 'email' }),
      outSchema: tableSchema({ mail: text }, {}),
    },
    ['/outSchema: must have a property beside the tableKey'],
  ],

  // The file.
  ['another format', 'toFile', { format: 'orc' }, ['FormatNotExist']],
  ['a sheet for csv', 'toFile', { sheet: 'S' }, ['/sheet: the format csv has no sheets']],
  [
    'excel without a sheet',
    'toFile',
    { format: 'excel' },
    ['/sheet: is required: the format excel has sheets'],
  ],
  ['excel', 'toFile', { format: 'excel', sheet: 'S' }, []],
  ['json without properties, which only reading needs', 'toFile', { format: 'json' }, []],
  [
    'json with the properties that reading needs',
    'toFile',
    { format: 'json', formatSettings: json({ properties: [{ name: 'a' }] }) },
    [expect.stringMatching(/^\/formatSettings\/properties: /)],
  ],
  ['settings of csv', 'toFile', { formatSettings: json({ separator: ';', useCRLF: true }) }, []],
  ['placeholders in any case', 'toFile', { path: '${TODAY}/${now}-${Unix}.csv' }, []],
  [
    'another placeholder',
    'toFile',
    { path: '${tomorrow}.csv' },
    ['/path: there is no placeholder ${tomorrow}: there are ${today}, ${now} and ${unix}'],
  ],
  [
    'a path that the storage refuses',
    'toFile',
    { path: 'out/' },
    ['/path: must end with the name of a file'],
  ],

  // The users of an application.
  ['an application', 'toApplication', {}, []],
  ['an application that only changes users', 'toApplication', { exportMode: 'UpdateOnly' }, []],
  [
    'a property that only the matching uses',
    'toApplication',
    { inSchema: profiles('email', 'first_name', 'last_name') },
    [UNUSED],
  ],
  [
    'matching by what is not in the schemas',
    'toApplication',
    { matching: { in: 'last_name', out: 'shoe' } },
    [
      '/outSchema: property mail is not given by the mapping',
      '/matching/in: must be the path of a property of inSchema',
      '/matching/out: must be the path of a property of outSchema',
      '/inSchema/properties/0: property email is not used',
    ],
  ],
  [
    'matching with a property of another kind',
    'toApplication',
    { outSchema: userSchema({ name: 'mail', type: { kind: 'boolean' } }) },
    ['/matching/out: must be a property of kind int, string or uuid, not boolean'],
  ],
  [
    'a transformation that gives what users are matched by',
    'toApplication',
    { transformation: mapping({ name: 'first_name', mail: 'email' }) },
    [
      '/transformation/mapping/mail: must not give mail, by which users are matched, nor anything around or in it',
    ],
  ],
  [
    'a function that gives what users are matched by',
    'toApplication',
    { transformation: fn() },
    [
      '/transformation/function/outPaths/0: must not give mail, by which users are matched, nor anything around or in it',
    ],
  ],
  [
    'a function that gives the rest',
    'toApplication',
    { transformation: fn({ outPaths: ['name'] }) },
    [],
  ],
  [
    'a transformation that gives what lies around it',
    'toApplication',
    {
      transformation: fn({ outPaths: ['ids', 'name'] }),
      matching: { in: 'email', out: 'ids.mail' },
      outSchema: userSchema({ name: 'ids', type: IDS }),
    },
    [
      '/transformation/function/outPaths/0: must not give ids.mail, by which users are matched, nor anything around or in it',
    ],
  ],
  [
    'a transformation that gives what lies beside it',
    'toApplication',
    {
      transformation: mapping({ name: 'first_name', 'ids.other': 'first_name' }),
      matching: { in: 'email', out: 'ids.mail' },
      outSchema: userSchema({ name: 'ids', type: IDS, readOptional: true }),
    },
    [],
  ],
  [
    'a property of users that is not given',
    'toApplication',
    { outSchema: userSchema({ name: 'mail', type: text }, { name: text, town: text }) },
    ['/outSchema: property town is not given by the mapping'],
  ],
  [
    'what may be absent when users are read, beside what they are matched by',
    'toApplication',
    {
      outSchema: json({
        kind: 'object',
        properties: [
          { name: 'mail', type: text, readOptional: true },
          { name: 'name', type: text, readOptional: true },
        ],
      }),
    },
    ['/outSchema/properties/1/readOptional: name: must not be readOptional here'],
  ],
  [
    'a filter by a property that profiles do not have',
    'toApplication',
    { filter: filter('last_name') },
    [expect.stringMatching(/^\/filter\/conditions\/0\/property: /)],
  ],

  // The order.
  [
    'an order that is not in the inSchema',
    'toFile',
    { orderBy: 'last_name' },
    ['/orderBy: must be the path of a property of inSchema'],
  ],
  [
    'several at once',
    'toFile',
    { orderBy: 'emial', sheet: 'S', path: 'out/', inSchema: schemaOf({ email: text }) },
    [
      '/sheet: the format csv has no sheets',
      '/path: must end with the name of a file',
      '/inSchema/properties/0/readOptional: email: must be readOptional here',
      '/orderBy: must be the path of a property of inSchema; did you mean "email"?',
    ],
  ],
];

it.each(ROWS)('%s (%s)', async (_, kind, changes, expected) => {
  expect(await problems(kind, changes)).toEqual(expected);
});

it.each(['json', 'array', 'map'] as const)('profiles are not ordered by %s', async (kind) => {
  const type = { kind, ...(kind !== 'json' && { elementType: text }) };
  const inSchema = schemaOf({ email: type }, { readOptional: true });
  expect(await problems('toFile', { inSchema })).toEqual([
    `/orderBy: profiles cannot be ordered by a property of kind ${kind}`,
  ]);
});

const KINDS_OF_VALUES: Readonly<Record<string, object>> = {
  string: text,
  int: { kind: 'int', bitSize: 32 },
  uuid: { kind: 'uuid' },
};

it.each([
  ['int', ['int', 'string']],
  ['string', ['string', 'int', 'uuid']],
  ['uuid', ['uuid', 'string']],
])('values of kind %s are converted to %p', async (from, converted) => {
  for (const [to, type] of Object.entries(KINDS_OF_VALUES)) {
    const given = {
      ...TO_APPLICATION,
      inSchema: schemaOf(
        { first_name: text, id: KINDS_OF_VALUES[from] ?? {} },
        { readOptional: true },
      ),
      matching: { in: 'id', out: 'mail' },
      outSchema: userSchema({ name: 'mail', type }),
    };
    const expected = converted.includes(to)
      ? ['SchemaNotAligned', '/inSchema/properties/1: id: does not exist in the current schema']
      : [`/matching: a value of kind ${from} is not converted to kind ${to}`];
    expect(await problems('toApplication', given)).toEqual(expected);
  }
});

it('the definition is canonical, with the defaults of the format', async () => {
  expect((await checked('toFile', { compression: 'Gzip' })).exports).toEqual({
    destination: {
      kind: 'file',
      format: 'csv',
      path: 'out/${today}.csv',
      sheet: null,
      compression: 'Gzip',
      formatSettings: expect.stringContaining('"separator":","') as string,
      orderBy: 'email',
    },
    inSchema: expect.stringMatching(/^\{"kind":"object"/) as string,
  });
  expect((await checked('toApplication')).exports.destination).toEqual({
    ...{ kind: 'application', mode: 'CreateOrUpdate', updateOnDuplicates: false },
    matching: { in: 'email', out: 'mail' },
  });
  expect((await checked('toDatabase')).exports.destination).toEqual({
    kind: 'database',
    table: 'people',
    key: 'mail',
  });
});

it('of a table the transformation is compiled with both schemas', async () => {
  const given = { ...TO_DATABASE, transformation: fn() };
  const compiled: object[] = [];
  await checkedExport(given, readTransformation(given.transformation), {
    kind: 'toDatabase',
    profiles: FIRST_PROFILE_SCHEMA.schema,
    compile: (_, schemas) => {
      compiled.push(schemas);
      return Promise.resolve();
    },
  });
  expect(compiled).toHaveLength(1);
});
