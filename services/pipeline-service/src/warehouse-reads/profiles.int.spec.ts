import { FIRST_PROFILE_SCHEMA, type ProfileView, type Queries } from '@penstock/contracts';
import { printType } from '@penstock/schema';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(60_000);

let installation: Installation;

const run = async (...statements: string[]): Promise<void> => {
  await installation.pool.query('SET search_path = warehouse');
  for (const statement of statements) await installation.pool.query(statement);
};

beforeAll(async () => {
  installation = await Installation.open();
  const url = new URL(installation.databaseUrl);
  url.search = '?schema=warehouse';
  await installation.pool.query('CREATE SCHEMA warehouse');
  await installation.start({ firstWarehouse: { url: url.href } });
});
afterAll(() => installation.close());
beforeEach(() => run('TRUNCATE warehouse._profiles, warehouse._profile_aliases'));

const ID = 'c0ffee00-0000-4000-8000-00000000000';

/** Profiles 1 to `count`, each updated a microsecond after the one before. */
const add = (count: number): Promise<void> =>
  run(`INSERT INTO warehouse._profiles (_profile_id, _created_at, _updated_at, email)
       SELECT ('${ID}' || n)::uuid, '2026-03-01T09:00Z', '2026-03-01T09:30Z'::timestamptz + n * interval '1 microsecond',
              'u' || n || '@b.c'
       FROM generate_series(1, ${String(count)}) AS n`);

const get = (profile: string, properties: readonly string[] | null = null) =>
  installation.query('GetProfile', { profile, properties });

const setMode = (mode: 'Normal' | 'Inspection' | 'Maintenance') =>
  installation.command('SetWarehouseMode', { mode, cancelIncompatibleOperations: false });

describe('a profile', () => {
  it('is shown with what it has', async () => {
    await add(1);
    expect(await get(`${ID}1`)).toEqual({
      id: `${ID}1`,
      createdAt: '2026-03-01T09:00:00.000000Z',
      updatedAt: '2026-03-01T09:30:00.000001Z',
      attributes: '{"email":"u1@b.c"}',
    });
    expect(await get(`${ID}1`, ['last_name'])).toMatchObject({ attributes: '{}' });
  });

  it('that an id was merged into says so', async () => {
    await add(1);
    await run(`INSERT INTO warehouse._profile_aliases VALUES ('${ID}2', '${ID}1')`);
    expect(await get(`${ID}2`)).toMatchObject({ id: `${ID}1`, mergedFrom: `${ID}2` });
    expect(await get(`${ID}1`)).not.toHaveProperty('mergedFrom');
  });

  it('is none where there is none, in another workspace neither', async () => {
    await add(1);
    await expect(get(`${ID}2`)).rejects.toMatchObject({ code: 'ProfileNotExist', kind: 'absent' });
    const workspace = await installation.bareWorkspace();
    const input = { profile: `${ID}1`, properties: null };
    await expect(installation.query('GetProfile', input, { workspace })).rejects.toMatchObject({
      code: 'InvalidWarehouseSettings',
    });
  });

  it('has no other properties than those of its schema', async () => {
    await expect(get(`${ID}1`, ['email', 'emial', 'near.x'])).rejects.toMatchObject({
      code: 'BadRequest',
      details: [
        { path: '/properties', message: 'there is no property "emial": did you mean "email"?' },
        { path: '/properties', message: 'there is no property "near.x"' },
      ],
    });
  });

  it('is read in the modes that allow it', async () => {
    await add(1);
    await setMode('Inspection');
    expect(await get(`${ID}1`)).toMatchObject({ id: `${ID}1` });
    await setMode('Maintenance');
    await expect(get(`${ID}1`)).rejects.toMatchObject({ code: 'MaintenanceMode' });
    await setMode('Normal');
  });

  it.each([
    [674_000, true],
    [676_000, false],
  ])('of %i bytes has room in an answer: %s', async (bytes, fits) => {
    await add(1);
    await run(`UPDATE warehouse._profiles SET email = repeat('x', ${String(bytes)})`);
    const reading = get(`${ID}1`);
    if (fits) expect((await reading).attributes.length).toBeGreaterThan(bytes);
    else
      await expect(reading).rejects.toMatchObject({
        code: 'BadRequest',
        details: [{ path: '/properties', message: expect.stringContaining('too large') as string }],
      });
    expect(await get(`${ID}1`, ['last_name'])).toMatchObject({ attributes: '{}' });
  });

  it('of a warehouse with another schema is 503', async () => {
    await run('UPDATE warehouse._meta SET schema_version = 9');
    await expect(get(`${ID}1`)).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await run('UPDATE warehouse._meta SET schema_version = 1');
  });
});

describe('a list of profiles', () => {
  const list = (input: Partial<Queries['ListProfiles']['in']> = {}) =>
    installation.query('ListProfiles', {
      ...{ properties: null, filter: null, order: null, orderDesc: null, count: false },
      ...{ limit: 100, cursor: '', ...input },
    });
  const numbers = (profiles: readonly ProfileView[]) => profiles.map(({ id }) => Number(id.at(-1)));
  const filterOf = (...values: readonly string[]) =>
    JSON.stringify({
      logical: 'and',
      conditions: [{ property: 'email', operator: 'is one of', values }],
    });
  const badCursor = {
    code: 'BadRequest',
    details: [{ path: '/cursor', message: 'must be a cursor that a list has answered' }],
  };

  it('has them with their schema, those that were updated last first', async () => {
    await add(2);
    expect(await list({ properties: ['email'] })).toEqual({
      profiles: [2, 1].map((n) => ({
        id: `${ID}${String(n)}`,
        createdAt: '2026-03-01T09:00:00.000000Z',
        updatedAt: `2026-03-01T09:30:00.00000${String(n)}Z`,
        attributes: `{"email":"u${String(n)}@b.c"}`,
      })),
      schema: expect.stringMatching(
        /^\{"kind":"object","properties":\[\{"name":"email",.*\}\]\}$/,
      ) as string,
      total: null,
      cursor: '',
    });
    expect((await list()).schema).toBe(printType(FIRST_PROFILE_SCHEMA.schema));
  });

  it.each([
    [{}, [5, 4, 3, 2, 1]],
    [{ orderDesc: false }, [1, 2, 3, 4, 5]],
    [{ order: 'email' }, [1, 2, 3, 4, 5]],
    [{ order: 'email', orderDesc: true }, [5, 4, 3, 2, 1]],
    [{ filter: filterOf('u2@b.c', 'u4@b.c') }, [4, 2]],
  ])('goes by %j, in pages to an empty cursor', async (input, expected) => {
    await add(5);
    const found: number[] = [];
    let cursor = '';
    do {
      const page = await list({ ...input, limit: 2, cursor, count: true });
      expect(page.total).toBe(expected.length);
      found.push(...numbers(page.profiles));
      ({ cursor } = page);
    } while (cursor !== '');
    expect(found).toEqual(expected);
  });

  it('goes on with a cursor of the same properties, filter and order only', async () => {
    await add(3);
    const input = { properties: ['email'], filter: filterOf('u1@b.c', 'u2@b.c'), order: 'email' };
    const { cursor } = await list({ ...input, limit: 1 });
    expect(numbers((await list({ ...input, limit: 9, cursor, count: true })).profiles)).toEqual([
      2,
    ]);
    expect(numbers((await list({ ...input, orderDesc: false, cursor })).profiles)).toEqual([2]);
    for (const other of [
      { properties: null },
      { properties: ['email', 'last_name'] },
      { filter: null },
      { filter: filterOf('u1@b.c') },
      { order: null },
      { order: 'last_name' },
      { orderDesc: true },
    ])
      await expect(list({ ...input, ...other, cursor })).rejects.toMatchObject(badCursor);
    await expect(list({ ...input, cursor: 'x' })).rejects.toMatchObject(badCursor);
  });

  it('has a cursor of few characters, however long the text of the order is', async () => {
    await add(2);
    await run(`UPDATE warehouse._profiles SET email = repeat('😀', 1000)`);
    const { cursor } = await list({ order: 'email', limit: 1 });
    expect(cursor).toMatch(/^v2:[A-Za-z0-9_-]{12,26}:[A-Za-z0-9_-]{1,900}$/);
    expect(numbers((await list({ order: 'email', cursor })).profiles)).toEqual([2]);
  });

  it('names everything that is wrong with properties and filter', async () => {
    const filter = JSON.stringify({
      logical: 'and',
      conditions: [
        { property: 'emial', operator: 'is', values: ['a'] },
        { property: 'email', operator: 'is true' },
      ],
    });
    await expect(list({ filter, order: 'x' })).rejects.toMatchObject({
      code: 'BadRequest',
      message: 'filter is not valid',
      details: [
        { path: '/filter/conditions/0/property' },
        { path: '/filter/conditions/1/operator' },
      ],
    });
    await expect(list({ filter, properties: ['x'] })).rejects.toMatchObject({
      details: [{ path: '/properties' }, {}, {}],
    });
  });

  it('refuses an order that there is not, before the cursor, and that before the mode', async () => {
    await expect(list({ order: 'x', cursor: 'x' })).rejects.toMatchObject({
      code: 'OrderNotExist',
    });
    await expect(list({ order: 'email.x' })).rejects.toMatchObject({ code: 'OrderNotExist' });
    await setMode('Maintenance');
    await expect(list({ cursor: 'x' })).rejects.toMatchObject(badCursor);
    await expect(list()).rejects.toMatchObject({ code: 'MaintenanceMode' });
    await setMode('Normal');
  });

  it('is in shorter pages where an answer has no room, and refuses what is too large alone', async () => {
    await add(4);
    await run(`UPDATE warehouse._profiles SET email = repeat('"', 80000)`);
    const first = await list();
    expect(numbers(first.profiles)).toEqual([4, 3]);
    expect(numbers((await list({ cursor: first.cursor })).profiles)).toEqual([2, 1]);
    await run(`UPDATE warehouse._profiles SET email = repeat('x', 676000)`);
    await expect(list()).rejects.toMatchObject({ details: [{ path: '/properties' }] });
    expect(numbers((await list({ properties: ['last_name'] })).profiles)).toEqual([4, 3, 2, 1]);
  });
});

describe('the identities of a profile', () => {
  const list = (profile: string, cursor = '', limit = 2) =>
    installation.query('ListProfileIdentities', { profile, limit, cursor });

  it('are in pages, by an id that was merged into it too', async () => {
    await add(2);
    await run(
      `INSERT INTO warehouse._profile_aliases VALUES ('${ID}7', '${ID}1')`,
      `INSERT INTO warehouse._identities (_connection, _pipeline, _record_id, _anonymous, _updated_at, _profile_id)
       SELECT 'connection000001', 'pipeline00000001', 'u' || n, false, '2026-03-01T09:30Z', '${ID}1' FROM generate_series(1, 3) AS n`,
    );
    const first = await list(`${ID}7`);
    expect(first.identities).toEqual(
      [3, 2].map((n) => ({
        userId: `u${String(n)}`,
        connection: 'connection000001',
        pipeline: 'pipeline00000001',
        profile: `${ID}1`,
        updatedAt: '2026-03-01T09:30:00.000000Z',
      })),
    );
    const second = await list(`${ID}7`, first.cursor);
    expect(second).toMatchObject({ identities: [{ userId: 'u1' }], cursor: '' });
    await expect(list(`${ID}1`, first.cursor)).rejects.toMatchObject({ code: 'BadRequest' });
    expect(await list(`${ID}2`)).toEqual({ identities: [], cursor: '' });
    await expect(list(`${ID}3`)).rejects.toMatchObject({ code: 'ProfileNotExist' });
  });
});

it('the history of a profile is told of what has happened', async () => {
  await run(
    'TRUNCATE warehouse._profile_history',
    `INSERT INTO warehouse._profile_history (profile_id, id, at, fact)
     SELECT '${ID}5', n, '2026-03-01T09:30Z', fact FROM unnest(ARRAY[
       '{"type": "ProfileCreated", "id": "${ID}5", "identities": ["1"]}',
       '{"type": "ProfileSplit", "kept": "${ID}5", "created": ["${ID}6"], "reason": "changed"}',
       '{"type": "ProfileDeleted", "id": "${ID}5", "reason": "removed"}']::jsonb[]) WITH ORDINALITY AS each (fact, n)`,
  );
  const list = (profile: string, cursor = '') =>
    installation.query('ListProfileHistory', { profile, limit: 2, cursor });
  const time = '2026-03-01T09:30:00.000000Z';
  const first = await list(`${ID}5`);
  expect(first.history).toEqual([
    { type: 'ProfileCreated', time, from: [], to: [`${ID}5`], reason: null, joinedBy: [] },
    {
      ...{ type: 'ProfileSplit', time, reason: 'changed', joinedBy: [] },
      ...{ from: [`${ID}5`], to: [`${ID}5`, `${ID}6`] },
    },
  ]);
  expect(await list(`${ID}5`, first.cursor)).toEqual({
    history: [
      { type: 'ProfileDeleted', time, from: [`${ID}5`], to: [], reason: 'removed', joinedBy: [] },
    ],
    cursor: '',
  });
  await expect(list(`${ID}4`)).rejects.toMatchObject({ code: 'ProfileNotExist' });
  await add(1);
  expect(await list(`${ID}1`)).toEqual({ history: [], cursor: '' });
});
