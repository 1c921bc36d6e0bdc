import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from '../harness/api-client';
import { until } from '../harness/until';
import { sized } from '../router-faults/sizes';
import type { Place, Survivor } from './place';

/** Profiles that are exported. */
const PROFILES = sized(400, 600);
/** Users that the application has before. */
const USERS = sized(150, 200);
const FAIL_PERCENTAGE = 5;

/** Every second person is a user of the application already, as far as there are so many. */
const people = Array.from({ length: PROFILES }, (_, n) => ({
  email: n % 2 === 0 ? `user-${String(n / 2 + 1)}@example.com` : `new-${String(n)}@example.com`,
  name: `name ${String(n % 17)}`,
}));

const isThere = (_: unknown, n: number): boolean => n % 2 === 0 && n / 2 + 1 <= USERS;

/** As the test application chooses whom it refuses. */
const isRefused = ({ email }: { readonly email: string }): boolean =>
  parseInt(createHash('sha256').update(email).digest('hex').slice(0, 8), 16) % 100 <
  FAIL_PERCENTAGE;

let root: string;
let api: ApiClient;

interface Run {
  readonly passed: readonly number[];
  readonly failed: readonly number[];
  readonly progress: { readonly passed: readonly number[] } | null;
}

const text = (name: string, flags: object = { readOptional: true }) => ({
  ...{ name, type: { kind: 'string' } },
  ...flags,
});

const object = (...properties: readonly object[]) => ({ kind: 'object', properties });

const IN_SCHEMA = object(text('email'), text('first_name'));

const createPipeline = async (members: object): Promise<string> => {
  const common = { name: 'P', target: 'User', enabled: true };
  const made = await api.call('POST', '/v1/pipelines', { ...common, ...members });
  return (made as { id: string }).id;
};

const start = async (pipeline: string): Promise<string> =>
  ((await api.call('POST', `/v1/pipelines/${pipeline}/runs`)) as { id: string }).id;

const runOf = async (id: string): Promise<Run> =>
  (await api.call('GET', `/v1/pipelines/runs/${id}`)) as Run;

const ended = async (id: string): Promise<Run> => {
  await until('the run has ended', async () =>
    runOf(id).then(
      ({ progress }) => progress === null,
      () => false,
    ),
  );
  return runOf(id);
};

const importPeople = async (): Promise<void> => {
  const lines = people.map(({ email, name }, n) => `${String(n)},${email},${name}`);
  writeFileSync(join(root, 'people.csv'), ['id,email,name', ...lines, ''].join('\n'));
  const pipeline = await createPipeline({
    connection: await api.createConnection({
      ...{ name: 'Files', role: 'Source', connector: 'filesystem' },
    }),
    ...{ format: 'csv', path: 'people.csv', formatSettings: { hasColumnNames: true } },
    ...{ userIDColumn: 'id' },
    transformation: { mapping: { email: 'email', first_name: 'name' } },
    inSchema: object(text('id', {}), text('email', {}), text('name', {})),
    outSchema: IN_SCHEMA,
  });
  expect(await ended(await start(pipeline))).toMatchObject({ status: 'Succeeded' });
  await until('all identities have a profile', async () => {
    const list = await api.call('GET', '/v1/profiles?limit=1&count=true');
    const latest = await api.call('GET', '/v1/identity-resolution/latest');
    const { endTime, pending } = latest as { endTime: string | null; pending: number };
    return (list as { total: number }).total === PROFILES && endTime !== null && pending === 0;
  });
};

const toApplication = async (members: object = {}) => {
  const connection = await api.createConnection({
    ...{ name: 'Users', role: 'Destination', connector: 'dummy' },
    settings: { userCount: USERS, customerExportFailPercentage: FAIL_PERCENTAGE },
  });
  const pipeline = await createPipeline({
    ...{ connection, exportMode: 'CreateOrUpdate', matching: { in: 'email', out: 'email' } },
    inSchema: IN_SCHEMA,
    transformation: { mapping: { firstName: 'first_name' } },
    outSchema: object(
      { name: 'email', type: { kind: 'string', maxLength: 254 }, createRequired: true },
      { name: 'firstName', type: { kind: 'string', maxLength: 100 }, nullable: true },
    ),
    ...members,
  });
  return { connection, pipeline };
};

/** What the application counts. */
const written = async (connection: string) =>
  (await api.call('GET', `/v1/connections/${connection}/dummy`)) as {
    readonly users: number;
    readonly creates: number;
    readonly updates: number;
  };

const count = (isCounted: (person: (typeof people)[number], n: number) => boolean): number =>
  people.filter(isCounted).length;

const CREATED = count((person, n) => !isThere(person, n) && !isRefused(person));
const CHANGED = count((person, n) => isThere(person, n) && !isRefused(person));
const REFUSED = count(isRefused);

/** Exports of profiles to an application. */
export const applicationExports = (place: () => Place): Survivor => {
  let application: string;
  let killedRun: string;

  beforeAll(async () => {
    ({ root } = place());
    ({ api } = await place().newWorkspace('Exports to an application'));
    await importPeople();
  });

  describe('exports to an application', () => {
    it.each([
      ['CreateOnly', CREATED, 0],
      ['UpdateOnly', 0, CHANGED],
    ])('in the mode %s', async (exportMode, creates, updates) => {
      const { connection, pipeline } = await toApplication({ exportMode });
      const run = await ended(await start(pipeline));
      expect(run).toMatchObject({ status: 'Succeeded' });
      expect(run.passed[5]).toBe(creates + updates);
      expect(await written(connection)).toMatchObject({ creates, updates });
    });
  });

  return {
    what: 'each profile creates one user of an application, or changes its own, as it is counted',
    begin: async () => {
      const { connection, pipeline } = await toApplication();
      application = connection;
      killedRun = await start(pipeline);
      await until('users are written', async () => {
        const { users } = await written(connection);
        return users > 0 || (await runOf(killedRun)).progress === null;
      });
    },
    end: async () => {
      expect(await ended(killedRun)).toMatchObject({
        ...{ status: 'Succeeded', incremental: null, error: '' },
        passed: [...Array<number>(5).fill(PROFILES), PROFILES - REFUSED],
        failed: [0, 0, 0, 0, 0, REFUSED],
      });
      const { users, creates } = await written(application);
      expect({ users, creates }).toEqual({ users: CREATED + CHANGED, creates: CREATED });
    },
  };
};
