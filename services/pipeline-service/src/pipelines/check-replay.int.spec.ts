import type { ConnectionId, CreatePipeline, PipelineId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { Installation } from '../testing/installation.fixture';
import { aFunction, aPipeline, FILTER, mapped } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let destination: ConnectionId;
let pipeline: PipelineId;

beforeAll(async () => {
  installation = await Installation.open();
  await installation.start();
  destination = await installation.destination();
  const created = await installation.command('CreatePipeline', aPipeline(destination));
  pipeline = created.id;
});

afterAll(() => installation.close());

const onCart = { eventType: 'send_add_to_cart', ...mapped };

const draftOf = (changes: Partial<CreatePipeline> = {}): Omit<CreatePipeline, 'id'> => {
  const { id: _, ...draft } = aPipeline(destination, changes);
  return draft;
};

const check = (
  input: { filter?: string; draft?: Partial<CreatePipeline>; pipeline?: string } = {},
) =>
  installation.query('CheckReplay', {
    pipeline: (input.pipeline ?? pipeline) as PipelineId,
    filter: input.filter ?? null,
    draft: input.draft === undefined ? null : draftOf(input.draft),
  });

it('answers a draft and a filter as Create pipeline would store them', async () => {
  const filter = JSON.stringify(FILTER);
  const made = await installation.command(
    'CreatePipeline',
    aPipeline(destination, { ...onCart, filter }),
  );
  const stored = await installation.read('GetPipeline', { id: made.id });
  expect(await check({ filter, draft: { ...onCart, filter } })).toEqual({
    filter: stored.filter,
    draft: {
      name: 'Orders',
      enabled: true,
      eventType: 'send_add_to_cart',
      filter: stored.filter,
      transformation: stored.transformation,
      outSchema: stored.outSchema,
    },
  });
  expect(await check()).toEqual({ filter: null, draft: null });
});

it('compiles the function of a draft', async () => {
  const withFunction = { ...onCart, transformation: aFunction() };
  const schema = JSON.stringify({
    kind: 'object',
    properties: [{ name: 'email', type: { kind: 'string' }, createRequired: true }],
  });
  const { draft } = await check({ draft: { ...withFunction, outSchema: schema } });
  expect(draft?.transformation?.function?.language).toBe('JavaScript');
  const broken = aFunction({ source: 'const transform = (' });
  await expect(
    check({ draft: { ...withFunction, transformation: broken, outSchema: schema } }),
  ).rejects.toMatchObject({
    code: 'TransformationFailed',
    details: [{ path: '/draft/transformation/function/source' }],
  });
});

const at = (path: string): unknown =>
  expect.arrayContaining([expect.objectContaining({ path })] as unknown[]);

it.each<[string, Parameters<typeof check>[0], object]>([
  ['a bad filter', { filter: '{}' }, { code: 'BadRequest', details: at('/filter/logical') }],
  [
    'a bad filter of a draft',
    { draft: { filter: '{}' } },
    { code: 'BadRequest', details: at('/draft/filter/logical') },
  ],
  [
    'a mapping without a schema',
    { draft: { ...onCart, outSchema: null } },
    { code: 'BadRequest', details: at('/draft/outSchema') },
  ],
  [
    'an event type that the connection does not have',
    { draft: { eventType: 'nothing' } },
    { code: 'EventTypeNotExist', kind: 'refused' },
  ],
  [
    'a draft without what its event type requires',
    { draft: { eventType: 'send_add_to_cart' } },
    { code: 'SchemaNotAligned' },
  ],
  [
    'a connection that is not there',
    { draft: { connection: newId() } },
    { code: 'ConnectionNotExist', kind: 'refused' },
  ],
  ['a pipeline that is not there', { pipeline: newId() }, { code: 'PipelineNotExist' }],
])('%s is refused', async (_, input, refusal) => {
  await expect(check(input)).rejects.toMatchObject(refusal);
});

it('a draft on another connection than the pipeline is refused', async () => {
  const other = await installation.destination();
  await expect(check({ draft: { connection: other } })).rejects.toMatchObject({
    code: 'BadRequest',
    details: [{ path: '/draft/connection' }],
  });
});
