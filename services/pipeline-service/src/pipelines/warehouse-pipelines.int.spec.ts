import type { ConnectionId, CreatePipeline, PipelineId } from '@penstock/contracts';
import { Installation } from '../testing/installation.fixture';
import { mapping, profiles } from '../testing/import.fixture';
import { aFunction, aPipeline, FILTER } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let source: ConnectionId;

beforeAll(async () => {
  installation = await Installation.open();
  await installation.start({});
});
beforeEach(async () => {
  source = await installation.source();
});
afterAll(() => installation.close());

const written = (changes: Partial<CreatePipeline>): CreatePipeline => ({
  ...aPipeline(source, { eventType: null, transformation: null, outSchema: null }),
  ...changes,
});
const create = async (changes: Partial<CreatePipeline>): Promise<PipelineId> =>
  (await installation.command('CreatePipeline', written(changes))).id;
const get = (id: string) => installation.read('GetPipeline', { id });
const update = (id: string, changes: Partial<CreatePipeline>) => {
  const { id: _, connection, target, eventType, ...input } = written(changes);
  return installation.command('UpdatePipeline', { ...input, id });
};

const EMAIL = { transformation: mapping({ email: 'traits.email' }), outSchema: profiles('email') };
const RUN = 'PipelineNotRunnable';

it('identities from events are created, read and updated, with a transformation and without', async () => {
  const id = await create({ target: 'User', filter: JSON.stringify(FILTER), ...EMAIL });
  const view = await get(id);
  expect(view).toMatchObject({ connection: source, target: 'User', eventType: null, version: 1 });
  expect(view).toMatchObject({ connectionRole: 'Source', outSchema: expect.any(String) as string });
  expect(view).not.toHaveProperty('imports');
  expect(view).not.toHaveProperty('runs');
  await update(id, { target: 'User', name: 'Other' });
  expect(await get(id)).toMatchObject({
    ...{ version: 2, name: 'Other', filter: null, transformation: null, outSchema: null },
  });
  await create({ target: 'User' });
});

it('a source has one pipeline that writes its events, and may have another when that was deleted', async () => {
  const id = await create({ target: 'Event', filter: JSON.stringify(FILTER) });
  expect(await get(id)).toMatchObject({ target: 'Event', eventType: null, connection: source });
  await expect(create({ target: 'Event' })).rejects.toMatchObject({
    code: 'TargetExist',
    message: 'connection already has a pipeline for this target',
  });
  await update(id, { target: 'Event' });
  expect(await get(id)).toMatchObject({ version: 2, filter: null });
  await create({ target: 'User' });
  await installation.command('DeletePipeline', { id });
  const both = await Promise.allSettled([create({ target: 'Event' }), create({ target: 'Event' })]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

it.each(['User', 'Event'])('those with target %s do not run', async (target) => {
  const id = await create({ target });
  await expect(
    installation.command('RunPipeline', { id, incremental: null }),
  ).rejects.toMatchObject({ code: RUN });
  await expect(
    installation.command('SetSchedulePeriod', { id, period: '5m' }),
  ).rejects.toMatchObject({ code: RUN });
});

it.each<[string, Partial<CreatePipeline>, string[]]>([
  ['Event', { ...EMAIL }, ['/outSchema', '/transformation']],
  ['Event', { inSchema: profiles('email') }, ['/inSchema']],
  ['User', { inSchema: profiles('email') }, ['/inSchema']],
  ['User', { eventType: 'send_event' }, ['/eventType']],
  ['User', { incremental: true }, ['/incremental']],
  ['User', { transformation: EMAIL.transformation }, ['/outSchema']],
  ['User', { outSchema: EMAIL.outSchema }, ['/transformation']],
  [
    'User',
    { ...EMAIL, transformation: mapping({ email: 'nothing' }) },
    ['/transformation/mapping/email'],
  ],
  ['User', { ...EMAIL, outSchema: profiles('email', 'last_name') }, ['/outSchema']],
  [
    'User',
    { ...EMAIL, transformation: aFunction({ outPaths: [] }) },
    expect.any(Array) as string[],
  ],
])('with target %s and %j is refused at %j', async (target, changes, paths) => {
  const refused = create({ target, ...changes }).then(
    () => undefined,
    (error: unknown) => error as { code: string; details: { path: string }[] },
  );
  const error = await refused;
  expect(error).toMatchObject({ code: 'BadRequest' });
  expect([...new Set(error?.details.map(({ path }) => path))].sort()).toEqual(paths);
});

it('takes constants, and functions that give the whole output schema', async () => {
  await create({ target: 'User', ...EMAIL, transformation: mapping({ email: '"a@b"' }) });
  await create({ target: 'User', ...EMAIL, transformation: aFunction() });
  await expect(
    create({
      target: 'User',
      transformation: aFunction(),
      outSchema: profiles('email', 'last_name'),
    }),
  ).rejects.toMatchObject({
    code: 'BadRequest',
    details: [{ path: '/outSchema', message: 'property last_name is not given by the function' }],
  });
});

it('an output schema that the profiles do not have is refused', async () => {
  await expect(
    create({ target: 'User', transformation: mapping({ age: '1' }), outSchema: profiles('age') }),
  ).rejects.toMatchObject({
    code: 'SchemaNotAligned',
    message: 'output schema is not aligned with the profile schema',
  });
});
