import { Receiver } from '../../harness/receiver';
import { until } from '../../harness/until';
import { withDatabase } from '../database';
import { expectRefused, json, malformed, NONE, refused } from '../refusal';
import type { Run, Table } from '../table';
import { bearer, type Json, type World } from '../world';

const STEPS = 6;
const ZEROS = Array<number>(STEPS).fill(0);
const USERS = 3;

const PROFILE = {
  kind: 'object',
  properties: [{ name: 'email', type: { kind: 'string' }, readOptional: true }],
};

/** Settings of a test application whose calls last for the whole test. */
const STALLED = { operationDelay: '1h' };

interface Import {
  readonly connection: string;
  readonly pipeline: string;
}

const newImport = async (
  world: World,
  settings: object = {},
  members: object = {},
): Promise<Import> => {
  const connection = await world.made('POST /v1/connections', {
    ...{ name: 'People', role: 'Source', connector: 'dummy' },
    settings: { userCount: USERS, ...settings },
  });
  const pipeline = await world.made('POST /v1/pipelines', {
    ...{ name: 'Import', connection, target: 'User', enabled: true },
    transformation: { mapping: { email: 'email' } },
    inSchema: {
      kind: 'object',
      properties: [{ name: 'email', type: { kind: 'string', maxLength: 254 } }],
    },
    outSchema: PROFILE,
    ...members,
  });
  return { connection, pipeline };
};

const start = (world: World, pipeline: string, body?: object): Promise<string> =>
  world.made(`POST /v1/pipelines/${pipeline}/runs`, body);

const getRun = (world: World, run: string): Promise<Json> =>
  world.done(`GET /v1/pipelines/runs/${run}`);

const ended = async (world: World, run: string): Promise<Json> => {
  const hasEnded = async () => (await getRun(world, run))['endTime'] !== null;
  await until('the run has ended', hasEnded, 30_000);
  return getRun(world, run);
};

/** A run that does not end by itself. */
const stalled = async (world: World): Promise<Import & { readonly run: string }> => {
  const made = await newImport(world, STALLED);
  return { ...made, run: await start(world, made.pipeline) };
};

const remove = ({ connection }: Import, world: World): Promise<Json> =>
  world.done(`DELETE /v1/connections/${connection}`);

const refusedRun = async (
  world: World,
  pipeline: string,
  ...because: Parameters<typeof refused>
): Promise<void> => {
  expectRefused(await world.ask(`POST /v1/pipelines/${pipeline}/runs`), refused(...because));
};

const forbiddenIn =
  (mode: 'Inspection' | 'Maintenance'): Run =>
  async (world) => {
    const made = await newImport(world);
    await world.done('PUT /v1/warehouse/mode', { mode, cancelIncompatibleOperations: true });
    try {
      const message = `data warehouse is in ${mode.toLowerCase()} mode`;
      await refusedRun(world, made.pipeline, `${mode}Mode`, message);
    } finally {
      await world.done('PUT /v1/warehouse/mode', { mode: 'Normal' });
    }
    expect(await ended(world, await start(world, made.pipeline))).toMatchObject({
      status: 'Succeeded',
    });
    await remove(made, world);
  };

const aFile = async (world: World, role: 'Source' | 'Destination', members: object) => {
  const connection = await world.made('POST /v1/connections', {
    ...{ name: 'Files', role, connector: role === 'Source' ? 'http-get' : 'http-post' },
    settings: { host: 'files.example.com' },
  });
  const pipeline = await world.made('POST /v1/pipelines', {
    ...{ name: 'File', connection, target: 'User', enabled: true, format: 'csv', path: 'a.csv' },
    ...members,
  });
  return { connection, pipeline };
};

/** Rows of pipelines about their runs. */
export const RUNS: Table = {
  'Set schedule: a value turns automatic runs on, null off': async (world) => {
    const made = await newImport(world);
    const path = `/v1/pipelines/${made.pipeline}`;
    const set = async (period: string | null) => {
      await world.done(`PUT ${path}/schedule`, { period });
      const { schedulePeriod, nextRun } = await world.done(`GET ${path}`);
      return [schedulePeriod, typeof nextRun === 'string' && Date.parse(nextRun) > Date.now()];
    };
    expect(await set('24h')).toEqual(['24h', true]);
    expect(await set(null)).toEqual([null, false]);
    expect(await set('12h')).toEqual(['12h', true]);
    await remove(made, world);
  },
  'Run pipeline: answers the id of the run at once': async (world) => {
    const { run, pipeline, ...made } = await stalled(world);
    expect(await getRun(world, run)).toMatchObject({ id: run, pipeline, endTime: null });
    await remove({ pipeline, ...made }, world);
  },
  'Run pipeline: incremental must be omitted or null for a destination': async (world) => {
    const members = { orderBy: 'email', inSchema: PROFILE };
    const made = await aFile(world, 'Destination', members);
    for (const incremental of [true, false])
      expectRefused(
        await world.ask(`POST /v1/pipelines/${made.pipeline}/runs`, json({ incremental })),
        malformed('/incremental'),
      );
    await world.done(`POST /v1/pipelines/${made.pipeline}/runs`, { incremental: null });
    await remove(made, world);
  },
  'Run pipeline: incremental requires an update time column': async (world) => {
    const made = await aFile(world, 'Source', {
      ...{ formatSettings: { hasColumnNames: true }, userIDColumn: 'id' },
      transformation: { mapping: { email: 'email' } },
      inSchema: {
        kind: 'object',
        properties: ['id', 'email'].map((name) => ({ name, type: { kind: 'string' } })),
      },
      outSchema: PROFILE,
    });
    expectRefused(
      await world.ask(`POST /v1/pipelines/${made.pipeline}/runs`, json({ incremental: true })),
      refused('IncrementalNotPossible', 'incremental requires an update time column'),
    );
    await remove(made, world);
  },
  'Run pipeline: pipeline is disabled': async (world) => {
    const made = await newImport(world, {}, { enabled: false });
    await refusedRun(world, made.pipeline, 'PipelineDisabled', 'pipeline is disabled');
    await remove(made, world);
  },
  'Run pipeline: pipeline is already running': async (world) => {
    const made = await stalled(world);
    const message = 'pipeline is already running';
    await refusedRun(world, made.pipeline, 'PipelineAlreadyRunning', message);
    await remove(made, world);
  },
  'Run pipeline: data warehouse is in inspection mode': forbiddenIn('Inspection'),
  'Run pipeline: data warehouse is in maintenance mode': forbiddenIn('Maintenance'),
  'Get run: every field of a pipeline run': async (world) => {
    const made = await newImport(world);
    const id = await start(world, made.pipeline);
    const { startTime, endTime, ...run } = await ended(world, id);
    const all = Array<number>(STEPS).fill(USERS);
    expect(run).toEqual({
      ...{ id, ...made, pipelineName: 'Import', pipelineVersion: 1, trigger: 'API' },
      ...{ replayMode: null, status: 'Succeeded', incremental: false, startingCursor: null },
      ...{ passed: all, failed: ZEROS, error: '', attempt: 1, progress: null, purged: 0 },
      waiting: null,
      warnings: [],
    });
    for (const time of [startTime, endTime])
      expect(time).toBe(new Date(String(time)).toISOString());
    expect(Date.parse(String(endTime))).toBeGreaterThanOrEqual(Date.parse(String(startTime)));
    await remove(made, world);
  },
  'Get run: passed and failed of six steps, zero until the end': async (world) => {
    const made = await newImport(world, { pageSize: 1, operationDelay: '200ms' });
    const run = await start(world, made.pipeline);
    const live: Json[] = [];
    await until('the run has ended', async () => {
      const seen = await getRun(world, run);
      if (seen['endTime'] !== null) return true;
      live.push(seen);
      return false;
    });
    expect(live).not.toEqual([]);
    for (const seen of live)
      expect(seen).toMatchObject({ passed: ZEROS, failed: ZEROS, error: '', endTime: null });
    const passed = Array<number>(STEPS).fill(USERS);
    expect(await getRun(world, run)).toMatchObject({ passed, failed: ZEROS });
    await remove(made, world);
  },
  'Cancel run: ends it in seconds': async (world) => {
    const { run, ...made } = await stalled(world);
    const path = `/v1/pipelines/runs/${run}`;
    expect(await world.done(`POST ${path}/cancel`)).toMatchObject({ id: run });
    const cancelled = await ended(world, run);
    expect(cancelled).toMatchObject({ status: 'Cancelled', error: 'run was cancelled' });
    expect(await world.done(`POST ${path}/cancel`)).toEqual(cancelled);
    await remove(made, world);
  },
  'Delete pipeline: keeps its runs': async (world) => {
    const made = await newImport(world);
    const run = await ended(world, await start(world, made.pipeline));
    await remove(made, world);
    expect((await world.ask(`GET /v1/pipelines/${made.pipeline}`)).status).toBe(404);
    expect(await getRun(world, String(run['id']))).toEqual(run);
    const listed = await world.done(`GET /v1/pipelines/runs?pipeline=${made.pipeline}`);
    expect(listed).toEqual({ runs: [run] });
    const { facts } = await world.done(`GET /v1/pipelines/runs/${String(run['id'])}/history`);
    expect((facts as Json[]).at(-1)).toMatchObject({ type: 'RunSucceeded' });
  },
  'List runs: newest first, page by page': async (world) => {
    const made = await newImport(world, { userCount: 0 });
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift(await start(world, made.pipeline));
      await ended(world, ids[0] ?? '');
    }
    const list = (query: string) =>
      world.done(`GET /v1/pipelines/runs?pipeline=${made.pipeline}${query}`);
    const idsOf = ({ runs }: Json) => (runs as { id: string }[]).map(({ id }) => id);
    expect(idsOf(await list(''))).toEqual(ids);
    const page = await list('&limit=2');
    expect(idsOf(page)).toEqual(ids.slice(0, 2));
    const next = await list(`&cursor=${String(page['cursor'])}`);
    expect([idsOf(next), next['cursor']]).toEqual([ids.slice(2), '']);
    await remove(made, world);
  },
};

/** The schema of the warehouse of the world. */
const schemaOf = async (world: World): Promise<string> => {
  const { settings } = await world.done('GET /v1/warehouse');
  return String((settings as Json)['Schema']);
};

const EXECUTING = refused(
  'OperationAlreadyExecuting',
  'another operation on the data warehouse is being executed',
);

/** Rows of the warehouse about what runs in it. */
export const OPERATIONS: Table = {
  'Repair: OperationAlreadyExecuting': async (world) => {
    const made = await newImport(world);
    await ended(world, await start(world, made.pipeline));
    const schema = await schemaOf(world);
    const latest = () => world.done('GET /v1/identity-resolution/latest');
    const isIdle = async () => (await latest())['endTime'] !== null;
    await until('identities are resolved', isIdle, 30_000);
    await withDatabase(world, async (client) => {
      await client.query(`BEGIN; LOCK TABLE ${schema}._profiles IN ACCESS EXCLUSIVE MODE`);
      await world.done('POST /v1/identity-resolution/start', { full: true });
      expectRefused(await world.ask('POST /v1/warehouse/repair'), EXECUTING);
      await client.query('ROLLBACK');
    });
    await until('identities are resolved', isIdle, 30_000);
    await world.done('POST /v1/warehouse/repair');
    await remove(made, world);
  },
  'Update mode: cancelIncompatibleOperations cancels, or is refused': async (world) => {
    const { run, ...made } = await stalled(world);
    const mode = 'Inspection';
    for (const members of [{}, { cancelIncompatibleOperations: false }])
      expectRefused(
        await world.ask('PUT /v1/warehouse/mode', json({ mode, ...members })),
        EXECUTING,
      );
    expect(await world.done('GET /v1/warehouse')).toMatchObject({ mode: 'Normal' });
    await world.done('PUT /v1/warehouse/mode', { mode, cancelIncompatibleOperations: true });
    expect(await ended(world, run)).toMatchObject({
      status: 'Cancelled',
      error: 'warehouse mode was changed to Inspection',
    });
    await world.done('PUT /v1/warehouse/mode', {});
    await remove(made, world);
  },
  'modes: change the profile schema': async (world) => {
    const { properties } = await world.done('GET /v1/profiles/schema');
    const change = (name: string) => {
      const added = { name, type: { kind: 'string' }, readOptional: true };
      const schema = { kind: 'object', properties: [...(properties as object[]), added] };
      return world.ask('PUT /v1/profiles/schema', json({ schema }));
    };
    try {
      await world.done('PUT /v1/warehouse/mode', { mode: 'Inspection' });
      expectRefused(
        await change('in_inspection'),
        refused('InspectionMode', 'data warehouse is in inspection mode'),
      );
      await world.done('PUT /v1/warehouse/mode', { mode: 'Maintenance' });
      expect((await change('in_maintenance')).status).toBe(200);
    } finally {
      await world.done('PUT /v1/warehouse/mode', { mode: 'Normal' });
    }
    // What the change before has begun to resolve ends first.
    await until('the schema is changed', async () => (await change('in_normal')).status === 200);
  },
};

/** Rows of connections about their health. */
export const HEALTH: Table = {
  'health: of its deliveries': async (world) => {
    const receiver = await Receiver.open();
    receiver.status = 401;
    try {
      const destination = await world.made('POST /v1/connections', {
        ...{ name: 'Closed', role: 'Destination', connector: 'http' },
        settings: { url: receiver.url },
        linkedConnections: [world.ids.source],
      });
      await world.made('POST /v1/pipelines', {
        ...{ name: 'To nowhere', connection: destination, target: 'Event' },
        ...{ eventType: 'send_event', enabled: true },
      });
      const event = { type: 'track', event: 'Good', userId: 'ada' };
      const headers = { ...json({}).headers, ...bearer(world.ids.writeKey) };
      const body = JSON.stringify(event);
      expect((await world.ask('POST /v1/events', { headers, body })).status).toBe(200);
      const health = async () => (await world.done(`GET /v1/connections/${destination}`))['health'];
      const isPaused = async () => ((await health()) as Json)['status'] === 'Paused';
      await until('the connection is paused', isPaused, 30_000);
      expect(await health()).toMatchObject({
        code: 'AccessDenied',
        since: expect.any(String) as string,
      });
      await world.done(`DELETE /v1/connections/${destination}`);
    } finally {
      await receiver.close();
    }
  },
};

/** Rows that stop what runs in the whole installation. */
export const STOPPED_RUNS: Table = {
  'a disabled organization: its runs are cancelled': async (world) => {
    const { run, pipeline, ...made } = await stalled(world);
    await world.done(`PUT /v1/pipelines/${pipeline}/schedule`, { period: '5m' });
    await world.done('PUT /v1/organization/status', { enabled: false });
    expectRefused(
      await world.ask(`POST /v1/pipelines/${pipeline}/runs`, NONE),
      refused('OrganizationDisabled', 'organization is disabled'),
    );
    await world.done('PUT /v1/organization/status', { enabled: true });
    expect(await ended(world, run)).toMatchObject({
      status: 'Cancelled',
      error: 'organization is disabled',
    });
    await remove({ pipeline, ...made }, world);
  },
};
