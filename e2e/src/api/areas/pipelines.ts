import {
  absent,
  CONFLICT,
  expectRefused,
  FORBIDDEN,
  json,
  malformed,
  NO_PIPELINE,
  NONE,
  refused,
} from '../refusal';
import { until } from '../../harness/until';
import { answers, refuses, type Run, type Table } from '../table';
import { bearer, type Json, type World } from '../world';

const NO_RUN = absent('RunNotExist', 'run does not exist');
const NOT_RUNNABLE = refused('PipelineNotRunnable', 'pipeline cannot be run');

const TARGET_EXIST = refused('TargetExist', 'connection already has a pipeline for this target');

/** A source without pipelines. */
const aSource = (world: World): Promise<string> =>
  world.made('POST /v1/connections', { name: 'S', role: 'Source', connector: 'nodejs' });

const PERIODS = ['5m', '15m', '30m', '1h', '2h', '3h', '6h', '8h', '12h', '24h'];

const newPipeline = async (world: World, members: object = {}): Promise<string> =>
  world.made('POST /v1/pipelines', {
    name: 'P',
    connection: world.ids.destination,
    target: 'Event',
    eventType: 'send_event',
    ...members,
  });

const get = (world: World, id: string): Promise<Json> => world.done(`GET /v1/pipelines/${id}`);

/** Cases with an invalid id, an unknown one, and one of another workspace. */
const ofNoPipeline = (method: string, path: string, body?: object): Record<string, Run> => {
  const request = body === undefined ? NONE : json(body);
  return {
    'of nobody': refuses(`${method} /v1/pipelines/nothing000000${path}`, request, NO_PIPELINE),
    impossible: refuses(`${method} /v1/pipelines/%00${path}`, request, NO_PIPELINE),
    'a connection': refuses(`${method} /v1/pipelines/{source}${path}`, request, NO_PIPELINE),
    deleted: async (world) => {
      const id = await newPipeline(world);
      await world.done(`DELETE /v1/pipelines/${id}`);
      expectRefused(await world.ask(`${method} /v1/pipelines/${id}${path}`, request), NO_PIPELINE);
    },
  };
};

const EMAIL = { kind: 'string', maxLength: 254 };

export const PIPELINES: Table = {
  'import users from applications, databases and files': async (world) => {
    const id = await world.made('POST /v1/pipelines', {
      name: 'Import',
      connection: world.ids.application,
      target: 'User',
      transformation: { mapping: { email: 'email' } },
      inSchema: { kind: 'object', properties: [{ name: 'email', type: EMAIL }] },
      outSchema: {
        kind: 'object',
        properties: [{ name: 'email', type: { kind: 'string' }, readOptional: true }],
      },
    });
    expect(await get(world, id)).toMatchObject({ target: 'User', eventType: null, running: false });
    await world.done(`DELETE /v1/pipelines/${id}`);
  },
  'export profiles to databases and files': async (world) => {
    const connection = await world.made('POST /v1/connections', {
      ...{ name: 'Files', role: 'Destination', connector: 'http-post' },
      settings: { host: 'files.example.com' },
    });
    const members = {
      ...{ name: 'Export', format: 'csv', path: '${today}.csv', orderBy: 'email' },
      inSchema: {
        kind: 'object',
        properties: [{ name: 'email', type: { kind: 'string' }, readOptional: true }],
      },
    };
    const id = await world.made('POST /v1/pipelines', { ...members, connection, target: 'User' });
    expect(await get(world, id)).toMatchObject({ ...members, eventType: null, running: false });
    await world.done(`PUT /v1/pipelines/${id}/schedule`, { period: '1h' });
    expect(await get(world, id)).toMatchObject({ schedulePeriod: '1h', nextRun: null });
    await world.done(`PUT /v1/pipelines/${id}`, { ...members, name: 'Other', sheet: null });
    for (const [body, path] of [
      [{ ...members, orderBy: 'name' }, '/orderBy'],
      [{ ...members, path: '${week}.csv' }, '/path'],
      [{ ...members, transformation: { mapping: { email: 'email' } } }, '/transformation'],
    ] as const)
      expectRefused(await world.ask(`PUT /v1/pipelines/${id}`, json(body)), malformed(path));
    expectRefused(
      await world.ask(`POST /v1/pipelines/${id}/runs`, json({ incremental: true })),
      malformed('/incremental'),
    );
    await world.done(`DELETE /v1/pipelines/${id}`);
  },
  'export profiles to applications': async (world) => {
    const connection = await world.made('POST /v1/connections', {
      ...{ name: 'Users', role: 'Destination', connector: 'dummy' },
    });
    const readOptional = true;
    const members = {
      ...{ name: 'Export', exportMode: 'UpdateOnly', matching: { in: 'email', out: 'email' } },
      transformation: { mapping: { firstName: 'first_name' } },
      inSchema: {
        kind: 'object',
        properties: ['email', 'first_name'].map((name) => ({
          ...{ name, type: { kind: 'string' }, readOptional },
        })),
      },
      outSchema: {
        kind: 'object',
        properties: [
          { name: 'email', type: EMAIL, createRequired: true },
          { name: 'firstName', type: { kind: 'string', maxLength: 100 }, nullable: true },
        ],
      },
    };
    const id = await world.made('POST /v1/pipelines', { ...members, connection, target: 'User' });
    expect(await get(world, id)).toMatchObject({
      ...{ target: 'User', eventType: null, running: false, exportMode: 'UpdateOnly' },
      ...{ matching: members.matching, updateOnDuplicates: false },
    });
    await world.done(`PUT /v1/pipelines/${id}`, { ...members, updateOnDuplicates: true });
    expect(await get(world, id)).toMatchObject({ updateOnDuplicates: true });
    for (const [body, path] of [
      [{ ...members, exportMode: null }, '/exportMode'],
      [{ ...members, exportMode: 'All' }, '/exportMode'],
      [{ ...members, matching: { in: 'email' } }, '/matching'],
      [{ ...members, matching: { in: 'phone', out: 'email' } }, '/matching/in'],
      [{ ...members, incremental: false }, '/incremental'],
      [
        { ...members, transformation: { mapping: { email: 'email', firstName: 'first_name' } } },
        '/transformation/mapping/email',
      ],
    ] as const)
      expectRefused(await world.ask(`PUT /v1/pipelines/${id}`, json(body)), malformed(path));
    await world.done(`DELETE /v1/pipelines/${id}`);
  },
  'identities from events': async (world) => {
    const members = { name: 'Identities', connection: await aSource(world), target: 'User' };
    const id = await world.made('POST /v1/pipelines', {
      ...members,
      transformation: { mapping: { email: 'traits.email' } },
      outSchema: {
        kind: 'object',
        properties: [{ name: 'email', type: { kind: 'string' }, readOptional: true }],
      },
    });
    expect(await get(world, id)).toMatchObject({ target: 'User', eventType: null, version: 1 });
    await world.made('POST /v1/pipelines', members);
    expectRefused(
      await world.ask('POST /v1/pipelines', json({ ...members, inSchema: {} })),
      malformed('/inSchema'),
    );
    await world.done(`PUT /v1/pipelines/${id}`, { name: 'Ids only' });
    expect(await get(world, id)).toMatchObject({ transformation: null, outSchema: null });
    expectRefused(await world.ask(`POST /v1/pipelines/${id}/runs`, NONE), NOT_RUNNABLE);
    expectRefused(
      await world.ask(`PUT /v1/pipelines/${id}/schedule`, json({ period: '5m' })),
      NOT_RUNNABLE,
    );
  },
  'events into the warehouse': async (world) => {
    const members = { name: 'Events', connection: await aSource(world), target: 'Event' };
    const id = await world.made('POST /v1/pipelines', members);
    expect(await get(world, id)).toMatchObject({ target: 'Event', eventType: null, version: 1 });
    expectRefused(await world.ask('POST /v1/pipelines', json(members)), TARGET_EXIST);
    expectRefused(
      await world.ask(
        'POST /v1/pipelines',
        json({ ...members, outSchema: { kind: 'object', properties: [] } }),
      ),
      malformed('/outSchema'),
    );
    expectRefused(await world.ask(`POST /v1/pipelines/${id}/runs`, NONE), NOT_RUNNABLE);
    await world.done(`DELETE /v1/pipelines/${id}`);
    await world.made('POST /v1/pipelines', members);
  },
  'Set status: enabled true and false, no response': async (world) => {
    const id = await newPipeline(world);
    for (const enabled of [true, true, false, false]) {
      const { status, text } = await world.ask(`PUT /v1/pipelines/${id}/status`, json({ enabled }));
      expect([status, text]).toEqual([200, '']);
      expect(await get(world, id)).toMatchObject({ enabled });
    }
  },
  'Set status: enabled is required and a boolean': {
    missing: refuses('PUT /v1/pipelines/{pipeline}/status', json({}), malformed('/enabled')),
    null: refuses(
      'PUT /v1/pipelines/{pipeline}/status',
      json({ enabled: null }),
      malformed('/enabled'),
    ),
    text: refuses(
      'PUT /v1/pipelines/{pipeline}/status',
      json({ enabled: 'true' }),
      malformed('/enabled'),
    ),
    'an unknown member': refuses(
      'PUT /v1/pipelines/{pipeline}/status',
      json({ enabled: true, name: 'P' }),
      malformed('/name'),
    ),
  },
  'Set status: pipeline does not exist': ofNoPipeline('PUT', '/status', { enabled: true }),
  'Set status: honours If-Match': async (world) => {
    const path = `/v1/pipelines/${await newPipeline(world)}`;
    const put = (ifMatch: string) =>
      world.ask(`PUT ${path}/status`, {
        headers: { ...json({}).headers, 'If-Match': ifMatch },
        body: '{"enabled":true}',
      });
    const etag = await world.etagOf(path);
    expectRefused(await put('"99"'), CONFLICT);
    expect((await put(etag)).status).toBe(200);
    expectRefused(await put(etag), CONFLICT);
  },
  'Set schedule: pipeline does not exist': ofNoPipeline('PUT', '/schedule', { period: null }),
  'Set schedule: period is required': refuses(
    'PUT /v1/pipelines/{pipeline}/schedule',
    json({}),
    malformed('/period'),
  ),
  'Set schedule: period is one of ten or null': {
    '7m': refuses(
      'PUT /v1/pipelines/{pipeline}/schedule',
      json({ period: '7m' }),
      malformed('/period'),
    ),
    'a number': refuses(
      'PUT /v1/pipelines/{pipeline}/schedule',
      json({ period: 5 }),
      malformed('/period'),
    ),
    ...Object.fromEntries(
      [...PERIODS, null].map((period) => [
        String(period),
        refuses('PUT /v1/pipelines/{pipeline}/schedule', json({ period }), NOT_RUNNABLE),
      ]),
    ),
  },
  'Set schedule: takes no other members': refuses(
    'PUT /v1/pipelines/{pipeline}/schedule',
    json({ period: null, offset: 5 }),
    malformed('/offset'),
  ),
  'Set schedule: on a kind that does not run': refuses(
    'PUT /v1/pipelines/{pipeline}/schedule',
    json({ period: '1h' }),
    NOT_RUNNABLE,
  ),
  'Run pipeline: pipeline does not exist': ofNoPipeline('POST', '/runs'),
  'Run pipeline: incremental is a boolean, null or omitted': {
    'a number': refuses(
      'POST /v1/pipelines/{pipeline}/runs',
      json({ incremental: 1 }),
      malformed('/incremental'),
    ),
    text: refuses(
      'POST /v1/pipelines/{pipeline}/runs',
      json({ incremental: 'yes' }),
      malformed('/incremental'),
    ),
    null: refuses('POST /v1/pipelines/{pipeline}/runs', json({ incremental: null }), NOT_RUNNABLE),
    omitted: refuses('POST /v1/pipelines/{pipeline}/runs', json({}), NOT_RUNNABLE),
    'an unknown member': refuses(
      'POST /v1/pipelines/{pipeline}/runs',
      json({ full: true }),
      malformed('/full'),
    ),
  },
  'Run pipeline: without a body is as with an empty one': refuses(
    'POST /v1/pipelines/{pipeline}/runs',
    NONE,
    NOT_RUNNABLE,
  ),
  'Run pipeline: on a kind that does not run': refuses(
    'POST /v1/pipelines/{pipeline}/runs',
    json({}),
    NOT_RUNNABLE,
  ),
  'Run pipeline: checks kind before disabled and mode': async (world) => {
    const id = await newPipeline(world, { enabled: false });
    for (const mode of ['Inspection', 'Maintenance', 'Normal']) {
      await world.done('PUT /v1/warehouse/mode', { mode });
      expectRefused(await world.ask(`POST /v1/pipelines/${id}/runs`), NOT_RUNNABLE);
    }
  },
  'List runs: all runs, newest first; with limit or cursor a page': {
    all: async (world) => {
      expect(await world.done('GET /v1/pipelines/runs')).toEqual({ runs: [] });
    },
    ...Object.fromEntries(
      ['limit=1', 'cursor='].map((page) => [
        page,
        answers(`GET /v1/pipelines/runs?${page}`, NONE, { runs: [], cursor: '' }),
      ]),
    ),
  },
  'List runs: pipeline, status, from, to, limit and cursor': {
    'all together': answers(
      'GET /v1/pipelines/runs?pipeline={pipeline}&status=Failed&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&limit=1',
      NONE,
      { runs: [] },
    ),
    ...Object.fromEntries(
      ['Queued', 'Running', 'Succeeded', 'Failed', 'Cancelled'].map((status) => [
        status,
        answers(`GET /v1/pipelines/runs?status=${status}`, NONE, { runs: [] }),
      ]),
    ),
    'a status that is none': refuses(
      'GET /v1/pipelines/runs?status=done',
      NONE,
      malformed('/status'),
    ),
    'a time that is none': refuses('GET /v1/pipelines/runs?from=today', NONE, malformed('/from')),
    'another time that is none': refuses('GET /v1/pipelines/runs?to=1', NONE, malformed('/to')),
  },
  'Get run: run does not exist': {
    'of nobody': refuses('GET /v1/pipelines/runs/nothing000000', NONE, NO_RUN),
    impossible: refuses('GET /v1/pipelines/runs/%00', NONE, NO_RUN),
  },
  'Cancel run: run does not exist': {
    'of nobody': refuses('POST /v1/pipelines/runs/nothing000000/cancel', NONE, NO_RUN),
    impossible: refuses('POST /v1/pipelines/runs/%00/cancel', NONE, NO_RUN),
  },
  'Replay run: run does not exist': {
    'of nobody': refuses('POST /v1/pipelines/runs/nothing000000/replay', NONE, NO_RUN),
    impossible: refuses('POST /v1/pipelines/runs/%00/replay', NONE, NO_RUN),
  },
  'Runs: a replay of events is one, with errors, history and cancel': async (world) => {
    const id = await world.made('POST /v1/pipelines/{pipeline}/replays', {
      ...{ from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', mode: 'shadow' },
    });
    const path = `/v1/pipelines/runs/${id}`;
    const isShown = async (): Promise<boolean> => {
      const { status, json: run } = await world.ask(`GET ${path}`);
      return status === 200 && run['endTime'] !== null;
    };
    await until('the run of the replay has ended', isShown, 30_000);
    const run = await world.done(`GET ${path}`);
    expect(run).toMatchObject({
      ...{ id, pipeline: world.ids.pipeline, connection: world.ids.destination },
      ...{ trigger: 'Replay', replayMode: 'shadow', status: 'Succeeded', incremental: null },
      ...{ startingCursor: null, attempt: 1, progress: null, error: '', pipelineVersion: 1 },
    });
    const listed = await world.done('GET /v1/pipelines/runs?pipeline={pipeline}&status=Succeeded');
    expect(listed).toEqual({ runs: [run] });
    expect(await world.done(`POST ${path}/cancel`)).toEqual(run);
    expect(await world.done(`GET ${path}/errors`)).toEqual({ errors: [], cursor: '' });
    const { facts } = await world.done(`GET ${path}/history`);
    expect((facts as { type: string }[]).map(({ type }) => type)).toEqual([
      'ReplayAccepted',
      'RunSucceeded',
    ]);
    expectRefused(await world.ask(`POST ${path}/replay`), NOT_RUNNABLE);
    const neighbour = await world.neighbour();
    for (const call of [`GET ${path}`, `GET ${path}/errors`, `POST ${path}/cancel`])
      expectRefused(await neighbour.ask(call), NO_RUN);
  },
  'History of a pipeline: in order, also after its deletion': async (world) => {
    const conditions = [{ property: 'type', operator: 'is', values: ['track'] }];
    const id = await newPipeline(world, { filter: { logical: 'and', conditions } });
    await world.done(`PUT /v1/pipelines/${id}/status`, { enabled: true });
    await world.done(`DELETE /v1/pipelines/${id}`);
    const pages = [];
    for (let cursor = '', page = 0; page === 0 || cursor !== ''; page += 1) {
      const answer = await world.done(`GET /v1/pipelines/${id}/history?limit=2&cursor=${cursor}`);
      pages.push(...(answer['facts'] as { type: string; data: object }[]));
      cursor = String(answer['cursor']);
    }
    expect(pages.map(({ type }) => type)).toEqual([
      'PipelineCreated',
      'PipelineStatusSet',
      'PipelineDeleted',
    ]);
    expect(pages[0]?.data).toMatchObject({ name: 'P', filter: { logical: 'and' } });
    expect(pages[1]?.data).toEqual({ enabled: true });
  },
  'History of a pipeline: pipeline does not exist': {
    'of nobody': refuses('GET /v1/pipelines/nothing000000/history', NONE, NO_PIPELINE),
    impossible: refuses('GET /v1/pipelines/%00/history', NONE, NO_PIPELINE),
    'a connection': refuses('GET /v1/pipelines/{source}/history', NONE, NO_PIPELINE),
    'of another workspace': async (world) => {
      const { ids } = await world.neighbour();
      const call = `GET /v1/pipelines/${ids.pipeline}/history`;
      expectRefused(await world.ask(call), NO_PIPELINE);
    },
    'a cursor that no list has answered': refuses(
      'GET /v1/pipelines/{pipeline}/history?cursor=x',
      NONE,
      malformed('/cursor'),
    ),
  },
  'Delete pipeline: no response': async (world) => {
    const id = await newPipeline(world);
    const { status, text } = await world.ask(`DELETE /v1/pipelines/${id}`);
    expect([status, text]).toEqual([200, '']);
    expectRefused(await world.ask(`GET /v1/pipelines/${id}`), NO_PIPELINE);
    expectRefused(await world.ask(`DELETE /v1/pipelines/${id}`), NO_PIPELINE);
  },
  'Delete pipeline: pipeline does not exist': ofNoPipeline('DELETE', ''),
  'Delete pipeline: keeps its history': async (world) => {
    const id = await newPipeline(world);
    await world.done(`DELETE /v1/pipelines/${id}`);
    const { facts } = await world.done(`GET /v1/audit?object=${id}`);
    expect((facts as { type: string }[]).map(({ type }) => type)).toEqual([
      'PipelineDeleted',
      'PipelineCreated',
    ]);
  },
  'Pipelines: need scope write to change, read to look': async (world) => {
    const headers = bearer((await world.key({ scope: 'read' })).key);
    for (const call of [
      'GET /v1/pipelines',
      'GET /v1/pipelines/{pipeline}',
      'GET /v1/pipelines/runs',
    ])
      expect((await world.ask(call, { headers })).status).toBe(200);
    for (const call of [
      'POST /v1/pipelines',
      'PUT /v1/pipelines/{pipeline}',
      'PUT /v1/pipelines/{pipeline}/status',
      'PUT /v1/pipelines/{pipeline}/schedule',
      'POST /v1/pipelines/{pipeline}/runs',
      'DELETE /v1/pipelines/{pipeline}',
    ])
      expectRefused(await world.ask(call, { headers }), FORBIDDEN);
    const writing = bearer((await world.key({ scope: 'write' })).key);
    const set = await world.ask('PUT /v1/pipelines/{pipeline}/status', {
      headers: { ...json({}).headers, ...writing },
      body: '{"enabled":true}',
    });
    expect(set.status).toBe(200);
  },
  'List pipelines: by connection and enabled': async (world) => {
    const connection = await world.made('POST /v1/connections', {
      name: 'D',
      role: 'Destination',
      connector: 'http',
      settings: { url: world.receiver.url },
    });
    const on = await newPipeline(world, { connection, enabled: true });
    const off = await newPipeline(world, { connection });
    const idsOf = async (query: string) => {
      const { pipelines, cursor } = await world.done(
        `GET /v1/pipelines?connection=${connection}${query}`,
      );
      expect(cursor).toBe('');
      return (pipelines as { id: string }[]).map(({ id }) => id).sort();
    };
    expect(await idsOf('')).toEqual([on, off].sort());
    expect(await idsOf('&enabled=true')).toEqual([on]);
    expect(await idsOf('&enabled=false')).toEqual([off]);
    expectRefused(await world.ask('GET /v1/pipelines?enabled=1'), malformed('/enabled'));
    const { pipelines: ofNone } = await world.done('GET /v1/pipelines?connection=nothing000000');
    expect(ofNone).toEqual([]);
  },
  'List pipelines: in pages': async (world) => {
    const made = [await newPipeline(world), await newPipeline(world), await newPipeline(world)];
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await world.done(`GET /v1/pipelines?limit=2&cursor=${cursor}`);
      seen.push(...(page['pipelines'] as { id: string }[]).map(({ id }) => id));
      cursor = page['cursor'] === '' ? undefined : String(page['cursor']);
    }
    expect(seen).toEqual(expect.arrayContaining(made));
    expect(new Set(seen).size).toBe(seen.length);
  },
  'a pipeline of another workspace is the same 404': async (world) => {
    const other = await world.neighbour();
    const path = `/v1/pipelines/${other.ids.pipeline}`;
    const calls: [string, object?][] = [
      [`GET ${path}`],
      [`PUT ${path}`, { name: 'Mine' }],
      [`PUT ${path}/status`, { enabled: true }],
      [`PUT ${path}/schedule`, { period: null }],
      [`POST ${path}/runs`, {}],
      [`DELETE ${path}`],
    ];
    for (const [call, body] of calls)
      expectRefused(await world.ask(call, body && json(body)), NO_PIPELINE);
  },
};
