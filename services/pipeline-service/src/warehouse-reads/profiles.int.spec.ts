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
