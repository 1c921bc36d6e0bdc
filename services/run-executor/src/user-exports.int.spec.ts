import { createHash } from 'node:crypto';
import type { Connector } from '@penstock/connectors';
import {
  type ConnectionId,
  EXPORT_MODES,
  type ExportMode,
  type ExportPipelineState,
  type LiveRun,
  type RunId,
  type RunView,
} from '@penstock/contracts';
import { checkFolds } from './testing/check-folds.fixture';
import { Installation } from './testing/installation.fixture';
import { until } from '@penstock/test-servers';
import {
  type PlainProfile,
  plainProfiles,
  profileId,
  StoredProfiles,
  toApplication,
} from './testing/profiles.fixture';

jest.setTimeout(600_000);

/** Users that the test application has before. */
const USERS = 60;
const FAIL_PERCENTAGE = 10;

const FILTER = JSON.stringify({
  logical: 'and',
  conditions: [{ property: 'first_name', operator: 'is not', values: ['name 3'] }],
});

let installation: Installation;
let profiles: StoredProfiles;

beforeEach(async () => {
  installation = await Installation.open();
  profiles = await StoredProfiles.open(installation);
});
afterEach(async () => {
  await checkFolds(installation.pool);
  profiles.close();
  await installation.close();
});

const request = (pipeline: ExportPipelineState): Promise<RunId> =>
  installation.request(pipeline, { incremental: null });

const performed = async (pipeline: ExportPipelineState): Promise<RunView> =>
  installation.ended(await request(pipeline));

const destination = (settings: object = {}): Promise<ConnectionId> =>
  installation.destination('dummy', { userCount: USERS, pageSize: 70, ...settings });

/** Where few users are found by a look-up, all are read before; where none are, what is in doubt is given up. */
const lookingUp =
  (maxValues: number) =>
  (connector: Connector): Connector => {
    const { userDestination } = connector;
    if (connector.code !== 'dummy' || userDestination?.lookUp === undefined) return connector;
    const { lookUp, ...rest } = userDestination;
    const found = maxValues === 0 ? rest : { ...rest, lookUp: { ...lookUp, maxValues } };
    return { ...connector, userDestination: found };
  };

/** Some have the address of a user, some none, and some that of another profile. */
const people = (count: number): readonly PlainProfile[] =>
  plainProfiles(count).map((each, n) => {
    if (n % 3 === 1) return { ...each, email: `user-${String(n)}@example.com` };
    if (n % 29 === 2) return { ...each, email: null };
    return n % 31 === 3 ? { ...each, email: 'shared@example.com' } : each;
  });

const doesMatch = ({ first_name: name }: PlainProfile): boolean => name !== 'name 3';

const isFailing = (email: string, percentage: number): boolean =>
  parseInt(createHash('sha256').update(email).digest('hex').slice(0, 8), 16) % 100 < percentage;

const isThere = (email: string): boolean => {
  const number = Number(/^user-(\d+)@/.exec(email)?.[1]);
  return number >= 1 && number <= USERS;
};

/** What the specification says of these profiles. */
const expected = (all: readonly PlainProfile[], mode: ExportMode, percentage: number) => {
  const kept = all.filter(doesMatch);
  const counts = new Map<string, number>();
  for (const { email } of kept) if (email !== null) counts.set(email, (counts.get(email) ?? 0) + 1);
  const failed = [0, 0, all.length - kept.length, 0, 0, 0];
  const users: unknown[][] = [];
  for (const { email, first_name: first } of kept) {
    const isKnown = email !== null && isThere(email);
    if (email === null) failed[2]! += 1;
    else if (counts.get(email) !== 1) failed[1]! += 1;
    else if (mode === (isKnown ? 'CreateOnly' : 'UpdateOnly')) failed[2]! += 1;
    else if (isFailing(email, percentage)) failed[5]! += 1;
    else users.push([email, first ?? (isKnown ? 'as it was' : null)]);
  }
  let left = all.length;
  const passed = failed.map((count) => (left -= count));
  return { totals: { passed, failed }, users: users.sort() };
};

/** The users that were written, whose names are null where they are as they were generated. */
const written = async (): Promise<unknown[][]> => {
  const { rows } = await installation.pool.query<{ email: string; name: string | null }>(
    `SELECT record->>'email' AS email, record->>'firstName' AS name FROM penstock_dummy.users`,
  );
  return rows
    .map(({ email, name }) => [
      email,
      isThere(email) && !name?.startsWith('name') ? 'as it was' : name,
    ])
    .sort();
};

const leftOver = async (): Promise<number> => {
  const { rows } = await installation.pool.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM penstock_runs.export_keys)::int
          + (SELECT count(*) FROM warehouse._matches)::int AS count`,
  );
  return rows[0]?.count ?? -1;
};

const cancel = async (run: RunId, pipeline: ExportPipelineState): Promise<void> => {
  const live: LiveRun = {
    ...{ run, trigger: 'API', pipelineVersion: 1, incremental: null, cursor: null, slot: null },
    ...{ requestedAt: '2026-06-01T00:00:00.000Z' as never, actor: 'key1' },
    cancelled: { reason: 'Requested' },
  };
  await installation.live(pipeline.id, live);
};

describe.each([
  ['are looked up', false],
  ['are read before', true],
])('to an application whose users %s', (_, isRead) => {
  beforeEach(() => {
    if (isRead) installation.overConnector = lookingUp(10);
  });

  it.each(EXPORT_MODES)('users are written and counted (%s)', async (mode) => {
    const all = people(160);
    await profiles.write(all);
    await installation.start();
    const connection = await destination({ customerExportFailPercentage: FAIL_PERCENTAGE });
    const run = await performed(toApplication({ connection, filter: FILTER }, { mode }));
    const { totals, users } = expected(all, mode, FAIL_PERCENTAGE);
    expect(run).toMatchObject({ status: 'Succeeded', error: '', ...totals });
    expect(await written()).toEqual(users);
    const { errors } = await installation.ask('ListRunErrors', {
      ...{ id: run.id, seen: 0, limit: 10, cursor: '' },
    });
    expect(errors.map(({ step, code }) => [step, code]).sort()).toEqual([
      ['Finalize', 'Refused'],
      ['InputValidation', 'Ambiguous'],
    ]);
    expect(JSON.stringify(errors)).not.toMatch(/name |@example/);
    await until(async () => (await leftOver()) === 0);
  });

  it('another worker goes on when one is lost, and no user is created twice', async () => {
    const all = people(330);
    await profiles.write(all);
    const connection = await destination();
    const pipeline = toApplication({ connection, filter: FILTER });
    const start = () => installation.start();
    let workers = [await start(), await start()];
    const run = await request(pipeline);
    const count = async () =>
      (
        await installation.pool.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM warehouse._matches`,
        )
      ).rows[0]?.count ?? 0;
    // The first workers do not come to the end: four parts for the values of all, and one that is written.
    const MAX_READS = 5;
    let isHeld = true;
    let reads = 0;
    profiles.beforeRead = async () => {
      reads += 1;
      if (reads > MAX_READS) await until(() => !isHeld);
    };
    const isPast = async (share: number): Promise<boolean> => {
      if (share === 0) return reads > MAX_READS || (await count()) > 0;
      const { progress } = await installation.run(run);
      return (progress?.passed[0] ?? share) >= share;
    };
    for (const share of [0, 100, 200]) {
      await until(() => isPast(share));
      await Promise.all(workers.map((each) => each.kill()));
      await installation.lapse();
      isHeld = false;
      workers = [await start(), await start()];
    }
    const ended = await installation.ended(run);
    const { totals, users } = expected(all, 'CreateOrUpdate', 0);
    expect(ended).toMatchObject({ status: 'Succeeded', ...totals });
    expect(ended.attempt).toBeGreaterThan(1);
    expect(await written()).toEqual(users);
  });
});

it('where nothing can be looked up, what a lost worker may have created is not created again', async () => {
  installation.overConnector = lookingUp(0);
  const all = people(330);
  await profiles.write(all);
  const connection = await destination();
  const pipeline = toApplication({ connection });
  const one = await installation.start();
  const run = await request(pipeline);
  await until(async () => (await written().catch(() => [])).length > 120);
  await one.kill();
  await installation.lapse();
  await installation.start();
  const ended = await installation.ended(run);
  const emails = (await written()).map(([email]) => email);
  expect(new Set(emails).size).toBe(emails.length);
  const { errors } = await installation.ask('ListRunErrors', {
    ...{ id: run, seen: 0, limit: 10, cursor: '' },
  });
  const unconfirmed = errors.find(({ code }) => code === 'Unconfirmed')?.count ?? 0;
  expect(errors.map(({ code }) => code)).not.toContain('Refused');
  expect(ended.failed[5]).toBe(unconfirmed);
  expect(ended.passed[5]! + unconfirmed).toBe(ended.passed[4]);
});

it('a second run changes the users that the first one has created, or leaves them out', async () => {
  const all = people(80);
  await profiles.write(all);
  await installation.start();
  const connection = await destination();
  const first = await performed(toApplication({ connection }));
  const before = await written();
  const again = await performed(toApplication({ connection }));
  expect(again).toMatchObject({ passed: first.passed, failed: first.failed });
  expect(await written()).toEqual(before);
  const only = await performed(toApplication({ connection }, { mode: 'CreateOnly' }));
  expect(only.passed[5]).toBeLessThan(10);
  expect(await written()).toEqual(before);
});

it('all users of a profile are changed, or the profile fails', async () => {
  const [one] = plainProfiles(2).slice(1);
  await profiles.write([{ ...(one as PlainProfile), email: 'tea', first_name: 'name x' }]);
  await installation.start();
  const connection = await destination({ userCount: 12 });
  const outSchema = JSON.stringify({
    kind: 'object',
    properties: [
      {
        ...{ name: 'favouriteDrink', nullable: true },
        type: { kind: 'string', values: ['tea', 'beer', 'wine', 'water'] },
      },
      { name: 'firstName', type: { kind: 'string', maxLength: 100 }, nullable: true },
      { name: 'lastName', type: { kind: 'string', maxLength: 100 }, nullable: true },
    ],
  });
  const to = { matching: { in: 'email', out: 'favouriteDrink' }, mode: 'UpdateOnly' } as const;
  const run = await performed(toApplication({ connection, outSchema }, to));
  expect(run).toMatchObject({ passed: [1, 0, 0, 0, 0, 0], failed: [0, 1, 0, 0, 0, 0] });
  const all = await performed(
    toApplication({ connection, outSchema }, { ...to, updateOnDuplicates: true }),
  );
  expect(all).toMatchObject({ passed: [1, 1, 1, 1, 1, 1], failed: [0, 0, 0, 0, 0, 0] });
  const { rows } = await installation.pool.query(
    `SELECT DISTINCT record->>'favouriteDrink' AS drink, record->>'firstName' AS name FROM penstock_dummy.users`,
  );
  expect(rows).toEqual([{ drink: 'tea', name: 'name x' }]);
});

it('users are changed that are found by what cannot be written of them', async () => {
  const [one, other] = plainProfiles(3).slice(1);
  await profiles.write([
    { ...(one as PlainProfile), email: 'dummy-7', first_name: 'name x' },
    { ...(other as PlainProfile), email: 'dummy-70', first_name: 'name y' },
  ]);
  await installation.start();
  const connection = await destination();
  const dummyId = { name: 'dummyId', type: { kind: 'string', maxLength: 50 } };
  const firstName = { name: 'firstName', type: { kind: 'string', maxLength: 100 }, nullable: true };
  const members = {
    ...{
      connection,
      outSchema: JSON.stringify({ kind: 'object', properties: [dummyId, firstName] }),
    },
    transformation: { mapping: { firstName: 'first_name' }, function: null },
  };
  const matching = { in: 'email', out: 'dummyId' };
  const run = await performed(toApplication(members, { matching, mode: 'UpdateOnly' }));
  expect(run).toMatchObject({ passed: [2, 2, 1, 1, 1, 1], failed: [0, 0, 1, 0, 0, 0] });
  const { rows } = await installation.pool.query(
    `SELECT id, record->>'firstName' AS name FROM penstock_dummy.users`,
  );
  expect(rows).toEqual([{ id: 'dummy-7', name: 'name x' }]);
  const both = await performed(toApplication(members, { matching }));
  expect(both).toMatchObject({ status: 'Failed' });
  expect(both.error).toMatch(/dummyId: does not exist/);
});

describe('an application that fails', () => {
  it.each([
    [
      'for a time',
      [
        { at: 2, times: 3, status: 503 },
        { at: 9, times: 2, status: 429 },
      ],
    ],
    [
      'without an answer',
      [
        { at: 3, times: 2, status: 500 },
        { at: 8, times: 1, status: 408 },
      ],
    ],
    ['for single users', [{ at: 4, times: 1, status: 400 }]],
  ])('%s', async (what, failures) => {
    const all = people(40);
    await profiles.write(all);
    await installation.start();
    const connection = await destination({
      failures: failures.map((each) => ({ operation: 'upsert', ...each })),
    });
    const run = await performed(toApplication({ connection, filter: FILTER }));
    const { totals, users } = expected(all, 'CreateOrUpdate', 0);
    const refused = what === 'for single users' ? 1 : 0;
    const counts = ({ passed, failed }: typeof totals) => ({
      passed: passed.map((count, at) => (at === 5 ? count - refused : count)),
      failed: failed.map((count, at) => (at === 5 ? count + refused : count)),
    });
    expect(run).toMatchObject({ status: 'Succeeded', ...counts(totals) });
    expect(await written()).toHaveLength(users.length - refused);
  });

  it.each([
    ['that it does not know who asks', 401, 'Rejected'],
    ['with an exception', 'throw', 'ConnectorFailed'],
  ])('%s ends the run', async (_, status, code) => {
    await profiles.write(people(20));
    await installation.start();
    const connection = await destination({
      failures: [{ operation: 'upsert', at: 3, times: 100, status }],
    });
    const run = await performed(toApplication({ connection }));
    expect(run).toMatchObject({ status: 'Failed', passed: [0, 0, 0, 0, 0, 0] });
    const facts = await installation.ask('ListRunFacts', {
      ...{ id: run.id, seen: 0, limit: 100, cursor: '' },
    });
    const last = facts.facts.at(-1);
    expect(last?.type).toBe('RunFailed');
    expect(JSON.parse(last?.data ?? '')).toMatchObject({ step: 'Finalize', code });
    await until(async () => (await leftOver()) === 0);
  });

  it('fails when its users are not taken for too long, though they can be looked up', async () => {
    await profiles.write(people(20));
    await installation.start({ patienceMs: 300 });
    const failures = [{ operation: 'upsert', at: 1, times: 1_000_000, status: 503 }];
    const connection = await destination({ failures });
    const run = await performed(toApplication({ connection }));
    expect(run).toMatchObject({
      status: 'Failed',
      error: expect.stringContaining('503') as string,
    });
  });

  it('is not sent more than it takes, and does not hold up a cancel', async () => {
    await profiles.write(people(1_500));
    let reads = 0;
    profiles.beforeRead = () => {
      reads += 1;
      return Promise.resolve();
    };
    await installation.start();
    const connection = await destination({ operationDelay: '1h' });
    const pipeline = toApplication({ connection });
    const run = await request(pipeline);
    await until(async () => (await written().catch(() => [])).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    // All profiles for their values; then the batch that is sent, two that wait, and a page.
    expect(reads).toBeLessThanOrEqual(15 + 1 + 4);
    await cancel(run, pipeline);
    const ended = await installation.ended(run);
    expect(ended).toMatchObject({
      ...{ status: 'Cancelled', passed: [0, 0, 0, 0, 0, 0] },
      warnings: [expect.stringMatching(/^it is not known which of \d+ users /)],
    });
    await until(async () => (await leftOver()) === 0);
  });
});

it.each([
  ['has no such property', { name: 'shoe', type: { kind: 'string' } }, /shoe: does not exist/],
  ['has another type', { name: 'firstName', type: { kind: 'string' } }, /firstName: /],
])('a run fails when the application %s', async (_, property, error) => {
  await profiles.write([{ ...(plainProfiles(1)[0] as PlainProfile), id: profileId(1) }]);
  await installation.start();
  const outSchema = JSON.stringify({
    kind: 'object',
    properties: [
      { name: 'email', type: { kind: 'string', maxLength: 254 }, createRequired: true },
      { ...property, nullable: true },
    ],
  });
  const transformation = { mapping: { [property.name]: 'first_name' }, function: null };
  const connection = await destination();
  const run = await performed(toApplication({ connection, outSchema, transformation }));
  expect(run).toMatchObject({ status: 'Failed', passed: [0, 0, 0, 0, 0, 0] });
  expect(run.error).toMatch(error);
});
