import { type OrganizationId, PARTITIONS, topics, type WorkspaceId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '../testing/eventually.fixture';
import { HeldTimers } from '../testing/held-timers.fixture';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(60_000);

const PASSWORD = 'Very-Secret-Warehouse-1';

let installation: Installation;
let organization: OrganizationId;
let workspace: WorkspaceId;
/** The schema of the warehouse of the workspace. */
let schema: string;
let loader: string;
let reader: string;

const run = async (...statements: string[]): Promise<void> => {
  for (const statement of statements) await installation.pool.query(statement);
};

const role = async (): Promise<string> => {
  const name = `role_${randomBytes(6).toString('hex')}`;
  await run(`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}'`);
  return name;
};

const urlOf = (username: string): string => {
  const url = new URL(installation.databaseUrl);
  url.username = username;
  url.password = PASSWORD;
  url.search = `?schema=${schema}`;
  return url.href;
};

const plainSettings = (username: string, changes: object = {}): object => {
  const { hostname, port, pathname } = new URL(installation.databaseUrl);
  const database = pathname.slice(1);
  const server = { host: hostname, port: Number(port), database };
  return { ...server, username, password: PASSWORD, schema, ...changes };
};

const sealed = (plain: object, of: string = workspace): string => installation.sealed(plain, of);
const settings = (changes: object = {}): string => sealed(plainSettings(loader, changes));
const mcpSettings = (changes: object = {}): string => sealed(plainSettings(reader, changes));

const inWorkspace = (more: object = {}) => ({ organization, workspace, ...more });
const get = () => installation.read('GetWarehouse', {}, inWorkspace());
const test = (input: { settings: string; mcpSettings: string | null }) =>
  installation.query('TestWarehouse', input, inWorkspace());
const update = (input: object = {}, more: object = {}) =>
  installation.command(
    'UpdateWarehouse',
    {
      settings: settings(),
      mcpSettings: null,
      cancelIncompatibleOperations: false,
      ...input,
    },
    inWorkspace(more),
  );
const setMode = (mode: 'Normal' | 'Inspection' | 'Maintenance') =>
  installation.command(
    'SetWarehouseMode',
    { mode, cancelIncompatibleOperations: false },
    inWorkspace(),
  );
const repair = () => installation.command('RepairWarehouse', {}, inWorkspace());
const opened = async (text: string | null): Promise<unknown> =>
  JSON.parse(await installation.opened(text ?? '', workspace));

const facts = async (): Promise<string[]> => {
  const { rows } = await installation.pool.query<{ type: string }>(
    `SELECT type FROM penstock.facts WHERE stream = 'warehouse-' || $1 ORDER BY position`,
    [workspace],
  );
  return rows.map(({ type }) => type);
};

const openInstallation = async (): Promise<void> => {
  installation = await Installation.open();
  [loader, reader] = [await role(), await role()];
};

const closeInstallation = async (): Promise<void> => {
  for (const name of [loader, reader])
    await run(`DROP OWNED BY ${name} CASCADE`, `DROP ROLE ${name}`);
  await installation.close();
};

const refused = (code: string, ...details: object[]): unknown =>
  expect.objectContaining({
    code,
    ...(details.length > 0 && {
      details: details.map((detail): unknown => expect.objectContaining(detail)),
    }),
  });

const onlyFact = async (...more: string[]): Promise<void> =>
  expect(await facts()).toEqual(['WarehouseCreated', ...more]);

/** Resolves when an append waits for the lock of the head. */
const untilSomebodyWaits = async (): Promise<void> => {
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await eventually(
    async () => (await installation.pool.query(waiting)).rowCount,
    (sessions) => sessions !== 0,
  );
};

describe('the first start', () => {
  beforeEach(async () => {
    await openInstallation();
    schema = 'warehouse';
    await run(`CREATE SCHEMA warehouse AUTHORIZATION ${loader}`);
  });
  afterEach(closeInstallation);

  const findFirst = async (): Promise<void> => {
    ({ organization, workspace } = await installation.founded());
  };

  it('creates the warehouse of the workspace, once', async () => {
    const services = await Promise.all(
      [1, 2, 3].map(() => installation.start({ firstWarehouse: { url: urlOf(loader) } })),
    );
    await findFirst();
    await onlyFact();
    const view = await get();
    expect(view).toMatchObject({
      version: 1,
      platform: 'PostgreSQL',
      mode: 'Normal',
      mcpSettings: null,
    });
    expect(await opened(view.settings)).toEqual(plainSettings(loader));
    const { rows } = await installation.pool.query('SELECT workspace FROM warehouse._meta');
    expect(rows).toEqual([{ workspace }]);
    await Promise.all(services.map((service) => installation.stop(service)));
    await installation.start({ firstWarehouse: { url: urlOf(reader) } });
    await onlyFact();
  });

  it('creates none where none is configured, and a later start does', async () => {
    const service = await installation.start();
    await findFirst();
    const none = refused('InvalidWarehouseSettings', { path: '' });
    await expect(get()).rejects.toEqual(none);
    await expect(update()).rejects.toEqual(none);
    await expect(setMode('Inspection')).rejects.toEqual(none);
    await expect(repair()).rejects.toEqual(none);
    await installation.stop(service);
    await installation.start({ firstWarehouse: { url: urlOf(loader) } });
    await onlyFact();
  });

  it.each([
    ['the password', () => urlOf(loader).replace(PASSWORD, 'wrong'), 'password authentication'],
    ['the schema', () => `${urlOf(loader)}2`, 'permission denied'],
    ['the port', () => urlOf(loader).replace(/:\d+\//, ':1/'), 'connection was refused'],
  ])('reports that %s is wrong, and creates nothing', async (_, url, reason) => {
    const start = installation.start({ firstWarehouse: { url: url() } });
    await expect(start).rejects.toThrow(/^PENSTOCK_WAREHOUSE_URL cannot be used: /);
    await expect(start).rejects.toThrow(reason);
    await expect(start).rejects.not.toThrow('wrong');
    await findFirst();
    expect(await facts()).toEqual([]);
  });

  it('follows the port of the embedded database, and of no other one', async () => {
    const at = (port: number, path = '') =>
      urlOf(loader).replace(
        /:\d+\/[^?]*/,
        (whole) => `:${String(port)}${whole.slice(whole.indexOf('/'))}${path}`,
      );
    const { port } = new URL(installation.databaseUrl);
    await installation.stop(
      await installation.start({ firstWarehouse: { embeddedUrl: at(Number(port)) } }),
    );
    await installation.stop(
      await installation.start({ firstWarehouse: { embeddedUrl: at(Number(port)) } }),
    );
    await findFirst();
    await onlyFact();
    await installation.stop(await installation.start({ firstWarehouse: { embeddedUrl: at(6) } }));
    await onlyFact('WarehouseSettingsChanged');
    await installation.start({ firstWarehouse: { embeddedUrl: at(7, 'x') } });
    await onlyFact('WarehouseSettingsChanged');
    expect(await opened((await get()).settings)).toEqual(plainSettings(loader, { port: 6 }));
  });
});

describe('the warehouse of a workspace', () => {
  let names = 0;

  beforeAll(async () => {
    await openInstallation();
    await installation.start();
    await installation.keepResolutions();
    ({ organization } = await installation.founded());
  });
  afterAll(closeInstallation);

  /** Each test has a workspace of its own. */
  beforeEach(async () => {
    workspace = newId() as WorkspaceId;
    names += 1;
    schema = `warehouse_${String(names)}`;
    await run(`CREATE SCHEMA ${schema} AUTHORIZATION ${loader}`);
    const warehouse = { platform: 'PostgreSQL', settings: settings(), mcpSettings: null };
    await installation.command(
      'CreateWorkspace',
      { id: workspace, name: 'Shop', warehouse },
      { organization },
    );
    await run(
      `GRANT USAGE ON SCHEMA ${schema} TO ${reader}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${reader}`,
    );
  });

  it('records nothing in a workspace that is deleted between the decision and its facts', async () => {
    const deleting = await installation.pool.connect();
    try {
      await deleting.query('BEGIN');
      await deleting.query('SELECT FROM penstock.head FOR UPDATE');
      const changed = setMode('Inspection').catch((error: unknown) => error);
      await untilSomebodyWaits();
      await deleting.query('UPDATE penstock.workspaces SET deleted = true WHERE id = $1', [
        workspace,
      ]);
      await deleting.query('COMMIT');
      expect(await changed).toEqual(refused('WorkspaceNotExist'));
    } finally {
      deleting.release();
    }
    await onlyFact();
  });

  describe('testing and updating', () => {
    it('a test changes nothing', async () => {
      await test({ settings: settings({ sslMode: 'disable' }), mcpSettings: mcpSettings() });
      await onlyFact();
      expect(await opened((await get()).settings)).toEqual(plainSettings(loader));
    });

    it('an update replaces the settings, and unconfigures the MCP server when it names none', async () => {
      await update({ settings: settings({ sslMode: 'disable' }), mcpSettings: mcpSettings() });
      const view = await get();
      expect(view).toMatchObject({ version: 2, mode: 'Normal' });
      expect(await opened(view.settings)).toEqual(plainSettings(loader, { sslMode: 'disable' }));
      expect(await opened(view.mcpSettings)).toEqual(plainSettings(reader));
      await update({ settings: settings({ sslMode: 'disable' }) });
      expect(await get()).toMatchObject({ version: 3, settings: view.settings, mcpSettings: null });
    });

    it('an update to the same settings records nothing', async () => {
      await update();
      await onlyFact();
    });

    it('an update without a mode sets Normal, and one with a mode sets it', async () => {
      await update({ mcpSettings: mcpSettings(), mode: 'Maintenance' });
      expect(await get()).toMatchObject({ mode: 'Maintenance' });
      const change = { mode: { from: 'Maintenance', to: 'Normal' } };
      const input = { mcpSettings: mcpSettings() };
      expect(await update(input, { isDryRun: true })).toEqual(change);
      expect(await get()).toMatchObject({ mode: 'Maintenance' });
      expect(await update(input)).toEqual(change);
      expect(await get()).toMatchObject({ mode: 'Normal' });
      await onlyFact('WarehouseSettingsChanged', 'WarehouseModeChanged', 'WarehouseModeChanged');
    });

    it('a change of the mode without a mode sets Normal', async () => {
      await setMode('Inspection');
      const input = { cancelIncompatibleOperations: false };
      expect(await installation.command('SetWarehouseMode', input, inWorkspace())).toEqual({
        mode: { from: 'Inspection', to: 'Normal' },
      });
      expect(await get()).toMatchObject({ mode: 'Normal' });
    });

    it('an update at another version than the expected one is refused', async () => {
      await expect(update({}, { expectedVersion: 2 })).rejects.toEqual(refused('Conflict'));
      await update({ mode: 'Inspection' }, { expectedVersion: 1 });
      expect(await get()).toMatchObject({ version: 2 });
    });

    type Row = [
      title: string,
      input: () => { settings: string; mcpSettings: string | null },
      refusal: unknown,
    ];

    it.each<Row>([
      [
        'a bad form, of both',
        () => ({
          settings: sealed({ ...plainSettings(loader), port: 0, role: 'r' }),
          mcpSettings: sealed({}),
        }),
        refused(
          'BadRequest',
          { path: '/settings/port' },
          { path: '/settings/role' },
          { path: '/mcpSettings/host' },
          { path: '/mcpSettings/port' },
          { path: '/mcpSettings/username' },
          { path: '/mcpSettings/database' },
          { path: '/mcpSettings/schema' },
        ),
      ],
      [
        'another password, before the other warehouse',
        () => ({ settings: settings({ password: 'wrong', schema: 'public' }), mcpSettings: null }),
        refused('InvalidWarehouseSettings', {
          path: '/settings',
          message: expect.stringMatching(/^password authentication failed/) as string,
        }),
      ],
      [
        'a host that cannot be reached',
        () => ({ settings: settings({ host: '169.254.1.1' }), mcpSettings: null }),
        refused('InvalidWarehouseSettings', {
          path: '/settings',
          message: 'address is not allowed by the egress rules',
        }),
      ],
      [
        'a schema that is none',
        () => ({ settings: settings({ schema: 'nowhere' }), mcpSettings: null }),
        refused('InvalidWarehouseSettings', {
          path: '/settings',
          message: 'schema does not exist',
        }),
      ],
      [
        'a user without rights',
        () => ({ settings: sealed(plainSettings(reader)), mcpSettings: null }),
        refused('InvalidWarehouseSettings', { path: '/settings' }),
      ],
      [
        'another password of the MCP user',
        () => ({ settings: settings(), mcpSettings: mcpSettings({ password: 'wrong' }) }),
        refused('InvalidWarehouseSettings', {
          path: '/mcpSettings',
          message: expect.stringMatching(/^password authentication failed/) as string,
        }),
      ],
      [
        'an MCP user that can write',
        () => ({ settings: settings(), mcpSettings: settings() }),
        expect.objectContaining({
          code: 'NotReadOnlyMCPSettings',
          details: expect.arrayContaining([
            {
              path: '/mcpSettings',
              message: expect.stringMatching(/owns table \w+\._identities$/) as string,
            },
          ]) as object[],
        }) as object,
      ],
    ])('%s is refused', async (_, input, refusal) => {
      await expect(test(input())).rejects.toEqual(refusal);
      await expect(update(input())).rejects.toEqual(refusal);
      await onlyFact();
    });

    it('a schema without the marker, or with that of another workspace, is a different warehouse', async () => {
      const different = expect.objectContaining({
        code: 'DifferentWarehouse',
        message: 'data warehouse is a different data warehouse',
      }) as unknown;
      await run(
        `CREATE SCHEMA ${schema}_empty AUTHORIZATION ${loader}`,
        `GRANT USAGE ON SCHEMA ${schema}_empty TO ${reader}`,
      );
      const others = { settings: settings({ schema: `${schema}_empty` }), mcpSettings: null };
      await expect(test(others)).rejects.toEqual(different);
      await expect(
        test({ settings: settings(), mcpSettings: mcpSettings({ schema: `${schema}_empty` }) }),
      ).rejects.toEqual(different);
      await run(`UPDATE ${schema}._meta SET workspace = 'another'`);
      await expect(update({ mode: 'Inspection' })).rejects.toEqual(different);
      await onlyFact();
    });

    it('no secret is written or returned in plain text', async () => {
      await update({ mcpSettings: mcpSettings() });
      await test({ settings: settings({ username: PASSWORD }), mcpSettings: null }).catch(
        (error: unknown) => {
          expect(JSON.stringify(error)).not.toContain(PASSWORD);
        },
      );
      const { rows } = await installation.pool.query(
        `SELECT f::text FROM penstock.facts f UNION ALL SELECT r::text FROM penstock.replies r
       UNION ALL SELECT w::text FROM penstock.warehouses w`,
      );
      const written = [JSON.stringify(rows)];
      for (const { name: topic } of topics(PARTITIONS.embedded))
        for (const { value } of await installation.records(topic)) written.push(value ?? '');
      const text = [...written, ...installation.lines.all].join('\n');
      expect(text).toContain('WarehouseSettingsChanged');
      expect(text).not.toContain(PASSWORD);
    });
  });

  it('every mode may follow every other; the present one again records nothing', async () => {
    await setMode('Normal');
    await onlyFact();
    for (const mode of ['Maintenance', 'Inspection', 'Inspection', 'Normal'] as const) {
      await setMode(mode);
      expect(await get()).toMatchObject({ mode });
    }
    await onlyFact('WarehouseModeChanged', 'WarehouseModeChanged', 'WarehouseModeChanged');
  });

  it('a change of the mode is answered when nobody writes by the mode before any more', async () => {
    const fence = async () =>
      (await installation.pool.query(`SELECT epoch FROM ${schema}._fences WHERE role = 'events'`))
        .rows as readonly { epoch: string }[];
    for (const mode of ['Maintenance', 'Normal', 'Inspection'] as const) await setMode(mode);
    const { version } = await get();
    expect(await fence()).toEqual([{ epoch: String(version) }]);
    await setMode('Normal');
    expect(await fence()).toEqual([{ epoch: String(version) }]);
    const writing = await installation.pool.connect();
    try {
      await writing.query('BEGIN');
      await writing.query(`SELECT FROM ${schema}._fences WHERE role = 'events' FOR SHARE`);
      let isAnswered = false;
      const changed = setMode('Maintenance').then(() => {
        isAnswered = true;
      });
      await untilSomebodyWaits();
      expect(isAnswered).toBe(false);
      await writing.query('COMMIT');
      await changed;
    } finally {
      writing.release();
    }
    expect(await fence()).toEqual([{ epoch: String(version + 2) }]);
  });

  it('the mode of a warehouse that cannot be reached changes nevertheless', async () => {
    await run(`ALTER ROLE ${loader} NOLOGIN`);
    try {
      await setMode('Maintenance');
      expect(await get()).toMatchObject({ mode: 'Maintenance' });
    } finally {
      await run(`ALTER ROLE ${loader} LOGIN`);
    }
  });

  describe('a repair', () => {
    it('of a healthy warehouse records nothing', async () => {
      await repair();
      await onlyFact();
    });

    it('creates the missing marker again, for the same workspace', async () => {
      await run(`DROP TABLE ${schema}._meta`);
      await expect(update({ mode: 'Inspection' })).rejects.toEqual(refused('DifferentWarehouse'));
      await repair();
      await onlyFact('WarehouseRepaired');
      await update({ mode: 'Inspection' });
    });

    it('creates missing tables and views again', async () => {
      await run(`DROP TABLE ${schema}._identities CASCADE`, `DROP VIEW ${schema}.events`);
      await repair();
      await onlyFact('WarehouseRepaired');
      await run(`SELECT FROM ${schema}.identities`, `SELECT FROM ${schema}.events`);
    });

    it('names a column of another type', async () => {
      await run(`DROP VIEW ${schema}.profiles`);
      await run(`ALTER TABLE ${schema}._profiles ALTER COLUMN email TYPE varchar(5)`);
      await expect(repair()).rejects.toEqual(
        refused('InvalidWarehouseSettings', {
          message: expect.stringContaining('_profiles.email is of type') as string,
        }),
      );
    });

    it('does not touch the layout of a newer version', async () => {
      await run(`UPDATE ${schema}._meta SET layout = 1000`, `DROP VIEW ${schema}.events`);
      await expect(repair()).rejects.toMatchObject({
        code: 'ServiceUnavailable',
        message: expect.stringContaining('of a newer version of Penstock') as string,
      });
    });

    it('is refused while the warehouse is worked on otherwise', async () => {
      const client = await installation.pool.connect();
      try {
        await client.query('BEGIN');
        await client.query(
          `SELECT pg_advisory_xact_lock(hashtextextended('penstock warehouse ${schema}', 0))`,
        );
        await expect(repair()).rejects.toEqual(refused('OperationAlreadyExecuting'));
        await client.query('COMMIT');
      } finally {
        client.release();
      }
      await repair();
    });

    it('is joined by every other one meanwhile, and keeps changes of the schema of profiles out', async () => {
      await run(`DROP VIEW ${schema}.events`);
      const holder = await installation.pool.connect();
      try {
        await holder.query(`BEGIN; LOCK TABLE ${schema}._events`);
        const first = repair();
        await untilSomebodyWaits();
        const others = [repair(), repair()];
        const phone = { name: 'phone', type: { kind: 'string' }, readOptional: true };
        const change = {
          schema: JSON.stringify({ kind: 'object', properties: [phone] }),
          rePaths: {},
          primarySources: {},
        };
        await expect(
          installation.command('ChangeProfileSchema', change, inWorkspace()),
        ).rejects.toEqual(refused('OperationAlreadyExecuting'));
        const { rows } = await holder.query<{ sessions: string }>(
          `SELECT count(*) AS sessions FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'penstock-warehouse'`,
        );
        expect(rows).toEqual([{ sessions: '1' }]);
        await holder.query('COMMIT');
        await Promise.all([first, ...others]);
      } finally {
        holder.release();
      }
      await onlyFact('WarehouseRepaired');
    });

    it('is performed once for a command', async () => {
      const context = { ...inWorkspace(), commandId: 'repair-1' };
      await run(`DROP VIEW ${schema}.events`);
      await installation.command('RepairWarehouse', {}, context);
      await run(`DROP VIEW ${schema}.events`);
      await installation.command('RepairWarehouse', {}, context);
      await onlyFact('WarehouseRepaired');
      await repair();
      await onlyFact('WarehouseRepaired', 'WarehouseRepaired');
    });

    it('that cannot be recorded changes nothing: the next one does, and has everything resolved anew', async () => {
      await run(
        `DROP TABLE ${schema}._profiles CASCADE`,
        `CREATE FUNCTION penstock.refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
        `CREATE TRIGGER refuse BEFORE INSERT ON penstock.facts FOR EACH ROW
         WHEN (NEW.type = 'WarehouseRepaired') EXECUTE FUNCTION penstock.refuse()`,
      );
      await expect(repair()).rejects.toMatchObject({ code: 'InternalError' });
      await expect(run(`SELECT FROM ${schema}._profiles`)).rejects.toThrow('does not exist');
      await run('DROP TRIGGER refuse ON penstock.facts');
      await repair();
      await onlyFact('WarehouseRepaired');
      const { rows } = await installation.pool.query(
        `SELECT data->>'trigger' AS trigger, data->'full' AS "isFull" FROM penstock.facts
        WHERE type = 'ResolutionTriggered' AND owner = $1`,
        [workspace],
      );
      expect(rows).toEqual([{ trigger: 'Repair', isFull: true }]);
      await run(`SELECT FROM ${schema}.profiles`);
    });

    it('leaves the warehouse of another workspace alone', async () => {
      await run(`UPDATE ${schema}._meta SET workspace = 'another'`);
      await expect(repair()).rejects.toEqual(refused('DifferentWarehouse'));
    });

    it('reports the error of the server, and a server that cannot be reached', async () => {
      await run(`ALTER ROLE ${loader} PASSWORD 'another'`);
      try {
        await expect(repair()).rejects.toEqual(
          refused('InvalidWarehouseSettings', {
            message: expect.stringContaining('password authentication failed') as string,
          }),
        );
        await run(`ALTER ROLE ${loader} PASSWORD '${PASSWORD}' CONNECTION LIMIT 0`);
        await expect(repair()).rejects.toMatchObject({
          code: 'ServiceUnavailable',
          kind: 'unavailable',
          message: expect.stringMatching(/^service is unavailable: data warehouse: /) as string,
        });
      } finally {
        await run(`ALTER ROLE ${loader} PASSWORD '${PASSWORD}' CONNECTION LIMIT -1`);
      }
    });
  });

  describe('a server that does not answer', () => {
    const sockets = new Set<Socket>();
    let server: Server;

    beforeEach(async () => {
      sockets.clear();
      server = createServer((socket) => {
        sockets.add(socket.on('error', () => undefined));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });

    afterEach(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    });

    it('is given up after ten seconds, and delays no other requests', async () => {
      const deadlines = new HeldTimers(10_000);
      try {
        const { port } = server.address() as AddressInfo;
        let answered = 0;
        const slow = Array.from({ length: 20 }, () =>
          update({ settings: settings({ port }) })
            .catch((error: unknown) => error)
            .finally(() => (answered += 1)),
        );
        await eventually(
          () => sockets.size,
          (size) => size === slow.length,
        );

        const others = await Promise.all(
          Array.from({ length: 20 }, () => installation.bareWorkspace()),
        );
        await Promise.all(others.map((other) => installation.source({}, { workspace: other })));
        await setMode('Inspection');
        expect(await get()).toMatchObject({ mode: 'Inspection' });
        expect(answered).toBe(0);

        deadlines.end();
        const timedOut = refused('InvalidWarehouseSettings', {
          path: '/settings',
          message: 'there was no answer in time',
        });
        expect(await Promise.all(slow)).toEqual(slow.map(() => timedOut));
      } finally {
        deadlines.release();
      }
    });
  });
});
