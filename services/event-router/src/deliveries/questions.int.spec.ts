import { type PipelineId, TOPIC, type WorkspaceId } from '@penstock/contracts';
import { destinationState, Installation, sourceState } from '../testing/installation.fixture';
import { pipelineState } from '../testing/pipelines.fixture';
import { Receiver } from '../testing/receiver.fixture';
import { until } from '../testing/until.fixture';
import { deliveryId, deliveryPlace } from './delivery-id';
import { Questions } from './questions.fixture';

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

const rejected = async (...messageIds: readonly string[]): Promise<void> => {
  await installation.accept(...messageIds.map((messageId) => ({ user: 'Ada', messageId })));
  await until(async () => (await installation.counts())['Rejected 400'] === messageIds.length);
};

const configure = async (): Promise<void> => {
  receiver.answer = () => 400;
  receiver.answerText = () => 'Ada is not welcome';
  await installation.configure(sourceState(), destinationState(receiver.url), pipelineState());
};

const written = async (topic: string): Promise<string> => {
  let text = '';
  const ends = await installation.log.endOffsets(topic);
  for (const [partition, end] of ends.entries())
    for (let next = 0; next < end;) {
      const slice = await installation.log.read(topic, partition, next, 1_000_000);
      text += slice.records.map(({ value }) => value).join('\n');
      next = slice.next;
    }
  return text;
};

it('answers a list, numbers and conservation, from any of the routers', async () => {
  await configure();
  await installation.start();
  await installation.start();
  await rejected('plain-message-1', 'plain-message-2');
  for (let asked = 0; asked < 6; asked += 1) {
    const { deliveries, cursor } = await questions.ask('ListDeliveries', PAGE);
    expect(deliveries.map(({ messageId }) => messageId).sort()).toEqual([
      'plain-message-1',
      'plain-message-2',
    ]);
    expect(deliveries[0]).toMatchObject({ state: 'Rejected', code: '400', reason: 'answered 400' });
    expect(cursor).toBe('');
  }
  const count = { state: 'Rejected', code: '400', count: 2 };
  expect(await questions.ask('CountDeliveries', {})).toEqual({
    counts: [count],
    pipelines: [{ pipeline: PIPELINE, ...count }],
    isCut: false,
  });
  expect(await questions.ask('GetConservation', { pipeline: PIPELINE, connection: null })).toEqual({
    accepted: 2,
    endings: { Delivered: 0, Filtered: 0, Rejected: 2, Parked: 0, Duplicate: 0 },
    ...{ open: 0, behind: 0 },
  });
});

describe('one delivery in full', () => {
  const accesses = () => questions.ask('ListAccesses', PAGE);

  const listed = async () => {
    await configure();
    await installation.start();
    await rejected('plain-message-1');
    const { deliveries } = await questions.ask('ListDeliveries', PAGE);
    return deliveries[0]!;
  };

  it('has event and answer, and its access is recorded', async () => {
    const view = await listed();
    const whole = await questions.ask('GetDelivery', { id: view.id, withValues: true });
    expect(whole).toMatchObject({
      ...view,
      detail: 'answered 400: Ada is not welcome',
      isMasked: false,
    });
    expect(JSON.parse(whole.event ?? '')).toMatchObject({
      anonymousId: 'Ada',
      messageId: 'plain-message-1',
    });
    expect(await accesses()).toEqual({
      accesses: [
        {
          at: expect.stringMatching(/Z$/) as string,
          key: 'key-1',
          delivery: view.id,
          requestId: expect.any(String) as string,
        },
      ],
      cursor: '',
    });
  });

  it('has no value of the event without the right to see them, and is recorded for nobody', async () => {
    const view = await listed();
    const masked = await questions.ask('GetDelivery', { id: view.id, withValues: false });
    expect(masked).toMatchObject({ ...view, detail: '••••', isMasked: true });
    expect(masked.event).toContain('"anonymousId":"••••"');
    expect(masked.event).not.toMatch(/Ada|plain|track|20\d\d-/);
    expect((await accesses()).accesses).toEqual([]);
  });

  it('does not exist for an id that names none', async () => {
    const { id } = await listed();
    const none = deliveryId({ ...deliveryPlace(id)!, offset: 77 });
    for (const wanted of [none, 'x', ''])
      await expect(
        questions.ask('GetDelivery', { id: wanted, withValues: true }),
      ).rejects.toMatchObject({ code: 'DeliveryNotExist', kind: 'absent' });
    expect((await accesses()).accesses).toEqual([]);
  });

  it('is not answered with values whose access cannot be recorded', async () => {
    const { id } = await listed();
    await installation.pool.query('ALTER TABLE penstock_router.accesses RENAME TO away');
    await expect(questions.ask('GetDelivery', { id, withValues: true })).rejects.toMatchObject({
      code: 'InternalError',
    });
    expect(await questions.ask('GetDelivery', { id, withValues: false })).toMatchObject({ id });
  });

  it('is listed among the accesses in pages', async () => {
    const { id } = await listed();
    for (let looks = 0; looks < 3; looks += 1)
      await questions.ask('GetDelivery', { id, withValues: true });
    const first = await questions.ask('ListAccesses', { limit: 2, cursor: '' });
    const rest = await questions.ask('ListAccesses', { limit: 2, cursor: first.cursor });
    expect([first.accesses.length, rest.accesses.length, rest.cursor]).toEqual([2, 1, '']);
    await expect(questions.ask('ListAccesses', { limit: 2, cursor: 'x' })).rejects.toMatchObject({
      code: 'BadRequest',
      details: [{ path: '/cursor' }],
    });
  });
});

it('records who is about to see live events, and what of them', async () => {
  await installation.start();
  const connection = sourceState().id;
  for (const watched of [{}, { connection }, { connection, pipeline: PIPELINE }])
    expect(await questions.ask('WatchEvents', watched)).toEqual({});
  const { accesses } = await questions.ask('ListAccesses', PAGE);
  expect(accesses.map(({ key, delivery }) => [key, delivery])).toEqual([
    ['key-1', `live connection=${connection} pipeline=${PIPELINE}`],
    ['key-1', `live connection=${connection}`],
    ['key-1', 'live'],
  ]);
  await installation.pool.query('ALTER TABLE penstock_router.accesses RENAME TO away');
  await expect(questions.ask('WatchEvents', {})).rejects.toMatchObject({ code: 'InternalError' });
});

it('writes nothing of an event on the topics of questions and answers', async () => {
  await configure();
  await installation.start();
  await rejected('plain-message-1');
  await questions.ask('ListDeliveries', PAGE);
  for (const topic of [TOPIC.routerQueries, TOPIC.replies]) {
    const text = await written(topic);
    expect(text).toContain('sealed');
    expect(text).not.toContain('plain-message');
    expect(text).not.toContain('answered 400');
  }
});

it('goes through pages', async () => {
  await configure();
  await installation.start();
  await rejected('m1', 'm2', 'm3');
  const first = await questions.ask('ListDeliveries', { limit: 2, cursor: '' });
  const rest = await questions.ask('ListDeliveries', { limit: 2, cursor: first.cursor });
  expect([first.deliveries.length, rest.deliveries.length, rest.cursor]).toEqual([2, 1, '']);
});

it.each(['x', '0-', `zzzzzzzzzz-${'0'.repeat(20)}`, '0-' + '?'.repeat(20)])(
  'refuses the cursor %s',
  async (cursor) => {
    await configure();
    await installation.start();
    await expect(questions.ask('ListDeliveries', { limit: 1, cursor })).rejects.toMatchObject({
      code: 'BadRequest',
      details: [{ path: '/cursor' }],
    });
  },
);

it('refuses questions about a workspace without a key, and answers zeros for an unknown pipeline', async () => {
  await configure();
  await installation.start();
  const nobodys = 'workspace000009' as WorkspaceId;
  await expect(questions.ask('ListDeliveries', PAGE, nobodys)).rejects.toMatchObject({
    code: 'WorkspaceNotExist',
  });
  const { accepted } = await questions.ask('GetConservation', {
    pipeline: 'pipeline00000zz' as PipelineId,
    connection: null,
  });
  expect(accepted).toBe(0);
});

it('refuses as unavailable while the tables cannot be read', async () => {
  await configure();
  await installation.start();
  const holder = await installation.pool.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE penstock_router.deliveries IN ACCESS EXCLUSIVE MODE');
    const waiting = Array.from({ length: 40 }, () =>
      questions.ask('CountDeliveries', {}).then(
        () => 'answered',
        (error: unknown) => (error as { code: string }).code,
      ),
    );
    // Two wait for the table, 32 for their turn; the others are refused at once.
    await until(async () => (await Promise.race(waiting)) === 'ServiceUnavailable');
    await holder.query('ROLLBACK');
    const answers = await Promise.all(waiting);
    expect(answers.filter((answer) => answer === 'ServiceUnavailable')).toHaveLength(6);
    expect(answers.filter((answer) => answer === 'answered')).toHaveLength(34);
  } finally {
    holder.release();
  }
});
