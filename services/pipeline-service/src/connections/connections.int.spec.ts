import { createConnectors } from '@penstock/connectors';
import { ConfigurationReplica, type ConnectionId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { RunningPipelineService } from '../create-pipeline-service';
import { SECRETS, aWriteKey, Installation } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let service: RunningPipelineService;

beforeAll(async () => {
  installation = await Installation.open();
  service = await installation.start();
});

afterAll(() => installation.close());

const like = (members: object): unknown => expect.objectContaining(members);
const PAGE = { limit: 1_000, cursor: '' };
const absent = like({ code: 'ConnectionNotExist', kind: 'absent' });

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const keysOf = async (connection: string): Promise<string[]> => {
  const { keys } = await installation.read('ListEventWriteKeys', { connection });
  const seals = await installation.seals();
  return keys.map((key) => seals.open(key, installation.workspace));
};

const addKey = (connection: string, plain?: string): Promise<unknown> =>
  installation.command('CreateEventWriteKey', {
    connection,
    key: aWriteKey(installation.workspace, plain),
  });

describe('creating', () => {
  it('a source gets its first write key and its links', async () => {
    const destination = await installation.destination();
    const id = await installation.source({
      name: 'Shop',
      linkedConnections: [destination, destination],
      writeKey: aWriteKey(installation.workspace, 'the first'),
    });
    expect(await installation.read('GetConnection', { id })).toMatchObject({
      id,
      version: 3,
      name: 'Shop',
      connector: 'javascript',
      connectorType: 'SDK',
      role: 'Source',
      sendingMode: null,
      linkedConnections: [destination],
      pipelines: [],
    });
    expect(await keysOf(id)).toEqual(['the first']);
  });

  it('a destination can be linked from sources, and sends from the server', async () => {
    const source = await installation.source();
    const id = await installation.destination({ linkedConnections: [source, source] });
    expect(await installation.read('GetConnection', { id })).toMatchObject({
      version: 1,
      sendingMode: 'Server',
      linkedConnections: [source],
    });
    expect(await installation.read('GetConnection', { id: source })).toMatchObject({
      linkedConnections: [id],
    });
  });

  it('stores the settings as the connector has checked them, sealed', async () => {
    const settings = installation.sealed({ userCount: 3 });
    const id = await installation.destination({ settings });
    const view = await installation.read('GetConnection', { id });
    expect(
      JSON.parse(await installation.opened(view.settings, installation.workspace)),
    ).toMatchObject({
      userCount: 3,
      pageSize: 100,
    });
  });

  it.each([
    ['no such connector', { connector: 'nothing' }, 'ConnectorNotExist', []],
    ['a format of files', { connector: 'csv' }, 'BadRequest', ['/connector']],
    ['another role', { role: 'Destination' }, 'BadRequest', ['/role']],
    ['settings that are not', { settings: { ip: 'what' } }, 'InvalidSettings', ['/settings/ip']],
    [
      'links to nothing',
      { linkedConnections: ['nothing-there', newId()] },
      'LinkedConnectionNotExist',
      ['/linkedConnections/0', '/linkedConnections/1'],
    ],
  ] as const)('is refused with %s', async (_, changes, code, paths) => {
    const settings = 'settings' in changes ? changes.settings : {};
    const details = paths.map((path) => like({ path }));
    await expect(
      installation.source({ ...changes, settings: installation.sealed(settings) } as object),
    ).rejects.toMatchObject({ code, ...(paths.length > 0 && { details }) });
  });

  it('names the place of a link that cannot be, also behind one that is there twice', async () => {
    const destination = await installation.destination();
    await expect(
      installation.source({ linkedConnections: [destination, destination, newId()] as never }),
    ).rejects.toMatchObject({ details: [like({ path: '/linkedConnections/2' })] });
  });

  it('is refused with links to the same end', async () => {
    const source = await installation.source();
    await expect(installation.source({ linkedConnections: [source] })).rejects.toMatchObject({
      code: 'LinkedConnectionNotExist',
    });
  });
});

describe('updating', () => {
  const update = (id: string, changes: { name?: string; settings?: string } = {}, context = {}) =>
    installation.recorded('UpdateConnection', { id, name: 'A connection', ...changes }, context);
  const settingsOf = async (id: string): Promise<unknown> => {
    const { settings } = await installation.read('GetConnection', { id });
    return JSON.parse(await installation.opened(settings, installation.workspace));
  };
  const SETTINGS = {
    url: 'https://example.com/',
    auth: { type: 'bearer', token: 'secret-token-1234' },
  };
  const toHttp = () =>
    installation.destination({ connector: 'http', settings: installation.sealed(SETTINGS) });

  it('changes the name and leaves the settings', async () => {
    const id = await toHttp();
    const before = await settingsOf(id);
    await update(id, { name: 'Renamed' });
    expect(await installation.read('GetConnection', { id })).toMatchObject({
      version: 2,
      name: 'Renamed',
    });
    expect(await settingsOf(id)).toEqual(before);
  });

  it('changes the settings, with defaults, and keeps secrets that come back masked', async () => {
    const id = await toHttp();
    const auth = { type: 'bearer', token: '••••1234' };
    const settings = installation.sealed({ url: 'https://example.org/', auth });
    await update(id, { settings });
    expect(await settingsOf(id)).toMatchObject({
      url: 'https://example.org/',
      method: 'POST',
      auth: SETTINGS.auth,
    });
  });

  it('appears in the replica that other processes follow', async () => {
    const replica = await installation.follow(new ConfigurationReplica());
    const id = await toHttp();
    const { position } = await update(id, { name: 'Renamed' });
    await replica.waitFor(position);
    expect(replica.connection(id)).toMatchObject({ version: 2, name: 'Renamed' });
  });

  it('records nothing where nothing changes, also when everything is sent back as it was returned', async () => {
    const id = await toHttp();
    const shown = { ...SETTINGS, auth: { type: 'bearer', token: '••••1234' } };
    const first = await update(id);
    expect(await update(id, { settings: installation.sealed(shown) })).toEqual(first);
    expect(await installation.read('GetConnection', { id })).toMatchObject({ version: 1 });
  });

  it('keeps write keys and links', async () => {
    const destination = await installation.destination();
    const id = await installation.source({ linkedConnections: [destination] });
    const keys = await keysOf(id);
    await update(id, { settings: installation.sealed({ ip: 'mask' }) });
    expect(await keysOf(id)).toEqual(keys);
    expect(await installation.read('GetConnection', { id })).toMatchObject({
      version: 4,
      linkedConnections: [destination],
    });
  });

  it.each([
    ['/settings/url', { url: 'ftp://example.com' }],
    ['/settings/auth/token', { ...SETTINGS, auth: { type: 'bearer', token: '••••9999' } }],
    ['/settings/color', { ...SETTINGS, color: 'red' }],
  ])('reports %s when it is invalid', async (path, settings) => {
    const id = await toHttp();
    await expect(update(id, { settings: installation.sealed(settings) })).rejects.toMatchObject({
      code: 'InvalidSettings',
      kind: 'refused',
      details: [{ path }],
    });
  });

  it('is refused when the connection has a newer version or is deleted', async () => {
    const id = await toHttp();
    await update(id, { name: 'Renamed' }, { expectedVersion: 1 });
    await expect(update(id, {}, { expectedVersion: 1 })).rejects.toMatchObject({
      code: 'Conflict',
    });
    await installation.command('DeleteConnection', { id });
    await expect(update(id)).rejects.toEqual(absent);
    await expect(update('no\0')).rejects.toEqual(absent);
  });

  it('changes only the name where the service no longer has the connector', async () => {
    const id = await toHttp();
    await installation.stop(service);
    const without = await installation.start({ connectors: createConnectors({ enabled: [] }) });
    try {
      await update(id, { name: 'Renamed' });
      await expect(
        update(id, { name: 'Renamed', settings: installation.sealed(SETTINGS) }),
      ).rejects.toMatchObject({ code: 'ConnectorNotExist', kind: 'refused' });
    } finally {
      await installation.stop(without);
      service = await installation.start();
    }
    expect(await installation.read('GetConnection', { id })).toMatchObject({ name: 'Renamed' });
  });
});

describe('links', () => {
  const link = (source: string, destination: string) =>
    installation.recorded('LinkConnections', { source, destination });
  const unlink = (source: string, destination: string) =>
    installation.recorded('UnlinkConnections', { source, destination });
  const linksOf = async (id: string) =>
    (await installation.read('GetConnection', { id })).linkedConnections;

  it('are made once and removed once, however often the command is sent', async () => {
    const [source, destination] = [await installation.source(), await installation.destination()];
    await unlink(source, destination);
    const first = await link(source, destination);
    expect(await link(source, destination)).toEqual(first);
    expect([await linksOf(source), await linksOf(destination)]).toEqual([[destination], [source]]);
    const last = await unlink(source, destination);
    expect(last.position).toBe(first.position + 1);
    expect(await unlink(source, destination)).toEqual(last);
    expect([await linksOf(source), await linksOf(destination)]).toEqual([[], []]);
  });

  it('all exist when many are made at once', async () => {
    const source = await installation.source();
    const destinations = await Promise.all(times(10, () => installation.destination()));
    await Promise.all(destinations.map((destination) => link(source, destination)));
    expect([...(await linksOf(source))].sort()).toEqual([...destinations].sort());
  });

  it.each([
    [
      'the wrong way round',
      async () => [await installation.destination(), await installation.source()],
    ],
    ['from a source that is not there', async () => [newId(), await installation.destination()]],
    ['to a destination that is not there', async () => [await installation.source(), 'nowhere\0']],
    [
      'to another workspace',
      async () => [
        await installation.source(),
        await installation.destination({}, await elsewhere()),
      ],
    ],
  ])('%s do not exist', async (_, ends) => {
    const [source = '', destination = ''] = await ends();
    await expect(link(source, destination)).rejects.toEqual(absent);
    await expect(unlink(source, destination)).rejects.toEqual(absent);
  });
});

describe('write keys', () => {
  it('are at most 20, also when 200 are requested at once', async () => {
    const id = await installation.source();
    const outcomes = await Promise.allSettled(times(200, () => addKey(id)));
    const refused = outcomes.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as unknown] : [],
    );
    expect(refused).toHaveLength(181);
    expect(refused).toEqual(
      refused.map(() => like({ code: 'TooManyEventWriteKeys', kind: 'refused' })),
    );
    expect(await keysOf(id)).toHaveLength(20);
  });

  it('are at least one, also when all are deleted at once', async () => {
    const id = await installation.source({
      writeKey: aWriteKey(installation.workspace, 'k0'),
    });
    await addKey(id, 'k1');
    await addKey(id, 'k2');
    const remove = (plain: string) =>
      installation.command('DeleteEventWriteKey', {
        connection: id,
        hash: SECRETS.keyedHash(plain),
      });
    const outcomes = await Promise.allSettled(['k0', 'k1', 'k2'].map(remove));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(outcomes).toContainEqual(like({ reason: like({ code: 'SingleEventWriteKey' }) }));
    const [left = ''] = await keysOf(id);
    await expect(remove(left)).rejects.toMatchObject({ code: 'SingleEventWriteKey' });
    await expect(remove('another')).rejects.toMatchObject({ code: 'EventWriteKeyNotExist' });
  });

  it('exist for sources only', async () => {
    const id = await installation.destination();
    await expect(addKey(id)).rejects.toEqual(absent);
    await expect(keysOf(id)).rejects.toEqual(absent);
  });
});

describe('a command that is delivered again', () => {
  it('gets the recorded answer', async () => {
    const context = { commandId: newId() };
    const [source, destination] = [await installation.source(), await installation.destination()];
    const first = await installation.recorded('LinkConnections', { source, destination }, context);
    await installation.command('UnlinkConnections', { source, destination });
    expect(
      await installation.recorded('LinkConnections', { source, destination }, context),
    ).toEqual(first);
    const { linkedConnections } = await installation.read('GetConnection', { id: source });
    expect(linkedConnections).toEqual([]);
  });

  it('gets the recorded refusal, though it would succeed now', async () => {
    const context = { commandId: newId() };
    const id = newId() as ConnectionId;
    const create = () => installation.destination({ linkedConnections: [id] }, context);
    const refusal = { code: 'LinkedConnectionNotExist', kind: 'refused', details: [{}] };
    await expect(create()).rejects.toMatchObject(refusal);
    await installation.source({ id });
    await expect(create()).rejects.toMatchObject(refusal);
  });
});

const elsewhere = async () => ({ workspace: await installation.bareWorkspace() });

describe('another workspace', () => {
  it('sees nothing and changes nothing', async () => {
    const [source, destination] = [await installation.source(), await installation.destination()];
    const [first] = await keysOf(source);
    const hash = SECRETS.keyedHash(first ?? '');
    const there = await elsewhere();
    const key = aWriteKey(there.workspace);
    await expect(installation.read('GetConnection', { id: source }, there)).rejects.toEqual(absent);
    await expect(
      installation.read('ListEventWriteKeys', { connection: source }, there),
    ).rejects.toEqual(absent);
    expect(await installation.read('ListConnections', PAGE, there)).toEqual({
      connections: [],
      cursor: '',
    });
    for (const attempt of [
      () => installation.command('UpdateConnection', { id: source, name: 'Mine' }, there),
      () => installation.command('DeleteConnection', { id: source }, there),
      () => installation.command('LinkConnections', { source, destination }, there),
      () => installation.command('CreateEventWriteKey', { connection: source, key }, there),
      () => installation.command('DeleteEventWriteKey', { connection: source, hash }, there),
    ])
      await expect(attempt()).rejects.toEqual(absent);
    expect(await installation.read('GetConnection', { id: source })).toMatchObject({ version: 2 });
  });
});

describe('the list', () => {
  it('is newest first, page by page', async () => {
    const here = await elsewhere();
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift(await installation.source({}, here));
    const seen: string[] = [];
    for (let cursor = ''; seen.length < 5;) {
      const page = await installation.read('ListConnections', { limit: 2, cursor }, here);
      seen.push(...page.connections.map(({ id }) => id));
      cursor = page.cursor;
      expect(cursor === '').toBe(seen.length === 5);
    }
    expect(seen).toEqual(made);
  });

  it('accepts its own cursors only', async () => {
    await expect(
      installation.read('ListConnections', { limit: 2, cursor: 'other\0' }),
    ).rejects.toMatchObject({ code: 'BadRequest', details: [{ path: '/cursor' }] });
  });
});

describe('deleting', () => {
  const remove = (id: string, context = {}) =>
    installation.recorded('DeleteConnection', { id }, context);

  it('deletes pipelines and links too, in one transaction', async () => {
    const sources = [await installation.source(), await installation.source()];
    const id = await installation.destination({ linkedConnections: sources });
    const pipelines = times(3, () => aPipeline(id));
    for (const pipeline of pipelines) await installation.command('CreatePipeline', pipeline);
    const { position } = await remove(id);

    const { rows } = await installation.pool.query(
      `SELECT array_agg(type ORDER BY type) AS types, count(DISTINCT xmin::text)::int AS transactions
       FROM penstock.facts WHERE position > $1 AND position <= $2`,
      [position - 6, position],
    );
    expect(rows).toEqual([
      {
        types: [
          'ConnectionDeleted',
          ...['ConnectionUnlinked', 'ConnectionUnlinked'],
          ...['PipelineDeleted', 'PipelineDeleted', 'PipelineDeleted'],
        ],
        transactions: 1,
      },
    ]);
    await expect(installation.read('GetConnection', { id })).rejects.toEqual(absent);
    for (const each of pipelines)
      await expect(installation.read('GetPipeline', { id: each.id })).rejects.toMatchObject({
        code: 'PipelineNotExist',
      });
    for (const source of sources)
      expect(await installation.read('GetConnection', { id: source })).toMatchObject({
        linkedConnections: [],
      });
    await expect(remove(id)).rejects.toEqual(absent);
  });

  it('is refused when the connection has a newer version', async () => {
    const id = await installation.source();
    await expect(remove(id, { expectedVersion: 1 })).rejects.toMatchObject({
      code: 'Conflict',
      kind: 'conflict',
    });
    await remove(id, { expectedVersion: 2 });
  });

  it('leaves nothing behind while pipelines and links are being made', async () => {
    const id = await installation.destination();
    const sources = await Promise.all(times(4, () => installation.source()));
    let made = 0;
    const untilRefused = async (make: () => Promise<unknown>): Promise<unknown> => {
      for (; ; made += 1)
        try {
          await make();
        } catch (error) {
          return error;
        }
    };
    const making = Promise.all([
      ...times(12, () => untilRefused(() => installation.command('CreatePipeline', aPipeline(id)))),
      ...sources.map((source) =>
        untilRefused(() => installation.command('LinkConnections', { source, destination: id })),
      ),
    ]);
    while (made < 60) await installation.read('ListPipelines', { ...PAGE, connection: id });
    await remove(id);

    const refused = like({ code: 'ConnectionNotExist' });
    expect(await making).toEqual(times(16, () => refused));
    const { rows } = await installation.pool.query(
      `SELECT id FROM penstock.pipelines WHERE connection = $1
       UNION SELECT source FROM penstock.links WHERE destination = $1`,
      [id],
    );
    expect(rows).toEqual([]);
    for (const source of sources)
      expect(await installation.read('GetConnection', { id: source })).toMatchObject({
        linkedConnections: [],
      });
  });
});
