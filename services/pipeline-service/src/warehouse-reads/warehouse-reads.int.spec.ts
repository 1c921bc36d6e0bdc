import type { ConnectionId, IdentityView, Queries, WorkspaceId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import { eventually } from '../testing/eventually.fixture';
import { HeldTimers } from '../testing/held-timers.fixture';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(60_000);

const PASSWORD = 'Very-Secret-Warehouse-1';
const SCHEMA = 'warehouse';

let installation: Installation;
let loader: string;
let elsewhere: WorkspaceId;
let connection: ConnectionId;

const run = async (...statements: string[]): Promise<void> => {
  for (const statement of statements) await installation.pool.query(statement);
};

beforeAll(async () => {
  installation = await Installation.open();
  loader = `role_${randomBytes(6).toString('hex')}`;
  await run(
    `CREATE ROLE ${loader} LOGIN PASSWORD '${PASSWORD}'`,
    `CREATE SCHEMA ${SCHEMA} AUTHORIZATION ${loader}`,
  );
  const url = new URL(installation.databaseUrl);
  Object.assign(url, { username: loader, password: PASSWORD, search: `?schema=${SCHEMA}` });
  await installation.start({ firstWarehouse: { url: url.href } });
  elsewhere = newId() as WorkspaceId;
  const { organization } = await installation.founded();
  await installation.command(
    'CreateWorkspace',
    { id: elsewhere, name: 'Other', warehouse: installation.newWarehouse(elsewhere) },
    { organization },
  );
  connection = await installation.source();
});
afterAll(async () => {
  await run(`DROP OWNED BY ${loader} CASCADE`, `DROP ROLE ${loader}`);
  await installation.close();
});
beforeEach(() => run(`DELETE FROM ${SCHEMA}._identities`));

const add = (of: string, from: number, to: number, schema = SCHEMA): Promise<void> =>
  run(`INSERT INTO ${schema}._identities (_connection, _pipeline, _record_id, _anonymous, _updated_at)
       SELECT '${of}', 'pipeline00000001', 'u' || n, false, '2026-03-01T09:30Z'::timestamptz + n * interval '1 microsecond'
       FROM generate_series(${from}, ${to}) AS n`);

const list = (
  input: Partial<Queries['ListConnectionIdentities']['in']> = {},
  workspace = installation.workspace,
) =>
  installation.query(
    'ListConnectionIdentities',
    { connection, limit: 100, cursor: '', ...input },
    { workspace },
  );

const idsOf = (identities: readonly IdentityView[]) => identities.map(({ userId }) => userId);

const setMode = (mode: 'Normal' | 'Inspection' | 'Maintenance') =>
  installation.command('SetWarehouseMode', { mode, cancelIncompatibleOperations: false });

const badCursor = {
  code: 'BadRequest',
  details: [{ path: '/cursor', message: 'must be a cursor that a list has answered' }],
};

describe('the identities of a connection', () => {
  it('are shown with what they have', async () => {
    await add(connection, 1, 3);
    await run(
      `UPDATE ${SCHEMA}._identities SET _anonymous_ids = '{b,a}' WHERE _record_id = 'u3'`,
      `UPDATE ${SCHEMA}._identities SET _anonymous = true WHERE _record_id = 'u1'`,
      `UPDATE ${SCHEMA}._identities SET _profile_id = 'c0ffee00-0000-4000-8000-000000000001' WHERE _record_id = 'u2'`,
    );
    const common = { connection, pipeline: 'pipeline00000001', profile: null };
    const at = (n: number) => ({ updatedAt: `2026-03-01T09:30:00.00000${String(n)}Z` });
    expect(await list()).toEqual({
      identities: [
        { ...common, ...at(3), userId: 'u3', anonymousIds: ['b', 'a'] },
        { ...common, ...at(2), userId: 'u2', profile: 'c0ffee00-0000-4000-8000-000000000001' },
        { ...common, ...at(1), anonymousIds: ['u1'] },
      ],
      cursor: '',
    });
  });

  it('come in pages to an empty cursor, while others are written', async () => {
    await add(connection, 1, 25);
    const found: (string | undefined)[] = [];
    let cursor = '';
    do {
      const page = await list({ limit: 10, cursor });
      found.push(...idsOf(page.identities));
      ({ cursor } = page);
      await add(connection, 1_000 + 10 * found.length, 1_005 + 10 * found.length);
    } while (cursor !== '');
    expect(found).toEqual(Array.from({ length: 25 }, (_, at) => `u${String(25 - at)}`));
  });

  it('come in shorter pages where an answer has no room for them', async () => {
    await add(connection, 1, 4);
    // In JSON six times as long.
    await run(
      `UPDATE ${SCHEMA}._identities SET _anonymous_ids = array_fill(repeat(E'\\x01', 400), ARRAY[150])`,
    );
    const first = await list();
    expect(idsOf(first.identities)).toEqual(['u4']);
    const second = await list({ cursor: first.cursor });
    expect(idsOf(second.identities)).toEqual(['u3']);
  });

  it('are none of a destination', async () => {
    expect(await list({ connection: await installation.destination() })).toEqual({
      identities: [],
      cursor: '',
    });
  });

  it('are read in the modes that allow it', async () => {
    await add(connection, 1, 1);
    await setMode('Inspection');
    expect(idsOf((await list()).identities)).toEqual(['u1']);
    await setMode('Maintenance');
    await expect(list()).rejects.toMatchObject({ code: 'MaintenanceMode', kind: 'refused' });
    await setMode('Normal');
    expect(idsOf((await list()).identities)).toEqual(['u1']);
  });

  it('are none of what is not there, or elsewhere', async () => {
    const absent = { code: 'ConnectionNotExist', kind: 'absent' };
    await expect(list({ connection: newId() })).rejects.toMatchObject(absent);
    await expect(list({}, elsewhere)).rejects.toMatchObject(absent);
    const deleted = await installation.source();
    await installation.command('DeleteConnection', { id: deleted });
    await expect(list({ connection: deleted })).rejects.toMatchObject(absent);
  });

  it('are none without a warehouse', async () => {
    const workspace = await installation.bareWorkspace();
    const own = await installation.source({}, { workspace });
    await expect(list({ connection: own }, workspace)).rejects.toMatchObject({
      code: 'InvalidWarehouseSettings',
    });
  });

  it('are listed by a cursor of the same list only', async () => {
    await add(connection, 1, 2);
    const other = await installation.source();
    const { cursor } = await list({ limit: 1 });
    expect(idsOf((await list({ cursor })).identities)).toEqual(['u1']);
    await expect(list({ cursor, connection: other })).rejects.toMatchObject(badCursor);
    await expect(list({ cursor: `${cursor.slice(0, -1)}-` })).rejects.toMatchObject(badCursor);
    await expect(list({ cursor: 'u1' })).rejects.toMatchObject(badCursor);
    const theirs = await installation.source({}, { workspace: elsewhere });
    await expect(list({ cursor, connection: theirs }, elsewhere)).rejects.toMatchObject(badCursor);
  });

  it('with a bad cursor: existence comes before it, and it before the state', async () => {
    await expect(list({ connection: newId(), cursor: 'x' })).rejects.toMatchObject({
      code: 'ConnectionNotExist',
    });
    await setMode('Maintenance');
    await expect(list({ cursor: 'x' })).rejects.toMatchObject(badCursor);
    await setMode('Normal');
  });
});

describe('a warehouse', () => {
  it('that is of another workspace, newer, or not whole is said to be so', async () => {
    const changed = (column: string, value: string) =>
      run(`UPDATE ${SCHEMA}._meta SET ${column} = ${value}`);
    await changed('workspace', `'another'`);
    await expect(list()).rejects.toMatchObject({ code: 'DifferentWarehouse' });
    await changed('workspace', `'${installation.workspace}', layout = 1000`);
    await expect(list()).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: expect.stringContaining('of a newer version of Penstock') as string,
    });
    await changed('layout', '3');
    await run(`ALTER TABLE ${SCHEMA}._identities RENAME TO gone`);
    await expect(list()).rejects.toMatchObject({
      code: 'InvalidWarehouseSettings',
      details: [{ message: expect.stringContaining('does not exist') as string }],
    });
    await run(`ALTER TABLE ${SCHEMA}.gone RENAME TO _identities`);
    expect(await list()).toEqual({ identities: [], cursor: '' });
  });

  it('that takes no connection is 503, and is read again when it does', async () => {
    await run(`ALTER ROLE ${loader} CONNECTION LIMIT 0`);
    await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${loader}'`);
    const away = {
      code: 'ServiceUnavailable',
      kind: 'unavailable',
      message: expect.stringMatching(/^service is unavailable: data warehouse: /) as string,
    };
    // A connection that was lost while it was not used may be noticed by the first use only.
    await list().catch(() => undefined);
    await expect(list()).rejects.toMatchObject(away);
    await run(`ALTER ROLE ${loader} CONNECTION LIMIT -1`);
    expect(await list()).toEqual({ identities: [], cursor: '' });
  });

  it('is read with the newest settings', async () => {
    await add(connection, 1, 1);
    expect((await list()).identities).toHaveLength(1);
    const { hostname, port, pathname } = new URL(installation.databaseUrl);
    const settings = {
      ...{ host: hostname, port: Number(port), database: pathname.slice(1), schema: SCHEMA },
      ...{ username: loader, password: 'another' },
    };
    await run(`ALTER ROLE ${loader} PASSWORD 'another'`);
    await installation.command('UpdateWarehouse', {
      settings: installation.sealed(settings),
      mcpSettings: null,
      cancelIncompatibleOperations: false,
    });
    expect((await list()).identities).toHaveLength(1);
  });
});

describe('a warehouse that is slow', () => {
  let blocker: PoolClient;

  beforeEach(async () => {
    blocker = await installation.pool.connect();
    await blocker.query('BEGIN');
    await blocker.query(`LOCK TABLE ${SCHEMA}._identities IN ACCESS EXCLUSIVE MODE`);
  });
  afterEach(async () => {
    await blocker.query('ROLLBACK');
    blocker.release();
  });

  const sessions = async (): Promise<number> => {
    const { rows } = await installation.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = '${loader}'`,
    );
    return rows[0]?.n ?? NaN;
  };
  /** Resolves when that many sessions wait for a lock: sessions alone may be those of earlier reads. */
  const areHeld = (count: number): Promise<number> =>
    eventually(
      async () => {
        const { rowCount } = await installation.pool.query(
          `SELECT FROM pg_stat_activity WHERE usename = '${loader}' AND wait_event_type = 'Lock'`,
        );
        return rowCount ?? NaN;
      },
      (held) => held >= count,
    );
  const outcome = (read: Promise<object>) =>
    read.then(
      () => undefined,
      (error: unknown) => {
        const { code, message } = error as { code: string; message: string };
        return { code, message };
      },
    );
  const busy = {
    code: 'ServiceUnavailable',
    message: 'service is unavailable: too many reads of data warehouses are under way',
  };

  it('has two reads at a time and four that wait two seconds, and holds nobody else up', async () => {
    const waits = new HeldTimers(2_000);
    try {
      const held = [outcome(list()), outcome(list())];
      await areHeld(2);
      // Which of them is one too many is not known: they may come in any order.
      const others = Array.from({ length: 5 }, () => outcome(list()));
      expect(await Promise.race(others)).toMatchObject(busy);
      await eventually(
        () => waits.size,
        (size) => size === 4,
      );

      const own = await installation.source({}, { workspace: elsewhere });
      await add(own, 1, 1, `warehouse_${elsewhere}`);
      const { identities } = await list({ connection: own }, elsewhere);
      expect(idsOf(identities)).toEqual(['u1']);

      expect(waits.size).toBe(4);
      waits.end();
      for (const each of await Promise.all(others)) expect(each).toMatchObject(busy);
      expect(await sessions()).toBe(2);
      await blocker.query('COMMIT');
      expect(await Promise.all(held)).toEqual([undefined, undefined]);
      expect(await list()).toEqual({ identities: [], cursor: '' });
    } finally {
      waits.release();
    }
  });

  it('is waited for by the mode that forbids reads', async () => {
    const reading = outcome(list());
    await areHeld(1);
    let isSet = false;
    const setting = setMode('Maintenance').then(() => (isSet = true));
    await eventually(async () => {
      const { mode } = await installation.read('GetWarehouse', {});
      return mode === 'Maintenance';
    });
    await expect(list()).rejects.toMatchObject({ code: 'MaintenanceMode' });
    // The read, and the session that keeps later ones out.
    await areHeld(2);
    expect(isSet).toBe(false);
    await blocker.query('COMMIT');
    await setting;
    expect(await reading).toBeUndefined();
    await setMode('Normal');
    expect(await list()).toEqual({ identities: [], cursor: '' });
  });

  it('is given up after 25 seconds, with its statement', async () => {
    const deadlines = new HeldTimers(25_000);
    try {
      const reading = outcome(list());
      await areHeld(1);
      expect(deadlines.size).toBe(1);
      deadlines.end();
      expect(await reading).toEqual({
        code: 'ServiceUnavailable',
        message: 'service is unavailable: no answer within 25 s',
      });
      await eventually(sessions, (count) => count === 0);
    } finally {
      deadlines.release();
    }
  });
});
