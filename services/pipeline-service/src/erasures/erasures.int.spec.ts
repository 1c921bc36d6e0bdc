import { type ErasureId, instant, suppressionId } from '@penstock/contracts';
import { Installation, SECRETS } from '../testing/installation.fixture';

jest.setTimeout(60_000);

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.open();
  const url = new URL(installation.databaseUrl);
  url.search = '?schema=warehouse';
  await installation.pool.query('CREATE SCHEMA warehouse');
  await installation.start({ firstWarehouse: { url: url.href } });
  await installation.pool.query(
    `INSERT INTO warehouse._profiles (_profile_id) SELECT ('${ID}' || n)::uuid FROM generate_series(1, 4) AS n`,
  );
  await installation.pool.query(
    `INSERT INTO warehouse._profile_aliases VALUES ('${ID}9', '${ID}1')`,
  );
});

afterAll(() => installation.close());

const ID = 'c0ffee00-0000-4000-8000-00000000000';

const erase = (profile: string) => installation.command('EraseProfile', { profile });

const setMode = (mode: 'Normal' | 'Inspection' | 'Maintenance') =>
  installation.command('SetWarehouseMode', { mode, cancelIncompatibleOperations: false });

const end = (erasure: ErasureId) =>
  installation.command('EndErasure', {
    id: installation.workspace,
    end: {
      ...{ erasure, error: '', endedAt: instant(new Date()) },
      counts: { profiles: 1, identities: 3, history: 2, events: 7, samples: 1 },
    },
  });

const facts = async (): Promise<readonly { readonly type: string; readonly data: unknown }[]> => {
  const { rows } = await installation.pool.query<{ type: string; data: unknown }>(
    `SELECT type, data FROM penstock.facts WHERE stream = 'erasure-${installation.workspace}' ORDER BY version`,
  );
  return rows;
};

it('is requested once of a profile, whichever of its ids is named, until it has ended', async () => {
  const replica = await installation.follow();
  const { id } = await erase(`${ID}1`);
  expect(await erase(`${ID}1`)).toEqual({ id });
  expect(await erase(`${ID}9`)).toEqual({ id });
  expect(await facts()).toMatchObject([
    { type: 'ErasureRequested', data: { erasure: id, profile: `${ID}1` } },
  ]);
  await end(id);
  await end(id);
  expect((await facts()).map(({ type }) => type)).toEqual(['ErasureRequested', 'ErasureEnded']);
  const again = await erase(`${ID}1`);
  expect(again.id).not.toBe(id);
  const { position } = await installation.recorded('EndErasure', {
    id: installation.workspace,
    end: {
      ...{ erasure: again.id, error: 'too many', endedAt: instant(new Date()) },
      counts: { profiles: 0, identities: 0, history: 0, events: 0, samples: 0 },
    },
  });
  await replica.waitFor(position);
  expect([...replica.allErasures()]).toMatchObject([{ id: installation.workspace, live: [] }]);
});

it('is refused of a profile that is not there', async () => {
  await expect(erase(`${ID}7`)).rejects.toMatchObject({ code: 'ProfileNotExist' });
});

it('is accepted while the warehouse can be read, and has nothing cancelled', async () => {
  await setMode('Inspection');
  await erase(`${ID}2`);
  await setMode('Maintenance');
  await expect(erase(`${ID}3`)).rejects.toMatchObject({ code: 'MaintenanceMode' });
  await setMode('Normal');
});

it('keeps executors of an earlier mode out of the warehouse', async () => {
  const epochs = async (): Promise<readonly number[]> => {
    const { rows } = await installation.pool.query<{ epoch: string }>(
      `SELECT epoch FROM warehouse._fences WHERE role = 'erasure'`,
    );
    return rows.map(({ epoch }) => Number(epoch));
  };
  const { rows } = await installation.pool.query<{ now: string }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now',
  );
  await setMode('Inspection');
  const [epoch = 0] = await epochs();
  expect(epoch).toBeGreaterThanOrEqual(Number(rows[0]?.now));
  await setMode('Normal');
  expect(await epochs()).toEqual([epoch]);
});

it('suppresses whoever is erased, each once', async () => {
  const replica = await installation.follow();
  const idOf = (userId: string) =>
    suppressionId((text) => SECRETS.keyedHash(text), installation.workspace, userId);
  await installation.command('SuppressUser', { id: idOf('ada') });
  const users = [idOf('ada'), idOf('bob'), idOf('bob'), idOf('eve')];
  const suppress = () =>
    installation.recorded('SuppressErased', { id: installation.workspace, users });
  const { position } = await suppress();
  await replica.waitFor(position);
  expect(replica.suppressedIn(installation.workspace)).toEqual(new Set(users));
  expect(await suppress()).toEqual({ position, out: {} });
});

it('is refused where there is no warehouse', async () => {
  const workspace = await installation.bareWorkspace();
  await expect(
    installation.command('EraseProfile', { profile: `${ID}4` }, { workspace }),
  ).rejects.toMatchObject({ code: 'InvalidWarehouseSettings' });
});
