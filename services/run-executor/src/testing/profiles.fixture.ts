import {
  type ExportPipelineState,
  type ExportSettings,
  FIRST_PROFILE_SCHEMA,
  type PipelineId,
} from '@penstock/contracts';
import type { Database } from '@penstock/databases';
import { createGuardedSockets } from '@penstock/egress';
import { newId } from '@penstock/runtime';
import { type Json, parseJson, printType, type Schema } from '@penstock/schema';
import {
  createWarehouses,
  settingsOfUrl,
  WarehouseFault,
  type WarehousePlatform,
  type WarehouseReader,
} from '@penstock/warehouses';
import { type Installation, WORKSPACE } from './installation.fixture';

/** A profile as the specs write it; `null`: it has no such property. */
export interface PlainProfile {
  readonly id: string;
  readonly email: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

/** A profile id by its number. */
export const profileId = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Profiles: names repeat, and some have none. */
export const plainProfiles = (count: number): readonly PlainProfile[] =>
  Array.from({ length: count }, (_, n) => ({
    id: profileId(n),
    email: `${String((n * 7_919) % 10_007)}@example.com`,
    first_name: n % 5 === 0 ? null : `name ${String(n % 13)}`,
    last_name: n % 11 === 0 ? null : `last, "${String(n)}"`,
  }));

/** The profiles of an installation, in a real warehouse in its database. */
export class StoredProfiles {
  private readonly platform: WarehousePlatform;
  private readonly end = new AbortController();
  /** Called before each part of the profiles that is read. */
  beforeRead: () => Promise<void> = () => Promise.resolve();

  private constructor(private readonly installation: Installation) {
    const platform = createWarehouses({ allow: ['127.0.0.0/8'] }).get('PostgreSQL');
    if (platform === undefined) throw new Error('there is no PostgreSQL');
    this.platform = platform;
  }

  static async open(installation: Installation): Promise<StoredProfiles> {
    const stored = new StoredProfiles(installation);
    const url = new URL(installation.url);
    url.search = '?schema=warehouse';
    const settings = settingsOfUrl(url.href);
    const { platform } = stored;
    const warehouse = await platform.connect(settings, AbortSignal.timeout(30_000));
    await warehouse.initialise(WORKSPACE);
    await warehouse.close();
    installation.openReader = async (_, options, signal) =>
      stored.watched(await platform.openReader(settings, options, signal));
    installation.beginMatches = async (...by) => {
      const options = { workspace: WORKSPACE, profiles: FIRST_PROFILE_SCHEMA, keyedHash: String };
      const writer = await platform.openWriter(settings, options, stored.end.signal);
      return writer.beginMatches(...by);
    };
    return stored;
  }

  /** Ends what still writes. */
  close(): void {
    this.end.abort();
  }

  async write(profiles: readonly PlainProfile[]): Promise<void> {
    await this.installation.pool.query(
      `INSERT INTO warehouse._profiles (_profile_id, _created_at, _updated_at, email, first_name, last_name)
       SELECT id, now(), now(), email, first_name, last_name
         FROM jsonb_to_recordset($1) AS p (id uuid, email text, first_name text, last_name text)`,
      [JSON.stringify(profiles)],
    );
  }

  private watched(reader: WarehouseReader): WarehouseReader {
    const before = async (): Promise<void> => {
      await this.beforeRead();
    };
    return {
      countProfiles: (signal) => reader.countProfiles(signal),
      scan: async (...all) => {
        await before();
        return reader.scan(...all);
      },
      async *scanInOrder(...all) {
        for await (const part of reader.scanInOrder(...all)) {
          await before();
          yield part;
        }
      },
    } as Partial<WarehouseReader> as WarehouseReader;
  }
}

/** What warehouses fail with that cannot be reached. */
export const unreachable = (): WarehouseFault =>
  new WarehouseFault('unreachable', 'connection was lost');

/** A part of the schema of profiles. */
export const partOfProfiles = (...names: readonly string[]): string =>
  printType({
    kind: 'object',
    properties: names.flatMap(
      (name) => FIRST_PROFILE_SCHEMA.schema.properties.find((each) => each.name === name) ?? [],
    ),
  });

const anExport = (
  exports: ExportSettings,
  members: Partial<ExportPipelineState>,
): ExportPipelineState => ({
  ...{ kind: 'pipeline', id: newId() as PipelineId, workspace: WORKSPACE, version: 1 },
  ...{ connection: '' as ExportPipelineState['connection'], deleted: false },
  ...{ target: 'User', eventType: null, name: 'Profiles', enabled: true, filter: null },
  ...{ transformation: null, outSchema: null, exports, ...members },
});

type ToFile = Extract<ExportSettings['destination'], { kind: 'file' }>;

/** A pipeline that exports profiles to the file `out.csv`, by their e-mail addresses. */
export const toFile = (
  members: Partial<ExportPipelineState>,
  file: Partial<ToFile> = {},
): ExportPipelineState =>
  anExport(
    {
      destination: {
        ...{ kind: 'file', format: 'csv', path: 'out.csv', sheet: null, compression: '' },
        ...{ formatSettings: '{}', orderBy: 'email', ...file },
      },
      inSchema: partOfProfiles('email', 'first_name', 'last_name'),
    },
    members,
  );

/** A pipeline that exports profiles to the table `people`. */
export const toTable = (
  members: Partial<ExportPipelineState>,
  outSchema: string,
): ExportPipelineState =>
  anExport(
    {
      destination: { kind: 'database', table: 'people', key: 'mail' },
      inSchema: partOfProfiles('email', 'first_name'),
    },
    {
      ...{ transformation: { mapping: { mail: 'email', name: 'first_name' }, function: null } },
      ...{ outSchema, ...members },
    },
  );

type ToApplication = Extract<ExportSettings['destination'], { kind: 'application' }>;

const flagged = (name: string, type: object, flags: object): object => ({ name, type, ...flags });

/** What a pipeline gives of the users of the test application. */
const OF_DUMMY = JSON.stringify({
  kind: 'object',
  properties: [
    flagged('email', { kind: 'string', maxLength: 254 }, { createRequired: true }),
    flagged('firstName', { kind: 'string', maxLength: 100 }, { nullable: true }),
    flagged('lastName', { kind: 'string', maxLength: 100 }, { nullable: true }),
  ],
});

/** A pipeline that exports profiles to the test application, by their e-mail addresses. */
export const toApplication = (
  members: Partial<ExportPipelineState>,
  to: Partial<ToApplication> = {},
): ExportPipelineState =>
  anExport(
    {
      destination: {
        ...{ kind: 'application', mode: 'CreateOrUpdate', updateOnDuplicates: false },
        ...{ matching: { in: 'email', out: 'email' }, ...to },
      },
      inSchema: partOfProfiles('email', 'first_name', 'last_name'),
    },
    {
      transformation: {
        mapping: { firstName: 'first_name', lastName: 'last_name' },
        function: null,
      },
      ...{ outSchema: OF_DUMMY, ...members },
    },
  );

/** The columns `mail`, which is the key, and `name` of the table `people`, as a pipeline has them. */
export const columnsOf = async (
  database: Pick<Database, 'columns'>,
  settings: object,
): Promise<string> => {
  const given = parseJson(JSON.stringify(settings)) as ReadonlyMap<string, Json>;
  const call = {
    sockets: createGuardedSockets(['127.0.0.0/8']),
    signal: AbortSignal.timeout(20_000),
  };
  const { schema } = await database.columns('people', given, call);
  const properties: Schema['properties'] = schema.properties
    .filter(({ name }) => name === 'mail' || name === 'name')
    .map((property) => ({
      ...property,
      createRequired: property.name === 'mail',
      ...{ nullable: property.name !== 'mail', readOptional: false },
    }));
  return printType({ kind: 'object', properties });
};
