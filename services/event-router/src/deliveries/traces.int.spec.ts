import {
  type ConnectionId,
  orderKey,
  type PipelineId,
  type SendingPipelineState,
  type Queries,
  TOPIC,
  type TracedPipeline,
  type WorkspaceId,
} from '@penstock/contracts';
import {
  destinationState,
  Installation,
  SOURCE,
  sourceState,
  type TestEvent,
} from '../testing/installation.fixture';
import { DESTINATION, functionState, onlyEvent, pipelineState } from '../testing/pipelines.fixture';
import { Receiver } from '../testing/receiver.fixture';
import { until } from '../testing/until.fixture';
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

type Trace = Queries['TraceEvent']['out'];
type Wanted = Partial<Queries['TraceEvent']['in']>;

const trace = (messageId: string, wanted: Wanted = {}): Promise<Trace> =>
  questions.ask('TraceEvent', { messageId, withValues: true, ...wanted });

const PIPELINE = pipelineState().id;
const numbered = (number: number): PipelineId => `pipeline000000${String(number)}` as PipelineId;

const configure = (...pipelines: readonly SendingPipelineState[]): Promise<void> =>
  installation.configure(sourceState(), destinationState(receiver.url), ...pipelines);

const ended = async (): Promise<number> =>
  Object.values(await installation.counts()).reduce((sum, count) => sum + count, 0);

/** Sends events and resolves when they have `count` endings in all. */
const sent = async (count: number, ...events: readonly TestEvent[]): Promise<void> => {
  await installation.accept(...events);
  await until(async () => (await ended()) === count);
};

const of = ({ pipelines }: Trace, id: PipelineId = PIPELINE): TracedPipeline => {
  const found = pipelines.find(({ pipeline }) => pipeline === id);
  if (found === undefined) throw new Error(`the trace has no pipeline ${id}`);
  return found;
};

/** How the first pipeline stands; undefined: no router has read the event yet. */
const standing = async (messageId: string): Promise<TracedPipeline | undefined> =>
  trace(messageId).then(
    (found) => of(found),
    () => undefined,
  );

const TIME = expect.stringMatching(/^20.*Z$/) as string;

it('of a delivered event has the event, each pipeline and the attempt', async () => {
  await configure(
    pipelineState({ filter: onlyEvent('E') }),
    pipelineState({ id: numbered(2), filter: onlyEvent('Other'), version: 3 }),
    pipelineState({ id: numbered(3), enabled: false }),
  );
  await installation.start();
  const acceptedBy = { gateway: 'aB3_-90x', route: '/v1/batch' };
  const properties = '{"n":12345678901234567890}';
  await sent(3, { user: 'Ada', messageId: 'm 1/é', properties, acceptedBy });
  const found = await trace('m 1/é');
  expect(found.event).toMatchObject({
    form: 'Readable',
    messageId: 'm 1/é',
    connection: SOURCE,
    acceptedAt: TIME,
    acceptedBy,
    isSuppressed: false,
    reason: '',
  });
  expect(found.event.event).toContain('"properties":{"n":12345678901234567890}');
  expect(found).toMatchObject({
    duplicates: [],
    others: [],
    isCut: false,
    unknown: [],
    isMasked: false,
  });
  expect(found.kept).toEqual({
    messageIdHours: 24,
    eventDays: 30,
    outcomeDays: 30,
    deadLetterDays: 14,
  });
  expect(found.pipelines.map(({ pipeline }) => pipeline)).toEqual([
    PIPELINE,
    numbered(2),
    numbered(3),
  ]);
  expect(of(found)).toEqual({
    pipeline: PIPELINE,
    pipelineVersion: 1,
    connection: DESTINATION,
    state: 'Delivered',
    step: 'Finalize',
    code: '',
    reason: '',
    endedAt: TIME,
    nextAttemptAt: null,
    delivery: null,
    filter: {
      logical: 'and',
      conditions: [{ property: 'event', operator: 'is', values: ['E'], seen: '"E"', holds: true }],
    },
    transformation: null,
    attemptCount: 1,
    attempts: [
      { attempt: 1, at: TIME, isSuccessful: true, status: 200, reason: '', nextAttemptAt: null },
    ],
  });
  expect(of(found, numbered(2))).toMatchObject({
    state: 'Filtered',
    step: 'Filter',
    code: '',
    pipelineVersion: 3,
    filter: { conditions: [{ values: ['Other'], seen: '"E"', holds: false }] },
    attempts: [],
  });
  expect(of(found, numbered(3))).toMatchObject({
    state: 'Filtered',
    code: 'Disabled',
    filter: null,
  });
  const one = await trace('m 1/é', { pipeline: numbered(2) });
  expect(one.pipelines).toEqual([of(found, numbered(2))]);
});

it('of a rejected event shows the step, the input that was transformed again, and its console', async () => {
  const throwing = `const transform = (event) => { console.log('saw', event.anonymousId); throw new RangeError('no Ada'); };`;
  const wrong = `const transform = () => ({ other: 1 });`;
  const right = `const transform = (event) => { console.log('ok'); return { properties: { who: event.anonymousId } }; };`;
  receiver.answer = () => 400;
  receiver.answerText = () => 'Ada is not welcome';
  await configure(
    functionState(throwing, { id: numbered(1) }),
    functionState(wrong, { id: numbered(2) }),
    functionState(right, { id: numbered(3) }),
  );
  await installation.start();
  await sent(3, { user: 'Ada', messageId: 'm1' });
  const found = await trace('m1');
  expect(of(found, numbered(1))).toMatchObject({
    state: 'Rejected',
    step: 'Transformation',
    code: '',
    reason: expect.stringContaining('no Ada') as string,
    delivery: expect.any(String) as string,
    transformation: {
      kind: 'Function',
      output: null,
      failed: 'Transformation',
      error: expect.stringContaining('no Ada') as string,
      console: expect.stringContaining('saw Ada') as string,
    },
    attemptCount: 0,
    attempts: [],
  });
  expect(of(found, numbered(2))).toMatchObject({
    state: 'Rejected',
    step: 'OutputValidation',
    transformation: { output: null, failed: 'OutputValidation' },
  });
  expect(of(found, numbered(3))).toMatchObject({
    state: 'Rejected',
    step: 'Finalize',
    code: '400',
    reason: 'answered 400: Ada is not welcome',
    transformation: { output: '{"properties":{"who":"Ada"}}', failed: null, error: '' },
    attemptCount: 1,
    attempts: [
      {
        attempt: 1,
        isSuccessful: false,
        status: 400,
        reason: 'answered 400: Ada is not welcome',
        nextAttemptAt: null,
      },
    ],
  });
  expect(of(found, numbered(3)).transformation?.console).toContain('ok');
});

it('tells the step of a rejection from the transformation when the dead letter is gone', async () => {
  await configure(functionState(`const transform = () => { throw new RangeError('no'); };`));
  await installation.start();
  await sent(1, { user: 'Ada', messageId: 'm1' });
  await installation.pool.query('DELETE FROM penstock_router.deliveries');
  expect(of(await trace('m1'))).toMatchObject({
    state: 'Rejected',
    step: 'Transformation',
    delivery: null,
    endedAt: TIME,
  });
});

describe('attempts', () => {
  it('that failed come before the one that succeeded', async () => {
    let failures = 3;
    receiver.answer = () => ((failures -= 1) >= 0 ? 503 : 200);
    receiver.answerText = (status) => (status === 200 ? '' : 'Ada must wait');
    await configure(pipelineState());
    await installation.start();
    await sent(1, { user: 'Ada', messageId: 'm1' });
    const { state, attempts, attemptCount } = of(await trace('m1'));
    expect([state, attemptCount]).toEqual(['Delivered', 4]);
    const failed = { isSuccessful: false, status: 503, reason: 'answered 503: Ada must wait' };
    expect(attempts).toMatchObject([
      { attempt: 1, ...failed, nextAttemptAt: TIME },
      { attempt: 2, ...failed, nextAttemptAt: TIME },
      { attempt: 3, ...failed, nextAttemptAt: TIME },
      { attempt: 4, isSuccessful: true, status: 200 },
    ]);
    const times = attempts.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
  });

  /** Ada's event is tried again in an hour, and stored when it has been open for so long. */
  const untilTried = async (spillAfterMs: number): Promise<void> => {
    receiver.answer = ({ anonymousId }) => (anonymousId === 'Ada' ? 503 : 200);
    await configure(pipelineState());
    await installation.start({
      backoffBaseMs: 3_600_000,
      backoffCapMs: 3_600_000,
      spillAfterMs,
    });
    await sent(1, { user: 'Bob', messageId: 'm0' });
    await installation.accept({ user: 'Ada', messageId: 'm1' });
    await until(async () => (await standing('m1'))?.attempts.length === 1);
  };

  it('of an open delivery say when it is tried again', async () => {
    await untilTried(3_600_000);
    const open = of(await trace('m1'));
    expect(open).toMatchObject({ state: 'Open', attemptCount: 1, endedAt: null, delivery: null });
    expect(open.nextAttemptAt).toBe(open.attempts[0]?.nextAttemptAt);
  });

  it('of a stored delivery say it too', async () => {
    await untilTried(1_500);
    await until(async () => (await standing('m1'))?.state === 'Waiting');
    expect(of(await trace('m1'))).toMatchObject({
      nextAttemptAt: TIME,
      delivery: expect.any(String) as string,
      attempts: [{ attempt: 1, status: 503 }],
    });
  });

  it('of a parked delivery are the first ten and the last ten', async () => {
    receiver.answer = ({ anonymousId }) => (anonymousId === 'Ada' ? 503 : 200);
    await configure(pipelineState());
    await installation.start({
      backoffBaseMs: 20,
      backoffCapMs: 20,
      maxAgeMs: 15_000,
      spillAfterMs: 60_000,
    });
    await sent(1, { user: 'Bob', messageId: 'm0' });
    const healthy = setInterval(() => {
      void installation.accept({ user: 'Bob', messageId: `m${Math.random()}` });
    }, 50);
    await installation.accept({ user: 'Ada', messageId: 'm1' });
    await until(async () => (await standing('m1'))?.state === 'Parked').finally(() => {
      clearInterval(healthy);
    });
    const parked = of(await trace('m1'));
    expect(parked).toMatchObject({ code: 'RetryBudgetSpent', step: 'Finalize', endedAt: TIME });
    expect(parked.attemptCount).toBeGreaterThan(20);
    const last = parked.attemptCount;
    expect(parked.attempts.map(({ attempt }) => attempt)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => index + 1),
      ...Array.from({ length: 10 }, (_, index) => last - 9 + index),
    ]);
    const rows = await installation.pool.query('SELECT FROM penstock_router.attempts');
    expect(rows.rows.length).toBeLessThanOrEqual(11);
  });
});

it('names the duplicates of an event, and whether they differed', async () => {
  await configure(pipelineState());
  await installation.start();
  const event = { user: 'Ada', messageId: 'm1' };
  await sent(3, event, event, { ...event, properties: '{"n":2}' });
  const { duplicates, pipelines } = await trace('m1');
  expect(duplicates).toEqual([
    { place: expect.any(String) as string, at: TIME, isDifferent: false },
    { place: expect.any(String) as string, at: TIME, isDifferent: true },
  ]);
  expect(pipelines).toMatchObject([{ state: 'Delivered' }]);
});

it('tells events with one id apart by source and anonymous id', async () => {
  const other = 'source000000002' as ConnectionId;
  await installation.configure(sourceState(other));
  await configure(pipelineState());
  await installation.start();
  await sent(1, { user: 'Ada', messageId: 'm1' });
  await sent(2, { user: 'Bob', messageId: 'm1' });
  await sent(3, { user: 'Bob', messageId: 'm1', source: other });
  expect((await trace('m1')).others).toHaveLength(2);
  const ofSource = await trace('m1', { connection: other });
  expect(ofSource.event.connection).toBe(other);
  expect(ofSource.others).toEqual([]);
  const ofAda = await trace('m1', { connection: SOURCE, anonymousId: 'Ada' });
  expect(ofAda.event.event).toContain('"anonymousId":"Ada"');
  await expect(trace('m1', { connection: SOURCE, anonymousId: 'Eve' })).rejects.toMatchObject({
    code: 'EventNotExist',
  });
});

it('of an event that opts out of a destination says so', async () => {
  await configure(pipelineState());
  await installation.start();
  await sent(1, { user: 'Ada', messageId: 'm1', integrations: { All: false } });
  expect(of(await trace('m1'))).toMatchObject({
    state: 'Filtered',
    code: 'OptedOut',
    step: 'Filter',
  });
});

it('of a suppressed user shows no values to anybody', async () => {
  await configure(pipelineState());
  await installation.suppress('user-1');
  await installation.start();
  await sent(1, { user: 'Ada', userId: 'user-1', messageId: 'm1' });
  const found = await trace('m1');
  expect(found).toMatchObject({ isMasked: true, event: { isSuppressed: true } });
  expect(found.event.event).not.toContain('Ada');
  expect(of(found)).toMatchObject({ state: 'Filtered', code: 'Suppressed', transformation: null });
  expect((await questions.ask('ListAccesses', { limit: 1, cursor: '' })).accesses).toEqual([]);
});

it('shows an unreadable event as such', async () => {
  await configure(pipelineState());
  await installation.start();
  await installation.accept({ user: 'Ada', messageId: 'm1' });
  await until(async () => (await ended()) === 1);
  const [record] = (
    await Promise.all([0, 1].map((each) => installation.log.read(TOPIC.events, each, 0, 1)))
  ).flatMap(({ records }) => records);
  const value = (record?.value ?? '').split('\n')[0]!.replace('"m1"', '"m2"');
  await installation.log.append(TOPIC.events, [
    { key: orderKey(SOURCE, 'Ada'), value: `${value}\n{"no":1}` },
  ]);
  await until(async () => (await installation.unreadable()).length === 1);
  expect(await trace('m2')).toMatchObject({
    event: { form: 'Unreadable', reason: 'its event does not fit the schema', event: null },
    pipelines: [],
  });
});

describe('a key without the right to see values', () => {
  it('sees none, and is not recorded', async () => {
    receiver.answer = () => 400;
    receiver.answerText = () => 'Ada is not welcome';
    await configure(
      functionState(
        `const transform = (event) => { console.log(event.anonymousId); return { properties: { who: event.anonymousId } }; };`,
        { filter: onlyEvent('Secret') },
      ),
    );
    await installation.start();
    await sent(1, { user: 'Ada', messageId: 'm1', event: 'Secret' });
    const masked = await trace('m1', { withValues: false });
    const { filter, ...pipeline } = of(masked);
    expect(JSON.stringify([masked.event, pipeline])).not.toMatch(/Ada|Secret/);
    expect(filter?.conditions[0]).toMatchObject({
      seen: '"••••"',
      values: ['Secret'],
      holds: true,
    });
    expect(pipeline).toMatchObject({
      reason: 'answered 400',
      transformation: { output: '{"properties":{"who":"••••"}}', console: '••••' },
      attempts: [{ reason: 'answered 400', status: 400 }],
    });
    expect(masked.isMasked).toBe(true);
    expect((await questions.ask('ListAccesses', { limit: 1, cursor: '' })).accesses).toEqual([]);
    const { event } = await trace('m1');
    expect((await questions.ask('ListAccesses', { limit: 9, cursor: '' })).accesses).toMatchObject([
      { key: 'key-1', delivery: event.place },
    ]);
  });

  it('is not answered with values whose access cannot be recorded', async () => {
    await configure(pipelineState());
    await installation.start();
    await sent(1, { user: 'Ada', messageId: 'm1' });
    await installation.pool.query('ALTER TABLE penstock_router.accesses RENAME TO away');
    await expect(trace('m1')).rejects.toMatchObject({ code: 'InternalError' });
    expect(await trace('m1', { withValues: false })).toMatchObject({ isMasked: true });
  });
});

describe('what is not known any more', () => {
  const OTHERS = 'workspace000009' as WorkspaceId;

  it.each(['m2', ''])('an unknown id %j does not exist', async (messageId) => {
    await configure(pipelineState());
    await installation.start();
    await sent(1, { user: 'Ada', messageId: 'm1' });
    await expect(trace(messageId)).rejects.toMatchObject({
      code: 'EventNotExist',
      kind: 'absent',
      message: expect.stringContaining('24 hours') as string,
    });
    await expect(
      questions.ask('TraceEvent', { messageId: 'm1', withValues: true }, OTHERS),
    ).rejects.toMatchObject({ code: 'WorkspaceNotExist' });
  });

  it('an event whose id is not kept is found near its time', async () => {
    await configure(pipelineState());
    await installation.start();
    await sent(1, { user: 'Ada', messageId: 'm1' });
    const { event } = await trace('m1');
    await installation.pool.query('DELETE FROM penstock_router.messages');
    const at = event.acceptedAt!;
    const near = { connection: SOURCE, anonymousId: 'Ada', at };
    await expect(trace('m1')).rejects.toMatchObject({ code: 'EventNotExist' });
    const found = await trace('m1', near);
    expect(found.event).toEqual(event);
    expect(of(found)).toMatchObject({ state: 'Delivered' });
    expect(found.unknown).toEqual([expect.stringContaining('24 hours')]);
    const farMs = Date.parse(at) + 6 * 60_000;
    for (const other of [
      { ...near, at: new Date(farMs).toISOString() as typeof at },
      { ...near, at: new Date(farMs - 2 * 6 * 60_000).toISOString() as typeof at },
      { ...near, anonymousId: 'Bob' },
    ])
      await expect(trace('m1', other)).rejects.toMatchObject({
        code: 'EventNotExist',
        message: expect.stringContaining('within 5 minutes') as string,
      });
  });

  it('an event that has left the log is answered with its recorded endings', async () => {
    receiver.answer = () => 400;
    await configure(pipelineState());
    await installation.start();
    await sent(1, { user: 'Ada', messageId: 'm1' });
    await installation.forget();
    const found = await trace('m1');
    expect(found.event).toMatchObject({
      form: 'Gone',
      event: null,
      connection: null,
      acceptedAt: null,
      acceptedBy: null,
    });
    expect(found.unknown).toEqual([expect.stringContaining('30 days')]);
    expect(found.pipelines).toMatchObject([
      { pipeline: PIPELINE, state: 'Rejected', code: '400', filter: null, transformation: null },
    ]);
  });

  it('an event at whose place another log has another one does not exist', async () => {
    await configure(pipelineState());
    await installation.start();
    await sent(2, { user: 'Ada', messageId: 'm1' }, { user: 'Ada', messageId: 'm2' });
    await installation.pool.query(
      `UPDATE penstock_router.messages m SET "offset" = 1 - m."offset"`,
    );
    await expect(trace('m1')).rejects.toMatchObject({ code: 'EventNotExist' });
  });

  it('an ending that is not kept is unknown, not open', async () => {
    await configure(pipelineState());
    await installation.start();
    await sent(1, { user: 'Ada', messageId: 'm1' });
    await installation.pool.query('DELETE FROM penstock_router.trails');
    expect(of(await trace('m1'))).toMatchObject({ state: 'Open' });
    await installation.pool.query('UPDATE penstock_router.traced SET since = now()');
    const found = await trace('m1');
    expect(of(found)).toMatchObject({ state: 'Unknown', endedAt: null });
    expect(found.unknown).toEqual([expect.stringContaining('30 days')]);
  });
});
