import { createConnectors, DummyStore } from '@penstock/connectors';
import {
  type CreatePipeline,
  instant,
  type PipelineFactView,
  type PipelineId,
  type RunControlState,
  type RunEndStatus,
  type RunId,
  slotUpTo,
  type WarehouseState,
} from '@penstock/contracts';
import { PostgresEventStore } from '@penstock/event-sourcing';
import { newId } from '@penstock/runtime';
import { tmpdir } from 'node:os';
import type { DataSource } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { openDatabase } from '../database/database';
import {
  type RunControlCommand,
  runControlDecider,
  runControlStream,
} from '../domain/run-control.decide';
import { projectViews } from '../read-model/project-views';
import { RunControlRow } from '../read-model/run-control.row';
import { cancelledBy } from '../warehouse/mode-change';
import { RunPipeline } from './run-pipeline';
import { TO_FILE } from '../testing/export.fixture';
import { APPLICATION, FILE, schemaOf } from '../testing/import.fixture';
import { HeldTimers } from '../testing/held-timers.fixture';
import { Installation } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

const TEXT = { kind: 'string' };

let installation: Installation;
let database: DataSource;
let looks: HeldTimers;

beforeAll(async () => {
  looks = new HeldTimers(1_000);
  installation = await Installation.open();
  const dummyStore = new DummyStore(installation.pool);
  const connectors = createConnectors({ dummyStore, filesRoot: tmpdir() });
  await installation.start({ connectors });
  await installation.start({ connectors });
  database = await openDatabase(installation.databaseUrl, () => undefined);
});

afterAll(async () => {
  looks.release();
  await database.destroy();
  await installation.close();
});

const record = async (streams: readonly ReturnType<typeof appendTo>[]): Promise<void> => {
  const cause = { commandId: newId(), actor: 'test', requestId: newId() };
  const store = new PostgresEventStore(database.manager);
  await store.append({ streams, cause, reply: {}, project: projectViews });
};

/** A pipeline that imports the users of an application, or records of a file without a time. */
const imported = async (members: Partial<CreatePipeline> = {}, isFile = false) => {
  const connection = await installation.source({ connector: isFile ? 'filesystem' : 'dummy' });
  const { updatedAtColumn: _, updatedAtFormat: _format, ...file } = FILE;
  const own = isFile ? { ...file, inSchema: schemaOf({ id: TEXT, email: TEXT }) } : APPLICATION;
  const { id } = await installation.command('CreatePipeline', {
    ...aPipeline(connection),
    ...{ target: 'User', eventType: null, ...own, ...members },
  });
  return id;
};

const decide = async (id: string, command: RunControlCommand): Promise<void> => {
  const store = new PostgresEventStore(database.manager);
  const own = await load(store, runControlDecider, runControlStream(id));
  await record([appendTo(own, runControlDecider.decide(command, own.state))]);
};

const control = async (id: string): Promise<RunControlState | null> => {
  const store = new PostgresEventStore(database.manager);
  return (await load(store, runControlDecider, runControlStream(id))).state;
};

const run = (id: string, incremental: boolean | null = null, workspace = installation.workspace) =>
  installation.command('RunPipeline', { id, incremental }, { workspace });

const end = (id: string, of: string, status: RunEndStatus, cursor: string | null = null) =>
  installation.command('EndRun', {
    id: id as PipelineId,
    end: {
      run: of as RunId,
      status,
      cursor,
      error: status === 'Failed' ? 'it broke' : '',
      endedAt: instant(new Date()),
    },
  });

const viewOf = (id: string) => installation.read('GetPipeline', { id });

/** Has both services look for due slots, which they do each second, until one of the pipeline is decided. */
const untilDecided = (id: string): Promise<void> =>
  looks.until(
    () => control(id),
    (state) => (state?.lastSlot ?? null) !== null,
  );

it('records one of fifty simultaneous requests, in the version of the pipeline', async () => {
  const id = await imported();
  const answers = await Promise.allSettled(Array.from({ length: 50 }, () => run(id)));
  const [accepted, ...others] = answers.flatMap((each) =>
    each.status === 'fulfilled' ? [each.value] : [],
  );
  expect(others).toEqual([]);
  for (const each of answers)
    if (each.status === 'rejected')
      expect(each.reason).toMatchObject({ code: 'PipelineAlreadyRunning' });
  expect(await control(id)).toMatchObject({
    live: {
      run: accepted?.id,
      trigger: 'API',
      pipelineVersion: 1,
      incremental: false,
      cursor: null,
    },
  });
  expect(await viewOf(id)).toMatchObject({
    version: 1,
    runs: { running: true },
    health: { status: 'Unknown' },
  });
});

it('runs again once the run has ended, however often the end is reported', async () => {
  const id = await imported();
  const first = await run(id);
  const cursor = '2026-03-01T09:30:00.123456Z';
  await Promise.all([
    end(id, first.id, 'Succeeded', cursor),
    end(id, first.id, 'Succeeded', cursor),
  ]);
  expect(await viewOf(id)).toMatchObject({
    runs: { running: false },
    health: { status: 'Healthy' },
  });
  const second = await run(id, true);
  await end(id, first.id, 'Failed');
  expect(await control(id)).toMatchObject({ live: { run: second.id, incremental: true, cursor } });
  await end(id, second.id, 'Failed');
  expect(await control(id)).toMatchObject({ live: null, cursor });
  expect(await viewOf(id)).toMatchObject({ health: { status: 'Failing', code: 'RunFailed' } });
});

describe('refuses to run', () => {
  it('a pipeline on events', async () => {
    const { id } = await installation.command(
      'CreatePipeline',
      aPipeline(await installation.destination()),
    );
    await expect(run(id)).rejects.toMatchObject({ code: 'PipelineNotRunnable' });
  });

  it('incrementally without an update time column', async () => {
    const id = await imported({ enabled: false }, true);
    await expect(run(id, true)).rejects.toMatchObject({ code: 'IncrementalNotPossible' });
    await expect(run(id)).rejects.toMatchObject({ code: 'PipelineDisabled' });
  });

  it('a disabled pipeline', async () => {
    const id = await imported({ enabled: false });
    await expect(run(id)).rejects.toMatchObject({ code: 'PipelineDisabled' });
    await installation.command('SetPipelineStatus', { id, enabled: true });
    await run(id);
  });
});

describe('a replay', () => {
  const replay = (
    id: string,
    of: string,
    cursor: string | null,
    workspace = installation.workspace,
  ) =>
    installation.command(
      'ReplayRun',
      { id: id as PipelineId, run: of as RunId, cursor },
      { workspace },
    );

  it('begins where the run has begun, in the present version, and does not move the cursor', async () => {
    const id = await imported();
    const [early, late] = ['2026-03-01T09:30:00.000000Z', '2026-04-01T09:30:00.000000Z'];
    const first = await run(id);
    await end(id, first.id, 'Succeeded', late);
    await installation.command('UpdatePipeline', { id, ...APPLICATION, name: 'Renamed' });
    const { id: replayed } = await replay(id, first.id, early);
    expect(await control(id)).toMatchObject({
      live: { run: replayed, trigger: 'Replay', incremental: true, cursor: early },
    });
    expect((await control(id))?.live?.pipelineVersion).toBe(2);
    await expect(replay(id, first.id, early)).rejects.toMatchObject({
      code: 'PipelineAlreadyRunning',
    });
    await end(id, replayed, 'Succeeded', '2026-05-01T09:30:00.000000Z');
    expect(await control(id)).toMatchObject({ live: null, cursor: late });
    const { id: full } = await replay(id, first.id, null);
    expect(await control(id)).toMatchObject({ live: { incremental: false, cursor: null } });
    await end(id, full, 'Succeeded', early);
    expect(await control(id)).toMatchObject({ cursor: late });
  });

  it('is refused for what cannot run', async () => {
    const id = await imported();
    const { id: of } = await run(id);
    await end(id, of, 'Failed');
    const other = await installation.bareWorkspace();
    await expect(replay(id, of, null, other)).rejects.toMatchObject({ code: 'RunNotExist' });
    await installation.command('SetPipelineStatus', { id, enabled: false });
    await expect(replay(id, of, null)).rejects.toMatchObject({ code: 'PipelineDisabled' });
    await installation.command('DeletePipeline', { id });
    await expect(replay(id, of, null)).rejects.toMatchObject({ code: 'PipelineNotRunnable' });
    const events = aPipeline(await installation.destination());
    const { id: onEvents } = await installation.command('CreatePipeline', events);
    await expect(replay(onEvents, of, null)).rejects.toMatchObject({ code: 'PipelineNotRunnable' });
    await expect(replay(onEvents, of, null, other)).rejects.toMatchObject({ code: 'RunNotExist' });
    const file = await imported({}, true);
    const { id: whole } = await run(file);
    await end(file, whole, 'Succeeded');
    await expect(replay(file, whole, '2026-03-01T09:30:00.000000Z')).rejects.toMatchObject({
      code: 'IncrementalNotPossible',
    });
  });
});

it('the history of a pipeline holds what was decided about it, in order, also after its deletion', async () => {
  const id = await imported();
  await installation.command('SetSchedulePeriod', { id, period: '24h' });
  const { id: first } = await run(id);
  await end(id, first, 'Succeeded');
  await decide(id, { type: 'SkipSlot', slot: instant(new Date()), reason: 'running' });
  await installation.command('DeletePipeline', { id });
  const pages: PipelineFactView[] = [];
  let cursor = '';
  do {
    const page = await installation.query('ListPipelineFacts', { id, limit: 2, cursor });
    pages.push(...page.facts);
    ({ cursor } = page);
  } while (cursor !== '');
  expect(pages.map(({ type }) => type)).toEqual([
    'PipelineCreated',
    'ScheduleSet',
    'SlotSkipped',
    'ScheduleSet',
    'PipelineDeleted',
  ]);
  expect(JSON.parse(pages[2]?.data ?? '')).toMatchObject({ reason: 'running' });
  const { connection } = JSON.parse(pages[0]?.data ?? '') as { readonly connection: string };
  for (const wanted of [
    [connection, installation.workspace],
    [id, await installation.bareWorkspace()],
  ] as const) {
    const [of, workspace] = wanted;
    const asked = { id: of, limit: 2, cursor: '' };
    await expect(
      installation.query('ListPipelineFacts', asked, { workspace }),
    ).rejects.toMatchObject({ code: 'PipelineNotExist' });
  }
});

describe('cancels', () => {
  it('a live run, and leaves an ended one as it is', async () => {
    const id = await imported();
    const { id: live } = await run(id);
    const cancel = (of: string) => installation.command('CancelRun', { id, run: of as RunId });
    await cancel(live);
    await cancel(live);
    expect(await control(id)).toMatchObject({
      version: 2,
      live: { cancelled: { reason: 'Requested', actor: 'key-1' } },
    });
    await end(id, live, 'Cancelled');
    await cancel(live);
    expect(await control(id)).toMatchObject({ version: 3, live: null });
    await expect(
      installation.command(
        'CancelRun',
        { id, run: live as RunId },
        { workspace: await installation.bareWorkspace() },
      ),
    ).rejects.toMatchObject({ code: 'RunNotExist' });
  });

  it('the run of a deleted pipeline, whose schedule ends', async () => {
    const id = await imported();
    await installation.command('SetSchedulePeriod', { id, period: '24h' });
    await run(id);
    await installation.command('DeletePipeline', { id });
    expect(await control(id)).toMatchObject({
      schedule: null,
      live: { cancelled: { reason: 'PipelineDeleted', actor: 'key-1' } },
    });
  });

  it('the run that is requested while the pipeline is deleted, or refuses it', async () => {
    for (let each = 0; each < 10; each += 1) {
      const id = await imported();
      const [requested] = await Promise.allSettled([
        run(id),
        installation.command('DeletePipeline', { id }),
      ]);
      const state = await control(id);
      if (requested.status === 'fulfilled')
        expect(state).toMatchObject({
          live: { cancelled: { reason: 'PipelineDeleted', actor: 'key-1' } },
        });
      else expect(state).toBeNull();
    }
  });

  it('runs that a mode of the warehouse forbids, with that mode and who has set it', async () => {
    const ids = [await imported(), await imported()];
    for (const id of ids) await run(id);
    const { streams } = await cancelledBy(new PostgresEventStore(database.manager), {
      workspace: (await installation.founded()).workspace,
      warehouse: { mode: 'Normal' } as WarehouseState,
      ...{ mode: 'Maintenance', cancelIncompatibleOperations: true, actor: 'key-2' },
    });
    const cancelled = { reason: 'WarehouseModeChanged', actor: 'key-2', mode: 'Maintenance' };
    for (const id of ids)
      expect(streams.find(({ stream }) => stream === runControlStream(id))?.facts).toMatchObject([
        { type: 'RunCancelRequested', data: cancelled, state: { live: { cancelled } } },
      ]);
  });

  it('the run of a pipeline whose connection was deleted', async () => {
    const id = await imported();
    await run(id);
    const { connection } = await viewOf(id);
    await installation.command('DeleteConnection', { id: connection });
    expect(await control(id)).toMatchObject({
      live: { cancelled: { reason: 'PipelineDeleted', actor: 'key-1' } },
    });
  });
});

describe('a schedule', () => {
  it('keeps its start when the period is set again, and as far as it can with another', async () => {
    const id = await imported();
    const set = (period: '24h' | '5m' | '1h' | null) =>
      installation.command('SetSchedulePeriod', { id, period });
    await set('24h');
    const before = (await viewOf(id)).runs;
    expect(before?.schedulePeriod).toBe('24h');
    await set('24h');
    expect((await viewOf(id)).runs).toEqual(before);
    await set('1h');
    const after = (await viewOf(id)).runs;
    expect(after?.scheduleStart).toBe((before?.scheduleStart ?? 0) % 60);
    expect(Date.parse(after?.nextRun ?? '') - Date.now()).toBeLessThanOrEqual(3_600_000);
    await set(null);
    expect((await viewOf(id)).runs).toMatchObject({
      schedulePeriod: null,
      scheduleStart: null,
      nextRun: null,
    });
  });

  /** Its newest slot has just begun, so that the next one, after five minutes, comes after the test. */
  let schedule: { readonly period: '5m'; readonly start: number };
  beforeEach(() => {
    schedule = { period: '5m', start: new Date().getUTCMinutes() % 5 };
  });

  const scheduledLongAgo = (id: PipelineId, minutes: number) => {
    const setAt = instant(new Date(Date.now() - minutes * 60_000));
    const of = { id, workspace: installation.workspace };
    return decide(id, { type: 'SetSchedule', of, schedule, now: setAt });
  };

  it('decides the newest missed slot once over replicas: it runs, late, and earlier ones are not made up', async () => {
    const ids: PipelineId[] = [];
    for (let each = 0; each < 8; each += 1) ids.push(await imported());
    const slot = slotUpTo(schedule, instant(new Date()));
    await Promise.all(ids.map((id) => scheduledLongAgo(id, 60)));
    for (const id of ids) await untilDecided(id);
    for (const id of ids) {
      const state = await control(id);
      expect(state).toMatchObject({
        version: 2,
        live: { trigger: 'Schedule', actor: 'scheduler', slot },
        lastSlot: slot,
      });
    }
  });

  it('goes on when more than a look takes at once cannot be decided', async () => {
    const rows = database.getRepository(RunControlRow);
    const state = { schedule: null } as RunControlState;
    const stale = Array.from({ length: 120 }, () => ({
      ...{ id: newId(), workspace: installation.workspace, live: null, state },
      due: '2020-01-01T00:00:00.000Z',
    }));
    await rows.insert(stale);
    try {
      const id = await imported();
      await scheduledLongAgo(id, 20);
      await untilDecided(id);
    } finally {
      await rows.delete(stale.map((each) => each.id));
    }
  });

  it('is looked at again after it could not be decided', async () => {
    const id = await imported();
    const row = { id, workspace: installation.workspace, live: null };
    const state = { schedule: null } as RunControlState;
    await database
      .getRepository(RunControlRow)
      .insert({ ...row, state, due: '2020-01-01T00:00:00.000Z' });
    // One replica looks at a time.
    for (let look = 0; look < 3; look += 1) await looks.repeat();
    await scheduledLongAgo(id, 20);
    await untilDecided(id);
  });

  it('runs exports, which read everything each time', async () => {
    const connection = await installation.destination({ connector: 'filesystem' });
    const { id } = await installation.command('CreatePipeline', {
      ...aPipeline(connection),
      ...{ target: 'User', eventType: null, ...TO_FILE },
    });
    await scheduledLongAgo(id, 20);
    await untilDecided(id);
    expect(await control(id)).toMatchObject({
      live: { trigger: 'Schedule', incremental: null, cursor: null },
    });
  });

  it('has a record of each slot without a run, with the reason', async () => {
    const disabled = await imported({ enabled: false });
    const running = await imported();
    await run(running);
    await scheduledLongAgo(disabled, 20);
    await scheduledLongAgo(running, 20);
    for (const id of [disabled, running]) await untilDecided(id);
    expect(await control(disabled)).toMatchObject({
      live: null,
      last: null,
      lastSkipped: { reason: 'disabled' },
    });
    expect(await control(running)).toMatchObject({ lastSkipped: { reason: 'running' } });
    expect((await viewOf(disabled)).runs?.nextRun).toBeNull();
  });

  it('runs at the next slot after the pipeline was enabled again', async () => {
    const id = await imported({ enabled: false });
    await scheduledLongAgo(id, 20);
    await untilDecided(id);
    await installation.command('SetPipelineStatus', { id, enabled: true });
    const beforeMs = Date.now();
    const next = Date.parse((await viewOf(id)).runs?.nextRun ?? '');
    expect(next).toBeGreaterThan(beforeMs);
    expect(next).toBeLessThanOrEqual(Date.now() + 300_000);
  });
});

describe('what changes between the decision on a run and its record', () => {
  /** Decides a run; does something once it has read what it depends on. */
  const runWhile = (id: string, meanwhile: () => Promise<unknown>) => {
    const store = new PostgresEventStore(database.manager);
    let pending: (() => Promise<unknown>) | undefined = meanwhile;
    const reading = Object.assign(Object.create(store) as PostgresEventStore, {
      read: async <State>(streams: readonly string[]) => {
        const found = await store.read<State>(streams);
        const work = streams.includes(runControlStream(id)) ? pending : undefined;
        if (work !== undefined) {
          pending = undefined;
          await work();
        }
        return found;
      },
    });
    const handler = new RunPipeline(new Configuration(reading), installation.connectors);
    const context = installation.context();
    return handler.handle({ context, in: { id, incremental: null } });
  };

  it('is decided on: the pipeline was disabled', async () => {
    const id = await imported();
    const disable = () => installation.command('SetPipelineStatus', { id, enabled: false });
    await expect(runWhile(id, disable)).rejects.toMatchObject({ code: 'PipelineDisabled' });
    expect(await control(id)).toBeNull();
  });

  it('is decided on: the pipeline was updated', async () => {
    const id = await imported();
    const { connection: _, target: _target, eventType: _type, ...rest } = aPipeline('');
    const update = () =>
      installation.command('UpdatePipeline', { ...rest, ...APPLICATION, id, name: 'Renamed' });
    await runWhile(id, update);
    expect(await control(id)).toMatchObject({ live: { pipelineVersion: 2 } });
  });

  it('is decided on: the organization was disabled', async () => {
    const id = await imported();
    const { organization } = await installation.founded();
    const set = (enabled: boolean) =>
      installation.command('SetOrganizationStatus', { enabled }, { organization });
    await expect(runWhile(id, () => set(false))).rejects.toMatchObject({
      code: 'OrganizationDisabled',
    });
    await set(true);
    expect(await control(id)).toBeNull();
  });

  it('is decided on: another run was requested', async () => {
    const id = await imported();
    await expect(runWhile(id, () => run(id))).rejects.toMatchObject({
      code: 'PipelineAlreadyRunning',
    });
  });
});

it('cancels the live runs of a disabled organization, and runs none', async () => {
  const id = await imported();
  const { id: live } = await run(id);
  const { organization } = await installation.founded();
  const set = (enabled: boolean) =>
    installation.command('SetOrganizationStatus', { enabled }, { organization });
  await set(false);
  expect(await control(id)).toMatchObject({
    live: { run: live, cancelled: { reason: 'OrganizationDisabled', actor: 'key-1' } },
  });
  await set(true);
});
