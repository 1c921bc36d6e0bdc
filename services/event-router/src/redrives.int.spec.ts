import type { JobId, PipelineId, WorkspaceId } from '@penstock/contracts';
import { Questions } from './deliveries/questions.fixture';
import { destinationState, Installation, sourceState } from './testing/installation.fixture';
import { functionState, pipelineState } from './testing/pipelines.fixture';
import { Receiver } from './testing/receiver.fixture';
import { until } from './testing/until.fixture';

jest.setTimeout(600_000);

let installation: Installation;
let receiver: Receiver;
let questions: Questions;

beforeEach(async () => {
  receiver = await Receiver.open();
  installation = await Installation.open();
  questions = new Questions(installation.log);
});

afterEach(async () => {
  await questions.close();
  await installation.close();
  await receiver.close();
});

const PAGE = { limit: 100, cursor: '' };
const PIPELINE = pipelineState().id;
const OTHER = 'workspace0000002' as WorkspaceId;
let jobs = 0;
const newId = (): JobId => `job${String((jobs += 1)).padStart(13, '0')}` as JobId;

const create = (wanted = {}, given: { command?: string; isDryRun?: boolean } = {}) => {
  const { command = null, isDryRun = false } = given;
  return questions.ask('CreateRedrive', {
    pipeline: PIPELINE,
    id: newId(),
    command,
    wanted,
    isDryRun,
  });
};

const get = (id: string, workspace?: WorkspaceId) =>
  questions.ask('GetRedrive', { pipeline: PIPELINE, id }, workspace);

const ended = (id: string): Promise<void> => until(async () => (await get(id)).state !== 'Running');

const rejected = async (...messageIds: readonly string[]): Promise<void> => {
  receiver.answer = () => 400;
  await installation.accept(...messageIds.map((messageId) => ({ user: 'Ada', messageId })));
  await until(async () => (await installation.counts())['Rejected 400'] === messageIds.length);
};

const configure = async (): Promise<void> => {
  await installation.configure(sourceState(), destinationState(receiver.url), pipelineState());
  await installation.start();
};

it('sends dead letters in the present version of their pipeline, and tells how far it is', async () => {
  await configure();
  await rejected('m1', 'm2', 'm3');
  receiver.answer = () => 200;
  const source =
    'function transform({ messageId }) { return { properties: { renamed: messageId } }; }';
  await installation.configure(functionState(source, { version: 2 }));
  expect(await create({}, { isDryRun: true })).toEqual({ id: null, count: 3 });
  const { id, count } = await create();
  expect(count).toBe(3);
  await ended(id!);
  expect(await get(id!)).toEqual({
    id,
    pipeline: PIPELINE,
    state: 'Succeeded',
    chosen: 3,
    delivered: 3,
    filtered: 0,
    rejected: 0,
    parked: 0,
    left: 0,
    startedAt: expect.stringMatching(/Z$/) as string,
    endedAt: expect.stringMatching(/Z$/) as string,
    createdBy: 'key-1',
  });
  expect(
    await questions.ask('GetConservation', { pipeline: PIPELINE, connection: null }),
  ).toMatchObject({
    accepted: 3,
    endings: { Delivered: 3, Rejected: 0 },
    open: 0,
  });
  expect((await questions.ask('ListDeliveries', PAGE)).deliveries).toEqual([]);
  expect(receiver.taken.map(({ body }) => body)).toEqual(
    ['m1', 'm2', 'm3'].map((renamed) => ({ renamed })),
  );
});

it('redrives those that it names, and a repeated request is one redrive', async () => {
  await configure();
  await rejected('m1', 'm2', 'm3');
  const { deliveries } = await questions.ask('ListDeliveries', PAGE);
  receiver.answer = () => 200;
  const ids = [deliveries[1]!.id, 'nothing000000000', '%'];
  const first = await create({ ids }, { command: 'once' });
  expect(first.count).toBe(1);
  expect(await create({ ids }, { command: 'once' })).toEqual(first);
  await ended(first.id!);
  const rest = (await questions.ask('ListDeliveries', PAGE)).deliveries;
  expect(rest.map(({ id }) => id)).toEqual([deliveries[0]!.id, deliveries[2]!.id]);
  const { redrives, cursor } = await questions.ask('ListRedrives', { ...PAGE, pipeline: PIPELINE });
  expect([redrives.map(({ id }) => id), cursor]).toEqual([[first.id], '']);
});

it('is refused while ten others of the pipeline run, unless its request is repeated', async () => {
  await configure();
  await rejected(...Array.from({ length: 11 }, (_, index) => `m${String(index)}`));
  const { deliveries } = await questions.ask('ListDeliveries', PAGE);
  const [last, ...others] = deliveries.map(({ id }) => id);
  receiver.answer = () => 503;
  const made: string[] = [];
  for (const one of others) made.push((await create({ ids: [one] }, { command: one })).id!);
  const another = () => create({ ids: [last!] }, { command: last! });
  await expect(another()).rejects.toMatchObject({ code: 'TooManyRedrives' });
  expect(await create({ ids: others.slice(0, 1) }, { command: others[0]! })).toMatchObject({
    id: made[0],
  });
  await questions.ask('CancelRedrive', { pipeline: PIPELINE, id: made[0]! });
  await ended(made[0]!);
  expect(await another()).toMatchObject({ count: 1 });
});

it('leaves out, while it sends, users who were suppressed since', async () => {
  await configure();
  receiver.answer = () => 400;
  await installation.accept(
    { user: 'Ada', userId: 'ada', messageId: 'm1' },
    { user: 'Bob', userId: 'bob', messageId: 'm2' },
  );
  await until(async () => (await installation.counts())['Rejected 400'] === 2);
  receiver.answer = () => 503;
  const { id } = await create();
  await until(() => receiver.requests >= 4);
  await installation.suppress('ada');
  await until(async () => (await installation.storedBodies()) === 1);
  receiver.answer = () => 200;
  await ended(id!);
  expect(await get(id!)).toMatchObject({ chosen: 2, delivered: 1, filtered: 1, left: 0 });
});

it('is cancelled when its pipeline is deleted, and keeps what it has not sent', async () => {
  await configure();
  await rejected('m1', 'm2');
  receiver.answer = () => 503;
  const { id } = await create();
  await until(() => receiver.requests >= 3);
  await installation.configure(pipelineState({ version: 2, deleted: true }));
  await ended(id!);
  const { state, parked, left } = await get(id!);
  expect([state, parked + left]).toEqual(['Cancelled', 2]);
  expect((await questions.ask('ListDeliveries', PAGE)).deliveries).toHaveLength(2);
  expect(
    await questions.ask('GetConservation', { pipeline: PIPELINE, connection: null }),
  ).toMatchObject({
    accepted: 2,
    open: 0,
  });
});

it('is cancelled by any router, and a redrive of another workspace or pipeline does not exist', async () => {
  await configure();
  await installation.start();
  await rejected('m1');
  receiver.answer = () => 503;
  const { id } = await create();
  for (const [pipeline, workspace] of [
    [PIPELINE, OTHER],
    ['pipeline00000b', undefined],
  ] as [PipelineId, WorkspaceId | undefined][])
    for (const name of ['GetRedrive', 'CancelRedrive'] as const)
      await expect(questions.ask(name, { pipeline, id: id! }, workspace)).rejects.toMatchObject({
        code: expect.stringMatching(/NotExist$/) as string,
      });
  await questions.ask('CancelRedrive', { pipeline: PIPELINE, id: id! });
  await ended(id!);
  expect(await get(id!)).toMatchObject({ state: 'Cancelled', chosen: 1, left: 1 });
  await questions.ask('CancelRedrive', { pipeline: PIPELINE, id: id! });
  expect(await get(id!)).toMatchObject({ state: 'Cancelled' });
});
