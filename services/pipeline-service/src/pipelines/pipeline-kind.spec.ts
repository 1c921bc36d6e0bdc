import { type Connector, createConnectors, DummyStore } from '@penstock/connectors';
import { Refusal } from '@penstock/contracts';
import { Pool } from 'pg';
import { TO_APPLICATION, TO_DATABASE, TO_FILE } from '../testing/export.fixture';
import { APPLICATION, DATABASE, FILE } from '../testing/import.fixture';
import { checkMembers, pipelineKind, type PipelineKind } from './pipeline-kind';

const pool = new Pool();
afterAll(() => pool.end());

const connectors = createConnectors({ dummyStore: new DummyStore(pool), filesRoot: '/' });

/** The connectors that there are, and a database that is none. */
const connectorOf = (code: string): Connector => {
  const found = connectors.get(code === 'database' ? 'filesystem' : code);
  if (found === undefined) throw new Error(`there is no connector ${code}`);
  return code === 'database' ? { ...found, type: 'Database' } : found;
};

const detailsOf = (work: () => unknown): readonly string[] => {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'BadRequest') throw error;
    return error.details.map(({ path, message }) => `${path}: ${message}`);
  }
};

it.each<[string, 'Source' | 'Destination', string, PipelineKind | undefined]>([
  ['dummy', 'Source', 'User', 'application'],
  ['dummy', 'Source', 'Event', undefined],
  ['dummy', 'Destination', 'Event', 'event'],
  ['dummy', 'Destination', 'User', 'toApplication'],
  ['hubspot', 'Destination', 'User', 'toApplication'],
  ['klaviyo', 'Destination', 'Event', 'event'],
  ['http', 'Destination', 'User', undefined],
  ['http', 'Destination', 'Event', 'event'],
  ['filesystem', 'Source', 'User', 'file'],
  ['s3', 'Source', 'User', 'file'],
  ['http-get', 'Source', 'User', 'file'],
  ['sftp', 'Source', 'User', 'file'],
  ['sftp', 'Destination', 'User', 'toFile'],
  ['sftp', 'Destination', 'Event', undefined],
  ['http-post', 'Destination', 'User', 'toFile'],
  ['http-get', 'Destination', 'User', undefined],
  ['postgresql', 'Destination', 'User', 'toDatabase'],
  ['clickhouse', 'Destination', 'User', 'toDatabase'],
  ['snowflake', 'Source', 'User', 'database'],
  ['postgresql', 'Destination', 'Event', undefined],
  ['postgresql', 'Source', 'User', 'database'],
  ['filesystem', 'Source', 'Event', undefined],
  ['database', 'Source', 'User', 'database'],
  ['nodejs', 'Source', 'User', 'identities'],
  ['nodejs', 'Source', 'Event', 'rows'],
  ['webhook', 'Source', 'User', 'identities'],
  ['rudderstack', 'Source', 'Event', 'rows'],
])('%s as %s has with target %s the kind %s', (code, role, target, kind) => {
  const find = () => pipelineKind(connectorOf(code), { role }, target);
  if (kind !== undefined) expect(find()).toBe(kind);
  else
    expect(detailsOf(find)).toEqual([
      `/target: the connection does not have pipelines with target ${target}`,
    ]);
});

/** Each member with a value. */
const ALL = {
  ...TO_FILE,
  ...TO_DATABASE,
  ...TO_APPLICATION,
  updateOnDuplicates: true,
  ...FILE,
  ...DATABASE,
  updatedAtFormat: 'ISO8601',
  missingColumns: 'null',
  filter: '{}',
  sheet: 'S',
  compression: '',
  formatSettings: '{}',
  incremental: false,
  eventType: 'e',
};

const MEMBERS: Readonly<Record<PipelineKind, readonly [required: string[], optional: string[]]>> = {
  event: [['eventType'], ['filter', 'transformation', 'outSchema']],
  identities: [[], ['filter', 'transformation', 'outSchema']],
  rows: [[], ['filter']],
  application: [
    ['transformation', 'inSchema', 'outSchema'],
    ['filter', 'incremental'],
  ],
  database: [
    ['query', 'userIDColumn', 'transformation', 'inSchema', 'outSchema'],
    ['updatedAtColumn', 'updatedAtFormat', 'missingColumns', 'incremental'],
  ],
  file: [
    ['format', 'path', 'userIDColumn', 'transformation', 'inSchema', 'outSchema'],
    [
      ...['sheet', 'compression', 'formatSettings', 'updatedAtColumn', 'updatedAtFormat'],
      ...['missingColumns', 'incremental', 'filter'],
    ],
  ],
  toApplication: [
    ['exportMode', 'matching', 'transformation', 'inSchema', 'outSchema'],
    ['updateOnDuplicates', 'filter'],
  ],
  toDatabase: [['tableName', 'tableKey', 'transformation', 'inSchema', 'outSchema'], ['filter']],
  toFile: [
    ['format', 'path', 'orderBy', 'inSchema'],
    ['sheet', 'compression', 'formatSettings', 'filter'],
  ],
};

const KINDS = Object.keys(MEMBERS) as PipelineKind[];

describe.each(KINDS)('the kind %s', (kind) => {
  const [required, optional] = MEMBERS[kind];
  const valid = Object.fromEntries(
    Object.entries(ALL).filter(([name]) => [...required, ...optional].includes(name)),
  );

  it('has its members', () => {
    expect(detailsOf(() => checkMembers(kind, valid))).toEqual([]);
    expect(detailsOf(() => checkMembers(kind, { ...ALL, ...valid })).length).toBe(
      Object.keys(ALL).length - required.length - optional.length,
    );
  });

  it.each(Object.keys(ALL))('member %s: given, left out, null', (name) => {
    const { [name]: _, ...without } = valid;
    const missing = required.includes(name) ? [`/${name}`] : [];
    const tooMuch = Object.hasOwn(valid, name) ? [] : [`/${name}`];
    const paths = (given: object) =>
      detailsOf(() => checkMembers(kind, given)).map((detail) => detail.split(':')[0]);
    expect(paths(without)).toEqual(missing);
    expect(paths({ ...valid, [name]: null })).toEqual(missing);
    expect(paths({ ...valid, [name]: ALL[name as keyof typeof ALL] })).toEqual(tooMuch);
  });
});

it('names all members that are missing or too much', () => {
  expect(detailsOf(() => checkMembers('application', { query: 'q', filter: '{}' }))).toEqual([
    '/query: is no member of a pipeline that imports from an application: leave it out',
    '/transformation: is required for a pipeline that imports from an application',
    '/inSchema: is required for a pipeline that imports from an application',
    '/outSchema: is required for a pipeline that imports from an application',
  ]);
});

it('an application is imported without columns', () => {
  expect(detailsOf(() => checkMembers('application', APPLICATION))).toEqual([]);
});
