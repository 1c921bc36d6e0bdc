import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { FILE_FORMATS, writableFile } from '@penstock/files';
import { LocalS3, type LocalSftp, S3_KEYS, startSftp } from '@penstock/local-storages';
import { decodeValue, parseJson, parseSchema, type RecordValue } from '@penstock/schema';
import { Client } from 'pg';
import type { ApiClient } from '../harness/api-client';
import type { Installation } from '../harness/installation';
import { until } from '../harness/until';
import { sized } from '../router-faults/sizes';
import type { Place, Survivor } from './place';

const USERS = sized(4_000, 10_000);
const OTHERS = 2_000;

const folder = mkdtempSync(join(tmpdir(), 'penstock-sftp-'));

let installation: Installation;
let api: ApiClient;
let s3: LocalS3;
let sftp: LocalSftp;

const property = (name: string, flags: object) => ({ name, type: { kind: 'string' }, ...flags });
const schemaOf = (flags: object, ...names: readonly string[]) => ({
  kind: 'object',
  properties: names.map((name) => property(name, flags)),
});

/** Users in a Parquet file. */
const parquetOf = async (count: number): Promise<Buffer> => {
  const schema = parseSchema(
    parseJson(JSON.stringify(schemaOf({ nullable: true }, 'id', 'email'))),
  );
  const format = FILE_FORMATS.find(({ code }) => code === 'parquet');
  if (format === undefined) throw new Error('there is no Parquet');
  async function* records(): AsyncGenerator<readonly RecordValue[]> {
    for (let n = 0; n < count; n += 1) {
      const json = `{"id":"p${String(n)}","email":"Parquet${String(n)}@Example.com"}`;
      yield await Promise.resolve([decodeValue(schema, parseJson(json)) as RecordValue]);
    }
  }
  const file = writableFile({
    ...{ format, schema, compression: '', settings: new Map() },
    packed: { name: 'users.parquet', at: new Date() },
  });
  return buffer(Readable.from(file.bytes(records())));
};

const createPipeline = async (
  connector: string,
  settings: Readonly<Record<string, unknown>>,
  members: object,
  flags: object,
): Promise<string> => {
  const connection = await api.createConnection({
    ...{ name: connector, role: 'Source', connector, settings },
  });
  const { id } = (await api.call('POST', '/v1/pipelines', {
    ...{ name: 'Users', target: 'User', enabled: true, connection, userIDColumn: 'id' },
    transformation: { mapping: { email: 'lower(email)' } },
    inSchema: schemaOf(flags, 'id', 'email'),
    outSchema: schemaOf({ readOptional: true }, 'email'),
    ...members,
  })) as { readonly id: string };
  return id;
};

interface Run {
  readonly status: string;
  readonly error: string;
  readonly passed: readonly number[];
  readonly progress: { readonly passed: readonly number[] } | null;
}

const started = async (pipeline: string): Promise<string> =>
  ((await api.call('POST', `/v1/pipelines/${pipeline}/runs`)) as { readonly id: string }).id;
const get = async (run: string): Promise<Run> =>
  (await api.call('GET', `/v1/pipelines/runs/${run}`)) as Run;

/** What a pipeline has written to the warehouse: addresses by the ids of the records. */
const identities = async (pipeline: string): Promise<Map<string, string>> => {
  const client = new Client({ connectionString: installation.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; email: string }>(
      'SELECT _record_id AS id, email FROM warehouse._identities WHERE _pipeline = $1',
      [pipeline],
    );
    return new Map(rows.map(({ id, email }) => [id, email]));
  } finally {
    await client.end();
  }
};

const expected = (letter: string, name: string, count: number): Map<string, string> =>
  new Map(
    Array.from({ length: count }, (_, n) => [
      `${letter}${String(n)}`,
      `${name}${String(n)}@example.com`,
    ]),
  );

/** Imports of files that are stored elsewhere. */
export const storedFiles = (place: () => Place): Survivor => {
  let pipelines: readonly [string, string];
  let runs: readonly string[];

  beforeAll(async () => {
    ({ installation } = place());
    ({ api } = place().first);
    s3 = await LocalS3.start('exports');
    sftp = await startSftp();
  });

  afterAll(async () => {
    await s3.close();
    await sftp.stop();
    rmSync(folder, { recursive: true });
  });

  return {
    what: 'a Parquet file of S3 is imported beside a csv file of an SFTP server',
    begin: async () => {
      s3.put('in/users.parquet', await parquetOf(USERS));
      const lines = Array.from(
        { length: OTHERS },
        (_, n) => `c${String(n)},Csv${String(n)}@Example.com`,
      );
      writeFileSync(join(folder, 'users.csv'), `id,email\n${lines.join('\n')}\n`);
      const { port, username, privateKey, hostPublicKey } = sftp;
      pipelines = [
        await createPipeline(
          's3',
          { ...S3_KEYS, bucket: 'exports', endpoint: s3.endpoint },
          { format: 'parquet', path: 'in/users.parquet' },
          { nullable: true },
        ),
        await createPipeline(
          'sftp',
          { host: 'localhost', port, username, privateKey, hostPublicKey },
          {
            format: 'csv',
            path: join(folder, 'users.csv'),
            formatSettings: { hasColumnNames: true },
          },
          {},
        ),
      ];
      runs = await Promise.all(pipelines.map(started));
      const [first = ''] = runs;
      await until('some batches are settled', async () => {
        const { progress } = await get(first);
        return (progress?.passed[0] ?? USERS) >= 1_000;
      });
    },
    end: async () => {
      for (const [index, run] of runs.entries()) {
        await until('the run has ended', async () => (await get(run)).progress === null);
        const record = await get(run);
        expect(record).toMatchObject({ status: 'Succeeded', error: '' });
        expect(record.passed[0]).toBe(index === 0 ? USERS : OTHERS);
      }
      expect(await identities(pipelines[0])).toEqual(expected('p', 'parquet', USERS));
      expect(await identities(pipelines[1])).toEqual(expected('c', 'csv', OTHERS));
      expect(sftp.connections).toBe(0);
    },
  };
};
