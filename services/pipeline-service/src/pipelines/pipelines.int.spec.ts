import { createConnectors } from '@penstock/connectors';
import { EVENT_SCHEMA, type ConnectionId, type CreatePipeline } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { printType } from '@penstock/schema';
import { Installation } from '../testing/installation.fixture';
import { aFunction, aPipeline, CART, FILTER, mapped, ofSize } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let destination: ConnectionId;
let source: ConnectionId;

beforeAll(async () => {
  installation = await Installation.open();
  await installation.start();
  destination = await installation.destination();
  source = await installation.source();
});

afterAll(() => installation.close());

const PAGE = { limit: 1_000, cursor: '' };
const json = (value: unknown): string => JSON.stringify(value);
const at = (...paths: readonly string[]): unknown[] =>
  paths.map((path): unknown => expect.objectContaining({ path }));

const create = (changes: Partial<CreatePipeline> = {}, context = {}) => {
  const pipeline = aPipeline(destination, changes);
  return installation.command('CreatePipeline', pipeline, context);
};

const get = (id: string) => installation.read('GetPipeline', { id });

const onCart = { eventType: 'send_add_to_cart', ...mapped };

describe('creating', () => {
  it('is read back at once, with all members', async () => {
    const { id } = await create({ ...onCart, filter: json(FILTER) });
    const view = await get(id);
    expect(view).toMatchObject({
      id,
      version: 1,
      name: 'Orders',
      connector: 'dummy',
      connectorType: 'Application',
      connection: destination,
      connectionRole: 'Destination',
      target: 'Event',
      enabled: true,
      eventType: 'send_add_to_cart',
      transformation: {
        mapping: { email: 'traits.email', itemName: 'properties.name' },
        function: null,
      },
      inSchema: printType(EVENT_SCHEMA),
    });
    expect(JSON.parse(view.filter ?? '')).toEqual(FILTER);
    expect(JSON.parse(view.outSchema ?? '')).toMatchObject(JSON.parse(mapped.outSchema) as object);
    const { pipelines } = await installation.read('GetConnection', { id: destination });
    expect(pipelines).toContain(id);
  });

  it('makes a disabled pipeline unless enabled is given', async () => {
    const { enabled: _, ...pipeline } = aPipeline(destination);
    const { id } = await installation.command('CreatePipeline', pipeline);
    expect(await get(id)).toMatchObject({ enabled: false });
  });
});

const member = (name: string): string => `/transformation/function/${name}`;

/** Refusals of one creation, in the order in which they are reported. */
const REFUSALS: readonly [string, Partial<CreatePipeline>, string, object][] = [
  [
    'a connection that is not there, before anything else',
    { connection: newId(), target: 'User', filter: '{}' },
    'ConnectionNotExist',
    { kind: 'refused' },
  ],
  ['a connection that cannot be', { connection: '\0' }, 'ConnectionNotExist', { kind: 'refused' }],
  [
    'another target',
    { target: 'User', eventType: 'nothing', filter: '{}' },
    'BadRequest',
    {
      details: [
        ...at('/eventType', '/exportMode', '/matching'),
        ...at('/transformation', '/inSchema', '/outSchema'),
      ],
    },
  ],
  ['no event type', { eventType: null, filter: '{}' }, 'BadRequest', { details: at('/eventType') }],
  [
    'an event type that the connection does not have',
    { eventType: 'nothing', filter: '{}' },
    'EventTypeNotExist',
    { kind: 'refused', message: 'connection does not have event type' },
  ],
  [
    'all that is wrong in filter, mapping and schema at once',
    {
      ...onCart,
      filter: json({ logical: 'xor', conditions: [] }),
      transformation: json({ mapping: { email: 'traits.' } }),
    },
    'BadRequest',
    {
      details: expect.arrayContaining(
        at('/filter/logical', '/transformation/mapping/email'),
      ) as unknown,
    },
  ],
  [
    'hundreds of expressions for properties with long names, as many as fit into an answer',
    {
      ...onCart,
      transformation: json({
        mapping: Object.fromEntries(
          Array.from({ length: 490 }, (_, n) => [`${'x'.repeat(1_000)}${String(n)}`, 'type']),
        ),
      }),
    },
    'BadRequest',
    { message: 'request is not valid: at least 442 more problems are not named' },
  ],
  [
    'a mapping without a schema',
    { ...onCart, outSchema: null },
    'BadRequest',
    { details: at('/outSchema') },
  ],
  [
    'a schema without a mapping',
    { ...onCart, transformation: null },
    'BadRequest',
    { details: at('/transformation') },
  ],
  [
    'mapping and function together',
    { ...onCart, transformation: json({ mapping: {}, function: {} }) },
    'BadRequest',
    { details: at('/transformation') },
  ],
  [
    'a property that the mapping does not give',
    { ...onCart, outSchema: json(CART) },
    'BadRequest',
    { details: at('/outSchema') },
  ],
  [
    'a function of the wrong shape, before anything is looked up',
    { ...onCart, connection: newId(), transformation: json({ function: { language: 'Python' } }) },
    'BadRequest',
    { details: at(...['source', 'preserveJSON', 'inPaths', 'outPaths'].map(member)) },
  ],
  [
    'paths that are not there, in any language, together with everything else',
    {
      ...onCart,
      filter: '{}',
      transformation: aFunction({ language: 'Ruby', inPaths: ['no'], outPaths: [] }),
    },
    'BadRequest',
    {
      details: expect.arrayContaining(
        at('/filter/logical', member('inPaths/0'), member('outPaths')),
      ) as unknown,
    },
  ],
  [
    'a language that is not supported, before the schema is compared',
    {
      ...onCart,
      transformation: aFunction({ language: 'javascript', outPaths: ['other'] }),
      outSchema: json({ kind: 'object', properties: [{ name: 'other', type: { kind: 'ip' } }] }),
    },
    'UnsupportedLanguage',
    { kind: 'refused', message: 'transformation language is not supported' },
  ],
  [
    'a schema that differs, a detail for each difference',
    {
      ...onCart,
      transformation: json({ mapping: { email: 'traits.email', other: '1' } }),
      outSchema: json({
        kind: 'object',
        properties: [
          { name: 'email', type: { kind: 'string', maxLength: 5 } },
          { name: 'other', type: { kind: 'string' } },
        ],
      }),
    },
    'SchemaNotAligned',
    {
      message: 'output schema is not aligned with the event type schema',
      details: [
        { message: expect.stringContaining('email: createRequired') as string },
        { message: expect.stringContaining('email: maxLength') as string },
        { message: expect.stringContaining('other: does not exist') as string },
      ],
    },
  ],
  [
    'a required property that is left out',
    {
      ...onCart,
      transformation: json({ mapping: { itemName: 'event' } }),
      outSchema: json({ kind: 'object', properties: [CART.properties[1]] }),
    },
    'SchemaNotAligned',
    { details: [{ message: expect.stringContaining('email: is left out') as string }] },
  ],
  [
    'a function that leaves a required property out, before it is compiled',
    { ...onCart, transformation: aFunction({ source: '(', outPaths: ['itemName'] }) },
    'SchemaNotAligned',
    {
      details: [
        {
          path: member('outPaths'),
          message: expect.stringContaining('email: is left out') as string,
        },
      ],
    },
  ],
  [
    'no transformation where a property is required',
    { eventType: 'send_add_to_cart' },
    'SchemaNotAligned',
    { details: [{ message: expect.stringContaining('email') as string }] },
  ],
  [
    'a transformation for an event type without a schema',
    { ...mapped },
    'SchemaNotAligned',
    { details: at('/outSchema') },
  ],
];

describe('creating is refused with', () => {
  it.each(REFUSALS)('%s', async (_, changes, code, more) => {
    const { position } = await installation.recorded('UnlinkConnections', { source, destination });
    await expect(create(changes)).rejects.toMatchObject({ code, ...more });
    expect(await installation.recorded('UnlinkConnections', { source, destination })).toMatchObject(
      { position },
    );
  });

  it('an event type on a source', async () => {
    await expect(create({ connection: source })).rejects.toMatchObject({
      code: 'BadRequest',
      details: at('/eventType'),
    });
  });

  it('a definition that is too large for a message', async () => {
    await expect(create(ofSize(990_000))).rejects.toMatchObject({
      code: 'BadRequest',
      details: [{ message: expect.stringContaining('is larger than 990000 bytes') as string }],
    });
  });
});

it('a connector that the service no longer has does not exist', async () => {
  const other = await Installation.open();
  try {
    const first = await other.start();
    const id = await other.destination();
    const { id: pipeline } = await other.command('CreatePipeline', aPipeline(id));
    await other.stop(first);
    await other.start({ connectors: createConnectors({}) });
    const refusal = { code: 'ConnectorNotExist', kind: 'refused' };
    await expect(
      other.command('CreatePipeline', aPipeline(id, { target: 'User' })),
    ).rejects.toMatchObject(refusal);
    const update = {
      id: pipeline,
      name: 'New',
      filter: '{}',
      transformation: null,
      outSchema: null,
    };
    await expect(other.command('UpdatePipeline', update)).rejects.toMatchObject(refusal);
    expect(await other.read('GetPipeline', { id: pipeline })).toMatchObject({ name: 'Orders' });
  } finally {
    await other.close();
  }
});

describe('updating', () => {
  const cleared = { name: 'All', filter: null, transformation: null, outSchema: null };
  const update = (id: string, changes: object = {}, context = {}) =>
    installation.recorded('UpdatePipeline', { id, ...cleared, ...changes }, context);

  it.each([true, false])('keeps the status %s and clears the rest', async (enabled) => {
    const { id } = await create({ eventType: 'send_custom_event', filter: json(FILTER), enabled });
    await update(id);
    expect(await get(id)).toMatchObject({ ...cleared, version: 2, enabled });
    await update(id, { enabled: !enabled });
    expect(await get(id)).toMatchObject({ enabled: !enabled, version: 3 });
  });

  it('records nothing when nothing changes', async () => {
    const { id } = await create();
    const first = await update(id);
    expect(await update(id)).toEqual(first);
    expect(await get(id)).toMatchObject({ version: 2 });
  });

  it('that come together are recorded together', async () => {
    const ids = await Promise.all(Array.from({ length: 24 }, async () => (await create()).id));
    await Promise.all(ids.map((id) => update(id)));
    const { rows } = await installation.pool.query<{ transactions: string }>(
      `SELECT count(DISTINCT xmin::text) AS transactions FROM penstock.facts
        WHERE version = 2 AND stream = ANY ($1)`,
      [ids.map((id) => `pipeline-${id}`)],
    );
    expect(Number(rows[0]?.transactions)).toBeGreaterThan(0);
    expect(Number(rows[0]?.transactions)).toBeLessThanOrEqual(ids.length / 2);
  });

  it.each([
    ['a bad filter', { filter: '{}' }, 'BadRequest'],
    [
      'a function in another language',
      { ...mapped, transformation: aFunction({ language: 'Ruby' }) },
      'UnsupportedLanguage',
    ],
    [
      'a function that cannot be compiled',
      { ...mapped, transformation: aFunction({ source: 'transform = (' }) },
      'TransformationFailed',
    ],
    ['no transformation any more', {}, 'SchemaNotAligned'],
  ])('is refused with %s', async (_, changes, code) => {
    const { id } = await create(onCart);
    await expect(update(id, changes)).rejects.toMatchObject({ code });
    expect(await get(id)).toMatchObject({ version: 1 });
  });
});

describe('status', () => {
  it('is set, and setting it again changes nothing', async () => {
    const { id } = await create({ enabled: false });
    const set = (enabled: boolean) => installation.recorded('SetPipelineStatus', { id, enabled });
    const first = await set(true);
    expect(await set(true)).toEqual(first);
    expect(await get(id)).toMatchObject({ enabled: true, version: 2 });
    await set(false);
    expect(await get(id)).toMatchObject({ enabled: false, version: 3 });
  });
});

type Change = (id: string, context: object) => Promise<unknown>;
const CHANGES: readonly [string, Change][] = [
  [
    'UpdatePipeline',
    (id, context) =>
      installation.command(
        'UpdatePipeline',
        { id, name: 'N', filter: null, transformation: null, outSchema: null },
        context,
      ),
  ],
  [
    'SetPipelineStatus',
    (id, context) => installation.command('SetPipelineStatus', { id, enabled: false }, context),
  ],
  ['DeletePipeline', (id, context) => installation.command('DeletePipeline', { id }, context)],
];

describe.each(CHANGES)('%s', (_, change) => {
  it('is refused when the pipeline has a newer version', async () => {
    const { id } = await create();
    await installation.command('SetPipelineStatus', { id, enabled: false });
    await installation.command('SetPipelineStatus', { id, enabled: true });
    await expect(change(id, { expectedVersion: 2 })).rejects.toMatchObject({ code: 'Conflict' });
    await change(id, { expectedVersion: 3 });
  });

  it('finds no pipeline of another workspace, no deleted one and no unknown one', async () => {
    const absent = { code: 'PipelineNotExist', kind: 'absent' };
    const { id } = await create();
    const elsewhere = { workspace: 'elsewhere' };
    await expect(change(id, elsewhere)).rejects.toMatchObject(absent);
    expect(await get(id)).toMatchObject({ version: 1 });
    await installation.command('DeletePipeline', { id });
    await expect(change(id, {})).rejects.toMatchObject(absent);
    await expect(change('never-was\0', {})).rejects.toMatchObject(absent);
    await expect(get(id)).rejects.toMatchObject(absent);
    await expect(get('never-was\0')).rejects.toMatchObject(absent);
  });
});

it('another workspace cannot put a pipeline on a connection, nor see any', async () => {
  const { id } = await create();
  const elsewhere = { workspace: 'elsewhere' as never };
  await expect(create({}, elsewhere)).rejects.toMatchObject({
    code: 'ConnectionNotExist',
    kind: 'refused',
  });
  await expect(installation.read('GetPipeline', { id }, elsewhere)).rejects.toMatchObject({
    code: 'PipelineNotExist',
  });
  expect(await installation.read('ListPipelines', PAGE, elsewhere)).toEqual({
    pipelines: [],
    cursor: '',
  });
});

it('lists are newest first, by connection and status, page by page', async () => {
  const id = await installation.destination();
  const made: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    const { id: pipeline } = await create({ connection: id, enabled: n % 2 === 0 });
    made.unshift(pipeline);
  }
  const list = async (more: object) => {
    const page = await installation.read('ListPipelines', { ...PAGE, connection: id, ...more });
    return { ids: page.pipelines.map((each) => each.id), cursor: page.cursor };
  };
  expect(await list({})).toEqual({ ids: made, cursor: '' });
  expect(await list({ enabled: true })).toEqual({ ids: [made[1], made[3]], cursor: '' });
  const { ids, cursor } = await list({ limit: 3 });
  expect(ids).toEqual(made.slice(0, 3));
  expect(await list({ limit: 3, cursor })).toEqual({ ids: made.slice(3), cursor: '' });
  expect(await list({ limit: 4 })).toEqual({ ids: made, cursor: '' });
  expect(await list({ connection: 'no\0' })).toEqual({ ids: [], cursor: '' });
});

it('lists no more than fits into an answer, and the next page continues there', async () => {
  const connection = await installation.destination();
  const made: string[] = [];
  for (let n = 0; n < 4; n += 1)
    made.unshift((await create({ connection, ...ofSize(300_000) })).id);
  const seen: string[][] = [];
  for (let cursor = ''; cursor !== '' || seen.length === 0;) {
    const list = await installation.read('ListPipelines', { limit: 1_000, cursor, connection });
    seen.push(list.pipelines.map(({ id }) => id));
    ({ cursor } = list);
  }
  expect(seen).toEqual([made.slice(0, 2), made.slice(2)]);
});
