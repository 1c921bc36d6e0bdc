import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { ApiClient } from '../harness/api-client';
import { type Installation, showingOutput } from '../harness/installation';
import { until } from '../harness/until';
import { sized } from '../router-faults/sizes';
import type { Place, Survivor } from './place';

const RECORDS = sized(5_000, 10_000);
const USERS = sized(400, 1_000);

let root: string;
let installation: Installation;
let api: ApiClient;

interface Run {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly passed: readonly number[];
  readonly failed: readonly number[];
  readonly error: string;
  readonly purged: number;
  readonly progress: { readonly passed: readonly number[] } | null;
}

const text = { kind: 'string' };
const property = (name: string, flags: object = {}) => ({ name, type: text, ...flags });
const profiles = (...names: readonly string[]) => ({
  kind: 'object',
  properties: names.map((name) => property(name, { readOptional: true })),
});

const createPipeline = async (
  connector: string,
  settings: Readonly<Record<string, unknown>>,
  members: object,
) => {
  const connection = await api.createConnection({
    name: connector,
    role: 'Source',
    connector,
    settings,
  });
  const made = (await api.call('POST', '/v1/pipelines', {
    name: 'Users',
    target: 'User',
    enabled: true,
    connection,
    ...members,
  })) as { readonly id: string };
  return { connection, pipeline: made.id };
};

const start = async (pipeline: string): Promise<string> =>
  ((await api.call('POST', `/v1/pipelines/${pipeline}/runs`)) as { readonly id: string }).id;

const get = async (run: string): Promise<Run> =>
  (await api.call('GET', `/v1/pipelines/runs/${run}`)) as Run;

const ended = async (run: string): Promise<Run> => {
  await until('the run has ended', async () => (await get(run)).progress === null);
  return get(run);
};

/** The rows of the warehouse that a pipeline has written, by the id of their record. */
const identities = async (pipeline: string): Promise<Map<string, object>> => {
  const client = new Client({ connectionString: installation.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; row: object }>(
      `SELECT _record_id AS id, jsonb_build_object('email', email, 'first_name', first_name) AS row
       FROM warehouse._identities WHERE _pipeline = $1`,
      [pipeline],
    );
    return new Map(rows.map(({ id, row }) => [id, row]));
  } finally {
    await client.end();
  }
};

const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);

/** Each record passes a step or ends in it. */
const expectConserved = ({ passed, failed }: Run): void => {
  for (let step = 0; step < 5; step += 1)
    expect(passed[step]).toBe((passed[step + 1] ?? 0) + (failed[step + 1] ?? 0));
};

const CSV = {
  format: 'csv',
  path: 'users.csv',
  formatSettings: { hasColumnNames: true },
  userIDColumn: 'id',
  filter: {
    logical: 'and',
    conditions: [{ property: 'name', operator: 'is not', values: ['Nobody'] }],
  },
  transformation: { mapping: { email: 'lower(email)', first_name: 'name' } },
  inSchema: {
    kind: 'object',
    properties: [property('id'), property('email'), property('name')],
  },
  outSchema: profiles('email', 'first_name'),
};

const nameOf = (n: number): string => (n % 10 === 3 ? 'Nobody' : `Name ${String(n)}`);

const writeUsers = (from: number, to: number, file = CSV.path): void => {
  const lines = ['id,email,name'];
  for (let n = from; n < to; n += 1)
    lines.push(`u${String(n)},User${String(n)}@Example.COM,${nameOf(n)}`);
  lines.push(',nobody@example.com,No id');
  writeFileSync(join(root, file), `${lines.join('\n')}\n`);
};

const expectedUsers = (from: number, to: number): Map<string, object> => {
  const found = new Map<string, object>();
  for (let n = from; n < to; n += 1)
    if (nameOf(n) !== 'Nobody')
      found.set(`u${String(n)}`, {
        email: `user${String(n)}@example.com`,
        first_name: nameOf(n),
      });
  return found;
};

interface Identity {
  readonly userId: string;
  readonly pipeline: string;
  readonly updatedAt: string;
  readonly profile: string | null;
}

/** Reads every page of the identities of a connection. */
const listed = async (connection: string, limit: number): Promise<readonly Identity[][]> => {
  const pages: Identity[][] = [];
  let cursor = '';
  do {
    const query = `limit=${String(limit)}&cursor=${encodeURIComponent(cursor)}`;
    const page = (await api.call('GET', `/v1/connections/${connection}/identities?${query}`)) as {
      readonly identities: Identity[];
      readonly cursor: string;
    };
    pages.push(page.identities);
    ({ cursor } = page);
  } while (cursor !== '');
  return pages;
};

const keysOf = (users: ReadonlyMap<string, object>): string[] => [...users.keys()].sort();

/** Runs of imports. */
export const runs = (place: () => Place): Survivor => {
  let killedPipeline: string;
  let killedRun: string;

  beforeAll(() => {
    ({ installation, root } = place());
    ({ api } = place().first);
  });

  describe('runs', () => {
    it('lists what was imported, page by page, while others are imported into the same source', () =>
      showingOutput(
        () => installation,
        async () => {
          writeUsers(0, USERS);
          const { connection, pipeline } = await createPipeline('filesystem', {}, CSV);
          expect(await ended(await start(pipeline))).toMatchObject({ status: 'Succeeded' });
          writeUsers(USERS, 2 * USERS, 'others.csv');
          const others = (await api.call('POST', '/v1/pipelines', {
            ...{ ...CSV, path: 'others.csv', connection },
            ...{ name: 'Others', target: 'User', enabled: true },
          })) as { readonly id: string };
          const run = await start(others.id);
          const pages = await listed(connection, 50);
          const first = pages.flat().filter((identity) => identity.pipeline === pipeline);
          expect(pages.length).toBeGreaterThanOrEqual((0.9 * USERS) / 50);
          expect(first.map(({ userId }) => userId).sort()).toEqual(keysOf(expectedUsers(0, USERS)));

          expect(await ended(run)).toMatchObject({ status: 'Succeeded' });
          const all = (await listed(connection, 1_000)).flat();
          expect(all.map(({ userId }) => userId).sort()).toEqual(
            keysOf(expectedUsers(0, 2 * USERS)),
          );
          const times = all.map(({ updatedAt }) => updatedAt);
          expect(times).toEqual([...times].sort().reverse());
          // The end of the run had the identities resolved, which may be done by now.
          expect(all[0]?.profile ?? '').toMatch(/^([\da-f-]{36})?$/);
          expect(all[0]).toEqual({
            ...{
              userId: all[0]?.userId,
              connection,
              pipeline: others.id,
              profile: all[0]?.profile,
            },
            updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
          });
        },
      )());

    it('imports the users of an application, and runs again', () =>
      showingOutput(
        () => installation,
        async () => {
          const { pipeline } = await createPipeline(
            'dummy',
            { userCount: USERS },
            {
              transformation: {
                function: {
                  language: 'JavaScript',
                  source:
                    'const transform = (user) => ({ email: user.email, first_name: user.firstName });',
                  preserveJSON: false,
                  inPaths: ['email', 'firstName'],
                  outPaths: ['email', 'first_name'],
                },
              },
              inSchema: {
                kind: 'object',
                properties: [
                  { name: 'email', type: { kind: 'string', maxLength: 254 } },
                  {
                    name: 'firstName',
                    type: { kind: 'string', maxLength: 100 },
                    nullable: true,
                  },
                ],
              },
              outSchema: profiles('email', 'first_name'),
            },
          );
          for (const _ of [1, 2]) {
            const record = await ended(await start(pipeline));
            expect(record).toMatchObject({ status: 'Succeeded', error: '' });
            expect(record.passed).toEqual([USERS, USERS, USERS, USERS, USERS, USERS]);
            expect(sum(record.failed)).toBe(0);
          }
          expect((await identities(pipeline)).size).toBe(USERS);
        },
      )());

    it('cancels a run within seconds, and removes what a full import has not seen', () =>
      showingOutput(
        () => installation,
        async () => {
          const { pipeline } = await createPipeline(
            'filesystem',
            {},
            { ...CSV, path: 'users.csv', name: 'Others' },
          );
          writeUsers(0, 50);
          expect(await ended(await start(pipeline))).toMatchObject({ status: 'Succeeded' });
          writeUsers(25, 60);
          // A record without an id prevents the removal: it might be one of those that are missing.
          expect(await ended(await start(pipeline))).toMatchObject({
            status: 'Succeeded',
            purged: 0,
          });
          writeFileSync(join(root, 'users.csv'), 'id,email,name\nu30,a@example.com,A\n');
          const before = (await identities(pipeline)).size;
          const record = await ended(await start(pipeline));
          expect(record).toMatchObject({ status: 'Succeeded', purged: before - 1 });
          expect([...(await identities(pipeline)).keys()]).toEqual(['u30']);

          const slow = await createPipeline(
            'dummy',
            { userCount: 100, pageSize: 1, operationDelay: '1s' },
            {
              transformation: { mapping: { email: 'email' } },
              inSchema: {
                kind: 'object',
                properties: [{ name: 'email', type: { kind: 'string', maxLength: 254 } }],
              },
              outSchema: profiles('email'),
            },
          );
          const run = await start(slow.pipeline);
          await until('it runs', async () => (await get(run)).status === 'Running');
          await api.call('POST', `/v1/pipelines/runs/${run}/cancel`);
          expect(await ended(run)).toMatchObject({
            status: 'Cancelled',
            error: 'run was cancelled',
          });
        },
      )());
  });

  return {
    what: 'a file is imported exactly',
    begin: async () => {
      writeUsers(0, RECORDS, 'many.csv');
      const made = await createPipeline('filesystem', {}, { ...CSV, path: 'many.csv' });
      ({ pipeline: killedPipeline } = made);
      killedRun = await start(killedPipeline);
      await until('some batches are settled', async () => {
        const { progress } = await get(killedRun);
        return (progress?.passed[0] ?? RECORDS) >= 1_000;
      });
    },
    end: async () => {
      const record = await ended(killedRun);
      expect(record).toMatchObject({ status: 'Succeeded', error: '', purged: 0 });
      expect(record.passed[0]).toBe(RECORDS);
      expect(record.failed).toEqual([1, 0, RECORDS / 10, 0, 0, 0]);
      expectConserved(record);
      expect(await identities(killedPipeline)).toEqual(expectedUsers(0, RECORDS));
      const { errors } = (await api.call('GET', `/v1/pipelines/runs/${killedRun}/errors`)) as {
        readonly errors: readonly { readonly step: string; readonly count: number }[];
      };
      expect(errors).toMatchObject([{ step: 'Receive', count: 1 }]);
      const { facts } = (await api.call(
        'GET',
        `/v1/pipelines/runs/${killedRun}/history?limit=1000`,
      )) as {
        readonly facts: readonly { readonly type: string }[];
      };
      expect(facts[0]?.type).toBe('RunRequested');
      expect(facts.at(-1)?.type).toBe('RunSucceeded');
      expect(await api.call('GET', `/v1/pipelines/${killedPipeline}`)).toMatchObject({
        running: false,
        health: { status: 'Healthy' },
      });
      const audit = await installation.executor.run('run-executor/dist/audit-verify-main.js');
      expect(audit).toEqual({
        exitCode: 0,
        output: expect.stringMatching(/^\d+ facts of \d+ runs[^:]*: no difference$/m) as string,
      });
    },
  };
};
