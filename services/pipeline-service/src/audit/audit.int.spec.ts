import {
  type AsOf,
  type AuditedFact,
  type ConnectionId,
  type ConnectionView,
  instant,
  type Instant,
  type PipelineView,
  type Queries,
  type WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { eventually } from '../testing/eventually.fixture';
import { aWriteKey, Installation } from '../testing/installation.fixture';
import { aPipeline, ofSize } from '../testing/pipeline.fixture';
import { Random } from '../testing/random.fixture';

jest.setTimeout(60_000);

const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.open();
  await installation.start();
});

afterAll(() => installation.close());

const like = (members: object): unknown => expect.objectContaining(members);

const facts = (
  wanted: Partial<Queries['ListFacts']['in']> = {},
  workspace: WorkspaceId = installation.workspace,
): Promise<Queries['ListFacts']['out']> =>
  installation.query(
    'ListFacts',
    { limit: 100, cursor: '', ofOrganization: false, ...wanted },
    { workspace },
  );

const typesOf = ({ facts: found }: { facts: readonly AuditedFact[] }): string[] =>
  found.map(({ type }) => type);

const now = (): Promise<Instant> => installation.moment();

describe('the audit', () => {
  let workspace: WorkspaceId;
  let id: string;
  let from: Instant;
  let to: Instant;

  beforeAll(async () => {
    workspace = await installation.bareWorkspace();
    const of = { workspace };
    id = await installation.destination({ name: 'Before' }, { ...of, actor: 'key-7' });
    from = await now();
    await installation.command('UpdateConnection', { id, name: 'After' }, of);
    await installation.command('CreatePipeline', aPipeline(id), { ...of, requestId: 'r-7' });
    to = await now();
    await installation.command('DeleteConnection', { id }, of);
  });

  it('lists facts newest first, with actor and states before and after', async () => {
    const { facts: found, cursor } = await facts({}, workspace);
    expect(cursor).toBe('');
    expect(found).toMatchObject([
      {
        type: 'ConnectionDeleted',
        before: { name: 'After', deleted: false },
        after: { deleted: true },
      },
      { type: 'PipelineDeleted', before: { deleted: false }, after: { deleted: true } },
      { type: 'PipelineCreated', before: null, after: { connection: id }, requestId: 'r-7' },
      {
        type: 'ConnectionUpdated',
        version: 2,
        before: { name: 'Before' },
        after: { name: 'After' },
      },
      {
        type: 'ConnectionCreated',
        version: 1,
        before: null,
        after: { name: 'Before' },
        actor: 'key-7',
      },
    ]);
    const last = found[0]?.position ?? 0;
    expect(found.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4].map((n) => last - n));
  });

  it.each([
    [
      'an object',
      () => ({ object: id }),
      ['ConnectionDeleted', 'ConnectionUpdated', 'ConnectionCreated'],
    ],
    ['a type', () => ({ type: 'PipelineCreated' }), ['PipelineCreated']],
    ['an actor', () => ({ actor: 'key-7' }), ['ConnectionCreated']],
    ['a request', () => ({ requestId: 'r-7' }), ['PipelineCreated']],
    ['a time', () => ({ from, to }), ['PipelineCreated', 'ConnectionUpdated']],
  ])('filters by %s', async (_, wanted, expected) => {
    expect(typesOf(await facts(wanted(), workspace))).toEqual(expected);
  });

  it('continues where a page has ended', async () => {
    const pages: string[][] = [];
    for (let cursor = '', page = 0; page < 3; page += 1) {
      const found = await facts({ limit: 2, cursor }, workspace);
      pages.push(typesOf(found));
      ({ cursor } = found);
      expect(cursor === '').toBe(page === 2);
    }
    expect(pages).toEqual([
      ['ConnectionDeleted', 'PipelineDeleted'],
      ['PipelineCreated', 'ConnectionUpdated'],
      ['ConnectionCreated'],
    ]);
  });

  it('refuses a text that is not a cursor of a list', async () => {
    await expect(facts({ cursor: 'x' })).rejects.toEqual(like({ code: 'BadRequest' }));
  });

  it('lists no facts of other workspaces, and those of the organization where requested', async () => {
    const { rows } = await installation.pool.query<{ id: string }>(
      `SELECT data->>'id' AS id FROM penstock.facts WHERE type = 'OrganizationCreated'`,
    );
    expect(await facts({}, newId() as WorkspaceId)).toEqual({ facts: [], cursor: '' });
    const found = await installation.query(
      'ListFacts',
      { limit: 100, cursor: '', ofOrganization: true },
      { workspace: newId() as WorkspaceId, organization: rows[0]?.id as never },
    );
    expect(typesOf(found)).toEqual(['ApiKeyCreated', 'OrganizationCreated']);
  });

  it('ends a page before it is too large for an answer, and cuts a fact that is too large alone', async () => {
    const other = await installation.bareWorkspace();
    const destination = await installation.destination({}, { workspace: other });
    for (let n = 0; n < 3; n += 1)
      await installation.command('CreatePipeline', aPipeline(destination, ofSize(400_000)), {
        workspace: other,
      });
    const first = await facts({ limit: 100 }, other);
    expect(typesOf(first)).toEqual(['PipelineCreated', 'PipelineCreated']);
    const second = await facts({ limit: 100, cursor: first.cursor }, other);
    expect(typesOf(second)).toEqual(['PipelineCreated', 'ConnectionCreated']);
    expect(second.cursor).toBe('');

    const { id: large } = await installation.command(
      'CreatePipeline',
      aPipeline(destination, ofSize(600_000)),
      { workspace: other },
    );
    await installation.command(
      'SetPipelineStatus',
      { id: large, enabled: false },
      { workspace: other },
    );
    expect((await facts({ object: large, limit: 1 }, other)).facts).toMatchObject([
      { type: 'PipelineStatusSet', before: null, after: null, isCut: true },
    ]);
  });
});

describe('an object as of a time', () => {
  /** Waits until the moment lies far enough back, and queries. */
  const asOf = async <Name extends keyof Queries>(
    name: Name,
    input: Queries[Name]['in'] & AsOf,
    context = {},
  ): Promise<Queries[Name]['out']> => {
    await installation.untilPast(input.at);
    return installation.query(name, input, context);
  };

  it('is returned as it was read at that time, with links and pipelines', async () => {
    const before = await now();
    const source = await installation.source();
    const id = await installation.destination({ name: 'One', linkedConnections: [source] });
    const { id: pipeline } = await installation.command('CreatePipeline', aPipeline(id));
    const shown = {
      connection: await installation.read('GetConnection', { id }),
      source: await installation.read('GetConnection', { id: source }),
      pipeline: await installation.read('GetPipeline', { id: pipeline }),
    };
    const between = await now();
    await installation.command('UpdateConnection', { id, name: 'Two' });
    await installation.command('SetPipelineStatus', { id: pipeline, enabled: false });
    await installation.command('UnlinkConnections', { source, destination: id });
    await installation.command('CreateEventWriteKey', {
      connection: source,
      key: aWriteKey(installation.workspace),
    });
    const later = await now();
    await installation.command('DeleteConnection', { id });
    const after = await now();

    const asOfTime = (at: Instant) => ({
      connection: () => asOf('GetConnectionAsOf', { id, at }),
      source: () => asOf('GetConnectionAsOf', { id: source, at }),
      pipeline: () => asOf('GetPipelineAsOf', { id: pipeline, at }),
    });
    expect({
      connection: await asOfTime(between).connection(),
      source: await asOfTime(between).source(),
      pipeline: await asOfTime(between).pipeline(),
    }).toEqual(shown);
    expect(await asOfTime(later).connection()).toMatchObject({
      name: 'Two',
      linkedConnections: [],
    });
    expect(await asOfTime(later).pipeline()).toMatchObject({ enabled: false, version: 2 });
    expect(await asOfTime(after).source()).toMatchObject({ linkedConnections: [], pipelines: [] });
    for (const at of [before, after]) {
      await expect(asOfTime(at).connection()).rejects.toEqual(
        like({ code: 'ConnectionNotExist', kind: 'absent' }),
      );
      await expect(asOfTime(at).pipeline()).rejects.toEqual(
        like({ code: 'PipelineNotExist', kind: 'absent' }),
      );
    }
  });

  it('is refused at once when the database is unavailable, and returned when it is back', async () => {
    const id = await installation.source();
    const at = await now();
    await asOf('GetConnectionAsOf', { id, at });
    const isWaiting = async (): Promise<boolean> => {
      const { rowCount } = await installation.pool.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'penstock-pipeline-service'
           AND wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    };
    const lock = await installation.pool.connect();
    try {
      await lock.query('BEGIN');
      await lock.query('LOCK TABLE penstock.facts IN ACCESS EXCLUSIVE MODE');
      const refused = expect(
        installation.query('GetConnectionAsOf', { id, at }),
      ).rejects.toMatchObject({ code: 'ServiceUnavailable', kind: 'unavailable' });
      await eventually(isWaiting);
      await installation.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'penstock-pipeline-service'`,
      );
      await refused;
    } finally {
      await lock.query('ROLLBACK');
      lock.release();
    }
    expect(await asOf('GetConnectionAsOf', { id, at })).toMatchObject({ id });
  });

  it('is refused for a moment less than a second ago', async () => {
    const id = await installation.source();
    const refusal = like({
      code: 'BadRequest',
      details: [{ path: '/at', message: 'must lie at least a second back' }],
    });
    /** Asks again when the answer took so long that the moment was a second back. */
    const answerFor = async (offsetMs: number): Promise<unknown> => {
      const at = instant(new Date(Date.now() + offsetMs));
      const answer = await installation
        .query('GetConnectionAsOf', { id, at })
        .catch((error: unknown) => error);
      return Date.now() < Date.parse(at) + 1_000 ? answer : answerFor(offsetMs);
    };
    for (const offsetMs of [-500, 0, 3_600_000]) expect(await answerFor(offsetMs)).toEqual(refusal);
  });

  it.each(IS_LONG ? [1, 2, Date.now()] : [1])(
    'is what was read at that time, after any changes of seed %i',
    async (seed) => {
      const random = new Random(seed);
      const [sources, destinations, pipelines]: ConnectionId[][] = [[], [], []];
      const any = (ids: readonly string[] = []): string => random.pick(ids) ?? newId();
      const both = () => ({ source: any(sources), destination: any(destinations) });
      const changes: (() => Promise<unknown>)[] = [
        async () => sources?.push(await installation.source()),
        async () =>
          destinations?.push(
            await installation.destination({ linkedConnections: [any(sources)] as never }),
          ),
        async () =>
          pipelines?.push(
            (await installation.command('CreatePipeline', aPipeline(any(destinations))))
              .id as never,
          ),
        () => installation.command('LinkConnections', both()),
        () => installation.command('UnlinkConnections', both()),
        () =>
          installation.command('SetPipelineStatus', {
            id: any(pipelines),
            enabled: random.next() < 0.5,
          }),
        () => installation.command('UpdateConnection', { id: any(sources), name: newId() }),
        () => installation.command('DeletePipeline', { id: any(pipelines) }),
        () =>
          random.next() < 0.2
            ? installation.command('DeleteConnection', { id: any(destinations) })
            : Promise.resolve(),
      ];
      const page = { limit: 1_000, cursor: '' };
      const shown: {
        at: Instant;
        connections: readonly ConnectionView[];
        pipelines: readonly PipelineView[];
      }[] = [];
      for (let round = 0; round < (IS_LONG ? 25 : 8); round += 1) {
        for (let nth = 0; nth < 4; nth += 1)
          await random
            .pick(changes)?.()
            .catch(() => undefined);
        const { connections } = await installation.read('ListConnections', page);
        const { pipelines: all } = await installation.read('ListPipelines', page);
        shown.push({ at: await now(), connections, pipelines: all });
      }
      for (const then of shown) {
        for (const view of then.connections)
          expect(await asOf('GetConnectionAsOf', { id: view.id, at: then.at })).toEqual(view);
        for (const id of [...(sources ?? []), ...(destinations ?? [])])
          if (then.connections.every((view) => view.id !== id))
            await expect(asOf('GetConnectionAsOf', { id, at: then.at })).rejects.toEqual(
              like({ code: 'ConnectionNotExist' }),
            );
        for (const { id } of then.pipelines)
          expect(await asOf('GetPipelineAsOf', { id, at: then.at })).toMatchObject({ id });
      }
    },
  );

  it('is never that of another workspace', async () => {
    const id = await installation.source();
    const [at, workspace] = [await now(), newId() as WorkspaceId];
    await expect(asOf('GetConnectionAsOf', { id, at }, { workspace })).rejects.toEqual(
      like({ code: 'ConnectionNotExist' }),
    );
  });

  it('can be the workspace itself, or its warehouse', async () => {
    const id = newId() as WorkspaceId;
    const before = await now();
    const context = { workspace: id };
    const warehouse = installation.newWarehouse(id);
    await installation.command('CreateWorkspace', { id, name: 'One', warehouse }, context);
    const between = await now();
    await installation.command('RenameWorkspace', { id, name: 'Two' }, context);
    const asOfTime = (at: Instant) => asOf('GetWorkspaceAsOf', { id, at }, context);
    expect(await asOfTime(between)).toEqual({ id, version: 1, name: 'One' });
    expect(await asOfTime(await now())).toEqual({ id, version: 2, name: 'Two' });
    await expect(asOfTime(before)).rejects.toEqual(like({ code: 'WorkspaceNotExist' }));
    await expect(asOf('GetWarehouseAsOf', { at: before }, context)).rejects.toEqual(
      like({ code: 'WorkspaceNotExist' }),
    );
    expect(await asOf('GetWarehouseAsOf', { at: between }, context)).toMatchObject({
      platform: 'PostgreSQL',
      version: 1,
    });
  });
});
