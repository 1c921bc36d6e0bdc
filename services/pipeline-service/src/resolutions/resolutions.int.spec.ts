import {
  type EndedResolution,
  existingWarehouse,
  instant,
  type OrganizationId,
  type ResolutionId,
  type ResolutionState,
  type ResolutionTrigger,
  type InputOf,
  type WarehouseMode,
  type WorkspaceId,
} from '@penstock/contracts';
import { PostgresEventStore } from '@penstock/event-sourcing';
import { PipelineServiceClient } from '@penstock/platform';
import type { DataSource } from 'typeorm';
import { verifyAudit } from '../audit/verify-audit';
import { Configuration } from '../command-handling/configuration';
import { load } from '../command-handling/decide-on';
import { DataKeys } from '../data-keys/data-keys';
import { openDatabase } from '../database/database';
import { nextProfilesVersion, warehouseDecider, warehouseStream } from '../domain/warehouse.decide';
import { loadResolution } from '../live-resolutions/live-resolutions';
import { SetOrganizationStatus } from '../organizations/set-organization-status';
import { HeldTimers } from '../testing/held-timers.fixture';
import { Installation, SECRETS } from '../testing/installation.fixture';
import { interruptedStore } from '../testing/interrupted-store.fixture';
import { Random } from '../testing/random.fixture';
import { ProfileChangeEndings } from '../warehouse/profile-change-endings';
import { SetResolutionSettings } from './set-resolution-settings';
import { TriggerResolution } from './trigger-resolution';
import { WaitingResolutions } from './waiting-resolutions';

jest.setTimeout(120_000);

type Wanted = InputOf<'SetResolutionSettings'>;

let installation: Installation;
let database: DataSource;
let workspace: WorkspaceId;
let organization: OrganizationId;
let looks: HeldTimers;

beforeAll(async () => {
  looks = new HeldTimers(1_000);
  installation = await Installation.open();
  const url = new URL(installation.databaseUrl);
  url.search = '?schema=warehouse';
  const options = { firstWarehouse: { url: url.href } };
  await installation.start(options);
  await installation.start(options);
  ({ workspace, organization } = await installation.founded());
  database = await openDatabase(installation.databaseUrl, () => undefined);
});
afterAll(async () => {
  looks.release();
  await database.destroy();
  await installation.close();
});

const state = async (): Promise<ResolutionState | null> =>
  (await loadResolution(new PostgresEventStore(database.manager), workspace)).state;

/** Has the services look for what is due, which they do each second, and awaits what comes of it. */
const until = (check: () => Promise<boolean>): Promise<void> =>
  looks.until(
    async () => ({ isSo: await check(), state: await state() }),
    ({ isSo }) => isSo,
  );

const start = (full = false) => installation.command('StartResolution', { full });
const cancel = () => installation.command('CancelResolution', {});
const trigger = (name: ResolutionTrigger, full = false) =>
  installation.command('TriggerResolution', { id: workspace, trigger: name, full });

/** As an executor ends the live one. */
const end = async (status: EndedResolution['status'] = 'Succeeded'): Promise<void> => {
  const { resolution } = (await state())?.live ?? {};
  if (resolution === undefined) return;
  const ended = { resolution, status, error: '', endedAt: instant(new Date()) };
  await installation.command('EndResolution', { id: workspace, end: ended });
};

const setMode = (mode: WarehouseMode, cancelIncompatibleOperations = false) =>
  installation.command('SetWarehouseMode', { mode, cancelIncompatibleOperations });

const setStatus = (enabled: boolean) =>
  installation.command('SetOrganizationStatus', { enabled }, { organization });

const blocked = (lists: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(
    Object.entries(lists).map(([path, values]) => [path, installation.sealed(values)]),
  );

const set = (wanted: Partial<Wanted> = {}) =>
  installation.command('SetResolutionSettings', {
    runOnBatchImport: true,
    identifiers: [],
    ...wanted,
  });

const get = async () => {
  const {
    blockedValues,
    version: _,
    ...settings
  } = await installation.read('GetResolutionSettings', {});
  const lists: Record<string, unknown> = {};
  for (const [path, sealed] of Object.entries(blockedValues))
    lists[path] = JSON.parse(await installation.opened(sealed, workspace));
  return { ...settings, blockedValues: lists };
};

const textOf = (...names: readonly (string | object)[]): string =>
  JSON.stringify({
    kind: 'object',
    properties: names.map((name) => ({
      type: { kind: 'string' },
      readOptional: true,
      ...(typeof name === 'string' ? { name } : name),
    })),
  });

const change = (schema: string, rePaths: Record<string, string | null> = {}) =>
  installation.command('ChangeProfileSchema', { schema, rePaths, primarySources: {} });

const refused = (code: string, ...paths: readonly string[]): object =>
  expect.objectContaining({
    code,
    ...(paths.length > 0 && {
      details: paths.map((path): unknown => expect.objectContaining({ path })),
    }),
  }) as object;

/** Ends what runs and what waits. */
const settle = (): Promise<void> =>
  until(async () => {
    const { live, waiting } = (await state()) ?? {};
    if (live) await end();
    return !live && !waiting;
  });

/** As in a new installation. */
const reset = async (): Promise<void> => {
  await setStatus(true);
  await setMode('Normal');
  await until(async () => {
    const { startTime, endTime } = await installation.read('GetLatestProfileSchemaChange', {});
    return startTime === null || endTime !== null;
  });
  await settle();
  await change(textOf('email', 'first_name', 'last_name'));
  await settle();
  await set({ eventDelay: 60, blockedValues: {} });
  await settle();
};

/** The number of facts before a test. */
let past = 0;
beforeEach(async () => {
  past = 0;
  if ((await facts()).length > 1) await reset();
  past = (await facts()).length;
});

interface Recorded {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const facts = async (): Promise<readonly Recorded[]> => {
  const { rows } = await installation.pool.query<Recorded>(
    `SELECT type, data FROM penstock.facts WHERE stream LIKE 'resolution-%' OR stream LIKE 'warehouse-%'
     ORDER BY position`,
  );
  return rows.slice(past);
};

it('starts at once for one of many callers, and again when it has ended', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 20 }, () => start()));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const [rejected] = answers.filter((each) => each.status === 'rejected');
  expect(rejected?.reason).toEqual(refused('OperationAlreadyExecuting'));
  expect(await state()).toMatchObject({
    live: { trigger: 'API', full: false, actor: 'key-1', cancelled: false },
    waiting: null,
  });
  await cancel();
  await cancel();
  expect(await state()).toMatchObject({ live: { cancelled: true } });
  await expect(start()).rejects.toEqual(refused('OperationAlreadyExecuting'));
  await end('Cancelled');
  await start(true);
  expect(await state()).toMatchObject({ live: { full: true, cancelled: false } });
});

it('records an end once, and none of another resolution', async () => {
  await start();
  const { resolution = '' as ResolutionId } = (await state())?.live ?? {};
  const ended = { status: 'Failed', error: 'it broke', endedAt: instant(new Date()) } as const;
  const record = (of: ResolutionId) =>
    installation.command('EndResolution', { id: workspace, end: { resolution: of, ...ended } });
  await record('another' as ResolutionId);
  await record(resolution);
  await record(resolution);
  const types = (await facts()).map(({ type }) => type);
  expect(types).toEqual(['ResolutionStarted', 'ResolutionEnded']);
});

describe('a trigger', () => {
  it('starts one at once, or after that which is live, joined with others', async () => {
    await trigger('Import');
    expect(await state()).toMatchObject({ live: { trigger: 'Import', actor: 'system' } });
    await trigger('Events');
    await trigger('Repair', true);
    await trigger('Events');
    const waiting = { trigger: 'Repair', full: true };
    expect(await state()).toMatchObject({ live: { trigger: 'Import' }, waiting });
    await end();
    await until(async () => (await state())?.live?.trigger === 'Repair');
    expect(await state()).toMatchObject({ live: { full: true }, waiting: null });
  });

  it('is one however many executors ask for it, and how often, under one command id', async () => {
    const clients = [1, 2].map(
      () => new PipelineServiceClient({ log: installation.log, service: 'an executor' }),
    );
    const ask = (command?: string) =>
      Promise.all(
        clients.map((each) =>
          each.execute(
            'TriggerResolution',
            workspace,
            { id: workspace, trigger: 'Import', full: false },
            command,
          ),
        ),
      );
    try {
      for (let times = 0; times < 2; times += 1) await ask('after a run');
      expect(await state()).toMatchObject({ live: { trigger: 'Import' }, waiting: null });
      await ask();
      expect(await state()).toMatchObject({ waiting: { trigger: 'Import' } });
    } finally {
      for (const each of clients) await each.close();
    }
  });

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['in another mode', () => setMode('Inspection'), () => setMode('Normal')],
    ['while the organization is disabled', () => setStatus(false), () => setStatus(true)],
  ])('%s is kept, and starts after it', async (_, hinder, free) => {
    await hinder();
    await trigger('Import');
    expect(await state()).toMatchObject({ live: null, waiting: { trigger: 'Import' } });
    await looks.repeat();
    expect(await state()).toMatchObject({ live: null, waiting: { trigger: 'Import' } });
    await free();
    await until(async () => (await state())?.live?.trigger === 'Import');
  });
});

it.each<[string, () => Promise<unknown>]>([
  ['in another mode', () => setMode('Inspection')],
  ['while the organization is disabled', () => setStatus(false)],
])('costs no command while it waits %s', async (_, hinder) => {
  const decided: string[] = [];
  const execute: Configuration['execute'] = (context) => {
    decided.push(context.workspace);
    return Promise.reject(new Error('nothing is decided here'));
  };
  const store = new PostgresEventStore(database.manager);
  const waiting = new WaitingResolutions(store, { execute } as Configuration, () => undefined);
  await hinder();
  await trigger('Import');
  expect(await waiting.look()).toBe(false);
  expect(await state()).toMatchObject({ live: null, waiting: { trigger: 'Import' } });
  expect(decided).toEqual([]);
});

describe('the mode of the warehouse', () => {
  it.each(['Inspection', 'Maintenance'] as const)('%s forbids a start', async (mode) => {
    await setMode(mode);
    await expect(start()).rejects.toEqual(refused(`${mode}Mode`));
    await setStatus(false);
    await expect(start()).rejects.toEqual(refused('OrganizationDisabled'));
  });

  it('is not changed while one is live, unless that is cancelled: it begins again afterwards', async () => {
    await start(true);
    await expect(setMode('Maintenance')).rejects.toEqual(refused('OperationAlreadyExecuting'));
    const changed = setMode('Maintenance', true);
    await until(async () => (await state())?.live?.cancelled === true);
    await end('Cancelled');
    await changed;
    expect(await state()).toMatchObject({ live: null, waiting: { trigger: 'API', full: true } });
    await setMode('Normal');
    await until(async () => (await state())?.live?.full === true);
  });
});

it('suspends what is live in an organization that is disabled', async () => {
  await start();
  await setStatus(false);
  expect(await state()).toMatchObject({ live: { cancelled: true }, waiting: { trigger: 'API' } });
  await end('Cancelled');
  await setStatus(true);
  await until(async () => (await state())?.live?.cancelled === false);
});

it('excludes a change of the schema of profiles, a repair and other settings', async () => {
  await start();
  const executing = refused('OperationAlreadyExecuting');
  await expect(change(textOf('email'))).rejects.toEqual(executing);
  await expect(installation.command('RepairWarehouse', {})).rejects.toEqual(executing);
  await expect(set({ eventDelay: 5 })).rejects.toEqual(executing);
  await set({ eventDelay: 60 });
  await end();
  await change(textOf('email'));
  expect((await state())?.waiting ?? (await state())?.live).toMatchObject({
    trigger: 'Schema',
    full: false,
  });
});

it('holds up a change of the schema of profiles when it ends soon', async () => {
  await start();
  const changed = change(textOf('email', 'phone'));
  // The resolution ends after a request that is refused because of it.
  const refusal = start().catch(() => end());
  const [outcome] = await Promise.allSettled([changed, refusal]);
  expect(outcome).toMatchObject({ status: 'fulfilled' });
});

it('is refused while the warehouse is being repaired, and begins after a repair', async () => {
  const client = await installation.pool.connect();
  try {
    await client.query('BEGIN');
    const lock = `hashtextextended('penstock warehouse ' || 'warehouse', 0)`;
    await client.query(`SELECT pg_advisory_xact_lock(${lock})`);
    await expect(start()).rejects.toEqual(refused('OperationAlreadyExecuting'));
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  await installation.pool.query('DROP VIEW warehouse.profiles');
  await installation.command('RepairWarehouse', {});
  await until(async () => (await state())?.live?.trigger === 'Repair');
  expect(await state()).toMatchObject({ live: { full: true }, waiting: null });
});

describe('the settings', () => {
  const FIRST = { runOnBatchImport: true, eventDelay: 60, identifiers: [], blockedValues: {} };

  it('have defaults, and keep what is not given', async () => {
    expect(await get()).toEqual(FIRST);
    const identifiers = ['email', 'last_name'];
    const lists = { email: ['nobody@example.com', ''], last_name: [] };
    await set({ identifiers, blockedValues: blocked(lists), eventDelay: null });
    const kept = { email: lists.email };
    expect(await get()).toEqual({ ...FIRST, identifiers, blockedValues: kept, eventDelay: null });
    await until(async () => (await state())?.live?.trigger === 'Settings');
    expect(await state()).toMatchObject({ live: { full: true } });
    await end();
    await set({ identifiers, runOnBatchImport: false });
    const silent = { ...FIRST, runOnBatchImport: false, eventDelay: null };
    expect(await get()).toEqual({ ...silent, identifiers, blockedValues: kept });
    expect(await state()).toMatchObject({ live: null, waiting: null });
    await set({ identifiers: ['last_name'], runOnBatchImport: false });
    expect(await get()).toEqual({ ...silent, identifiers: ['last_name'], blockedValues: {} });
    await until(async () => (await state())?.live?.trigger === 'Settings');
  });

  it('that are set already change nothing and start nothing', async () => {
    await set({ identifiers: ['email'], blockedValues: blocked({ email: ['a', 'b'] }) });
    await until(async () => (await state())?.live != null);
    await end();
    const before = await facts();
    await set({ identifiers: ['email'], blockedValues: blocked({ email: ['a', 'b'] }) });
    await set({ identifiers: ['email'] });
    expect(await facts()).toEqual(before);
    await set({ identifiers: ['email'], blockedValues: blocked({ email: ['a'] }) });
    expect((await facts()).length).toBeGreaterThan(before.length);
  });

  it('are on record without the values', async () => {
    await set({ identifiers: ['email'], blockedValues: blocked({ email: ['secret-value'] }) });
    expect(JSON.stringify(await facts())).not.toContain('secret-value');
  });

  const sixteen = Array.from({ length: 16 }, (_, index) => `p${String(index)}`);
  const many = (count: number) => ({ email: Array.from({ length: count }, String) });

  it('have at most 16 identifiers and 1,000 blocked values of each, of kinds that can identify', async () => {
    const fit = [{ kind: 'int', bitSize: 64 }, { kind: 'uuid' }, { kind: 'ip' }];
    const others = fit.map((type, index) => ({ name: `p${String(index)}`, type }));
    const amount = { name: 'amount', type: { kind: 'decimal', precision: 5, scale: 2 } };
    const number = { name: 'number', type: { kind: 'decimal', precision: 5, scale: 0 } };
    const place = {
      name: 'place',
      type: { kind: 'object', properties: [{ ...amount, readOptional: true }] },
    };
    const rest = sixteen.slice(fit.length);
    await change(textOf('email', amount, number, place, ...others, ...rest));
    await until(async () => (await state())?.live != null);
    await end();
    const rejected = (wanted: Partial<Wanted>, code: string, ...paths: string[]) =>
      expect(set(wanted)).rejects.toEqual(refused(code, ...paths));
    const seventeen = [...sixteen, 'number'];
    await rejected({ identifiers: seventeen }, 'BadRequest', '/identifiers');
    await rejected({ identifiers: ['email', 'p', 'email'] }, 'BadRequest', '/identifiers/2');
    await rejected({ identifiers: ['a..b'] }, 'BadRequest', '/identifiers/0');
    await rejected(
      { blockedValues: blocked({ email: ['x'] }) },
      'BadRequest',
      '/blockedValues/email',
    );
    const tooMany = blocked(many(1_001));
    await rejected(
      { identifiers: ['email'], blockedValues: tooMany },
      'BadRequest',
      '/blockedValues/email',
    );
    const absent = ['email', 'nothing', 'email.x'];
    await rejected({ identifiers: absent }, 'PropertyNotExist', '/identifiers/1', '/identifiers/2');
    const unfit = ['amount', 'number', 'place', 'place.amount'];
    await rejected(
      { identifiers: unfit },
      'TypeNotAllowed',
      '/identifiers/0',
      '/identifiers/2',
      '/identifiers/3',
    );
    await set({ identifiers: [...sixteen.slice(1), 'email'], blockedValues: blocked(many(1_000)) });
    expect((await get()).blockedValues['email']).toHaveLength(1_000);
  });

  it('follow the schema of profiles', async () => {
    await set({ identifiers: ['email', 'last_name'], blockedValues: blocked({ email: ['x'] }) });
    await until(async () => (await state())?.live != null);
    await end();
    await change(textOf('last_name', 'mail', 'first_name'), { mail: 'email' });
    const identifiers = ['mail', 'last_name'];
    expect(await get()).toEqual({ ...FIRST, identifiers, blockedValues: { mail: ['x'] } });
    expect(await state()).toMatchObject({ live: null, waiting: null });
    await change(textOf('last_name', 'first_name'));
    expect(await get()).toEqual({ ...FIRST, identifiers: ['last_name'] });
    await until(async () => (await state())?.live?.trigger === 'Settings');
  });
});

const SEEDS = process.env['PENSTOCK_TEST_LONG'] === '1' ? [1, 2, 3, Date.now()] : [1];

it.each(SEEDS)(
  'never runs beside what excludes it, with two services and the seed %i',
  async (seed) => {
    const random = new Random(seed);
    const pick = <T>(items: readonly [T, ...T[]]): T => random.pick(items) ?? items[0];
    const works: (() => Promise<unknown>)[] = [
      () => start(pick([true, false])),
      () => trigger('Import', pick([true, false])),
      () => end(pick(['Succeeded', 'Failed', 'Cancelled'])),
      () => end(),
      cancel,
      () => setMode('Normal'),
      () => setMode(pick(['Normal', 'Inspection', 'Maintenance']), false),
      () => change(textOf(pick(['email', 'mail']), pick(['phone', 'name']))),
      () => set({ identifiers: pick<readonly string[]>([['email'], []]) }),
      () => setStatus(true),
      () => setStatus(pick([true, false])),
    ];
    // All ask first for what each may have: chance alone can leave a warehouse that nothing may start in.
    const lane = async (): Promise<void> => {
      await start().catch(() => undefined);
      for (let count = 0; count < 10; count += 1)
        await random
          .pick(works)?.()
          .catch(() => undefined);
    };
    await Promise.all(Array.from({ length: 6 }, lane));
    let live: unknown;
    let [mode, isOpen, starts] = ['Normal', false, 0];
    for (const { type, data } of await facts()) {
      if (type === 'ResolutionStarted') {
        expect([live, mode, isOpen]).toEqual([undefined, 'Normal', false]);
        live = data['resolution'];
        starts += 1;
      }
      if (type === 'ResolutionEnded') live = undefined;
      if (type === 'WarehouseModeChanged') mode = String(data['to']);
      if (type === 'WarehouseModeChanged' && mode !== 'Normal') expect(live).toBeUndefined();
      if (type === 'ProfileSchemaChangeStarted' || type === 'ResolutionSettingsSet')
        expect(live).toBeUndefined();
      if (type === 'ProfileSchemaChangeStarted') isOpen = true;
      if (type === 'ProfileSchemaChangeEnded') isOpen = false;
    }
    expect(starts).toBeGreaterThan(0);
    await setStatus(true);
    await setMode('Normal', true);
    await settle();
    const { differences, objects } = await verifyAudit(database, installation.log);
    expect(differences).toEqual([]);
    expect(objects).toBeGreaterThan(2);
  },
);

describe('what changes between the decision and its record', () => {
  const interrupted = (kind: string, meanwhile: () => Promise<unknown>): PostgresEventStore =>
    interruptedStore(database.manager, kind, meanwhile);

  const triggerWhile = (meanwhile: () => Promise<unknown>) =>
    new TriggerResolution(new Configuration(interrupted('resolution-', meanwhile))).handle({
      context: installation.context(),
      in: { id: workspace, trigger: 'Import', full: false },
    });

  const beginChange = (store: PostgresEventStore) => {
    const endings = new ProfileChangeEndings(
      new Configuration(store),
      store,
      ...([undefined, undefined] as never as [never, never]),
    );
    return async () => {
      const { state: warehouse } = await load(store, warehouseDecider, warehouseStream(workspace));
      const begun = {
        version: nextProfilesVersion(existingWarehouse(warehouse)),
        schema: textOf('email'),
        primarySources: {},
        rePaths: {},
        // So long ago that a service ends it with its next look.
        startedAt: instant(new Date(Date.now() - 60_000)),
      };
      await endings.record(
        workspace,
        { type: 'StartProfileChange', change: begun },
        installation.context(),
      );
    };
  };

  it.each<[string, () => Promise<unknown>]>([
    ['the mode', () => setMode('Inspection')],
    ['the organization', () => setStatus(false)],
    ['a change of the schema', () => beginChange(new PostgresEventStore(database.manager))()],
  ])('a trigger is decided on: %s', async (_, meanwhile) => {
    await triggerWhile(meanwhile);
    expect(await state()).toMatchObject({ live: null, waiting: { trigger: 'Import' } });
  });

  it('a trigger is decided on: another one was started', async () => {
    await triggerWhile(() => start(true));
    expect(await state()).toMatchObject({
      live: { trigger: 'API' },
      waiting: { trigger: 'Import' },
    });
  });

  it.each([
    ['the same rules', []],
    ['other rules, which ask for one', ['email']],
  ])('settings of %s are decided on: one was started', async (_, identifiers) => {
    const handler = new SetResolutionSettings(
      new Configuration(interrupted('resolution-', () => start())),
      new DataKeys(SECRETS),
    );
    const wanted = { runOnBatchImport: false, identifiers };
    await expect(
      handler.handle({ context: installation.context(), in: wanted }),
    ).rejects.toMatchObject({ code: 'OperationAlreadyExecuting' });
  });

  it('the organization is decided on: one was started, which is suspended', async () => {
    const store = interrupted('organization-', () => start());
    await new SetOrganizationStatus(new Configuration(store)).handle({
      context: installation.context({ organization }),
      in: { enabled: false },
    });
    expect(await state()).toMatchObject({ live: { cancelled: true }, waiting: { trigger: 'API' } });
  });

  it('a change of the schema is decided on: one was started', async () => {
    const begin = beginChange(interrupted('resolution-', () => start()));
    await expect(begin()).rejects.toMatchObject({ code: 'OperationAlreadyExecuting' });
  });
});

it('is cancelled in a workspace that is deleted, and does not start there', async () => {
  await start();
  await installation.command('DeleteWorkspace', { id: workspace }, { organization });
  expect(await state()).toMatchObject({ live: { cancelled: true } });
  await end('Cancelled');
  await trigger('Import');
  expect(await state()).toMatchObject({ live: null, waiting: null });
  await expect(start()).rejects.toEqual(refused('WorkspaceNotExist'));
});
