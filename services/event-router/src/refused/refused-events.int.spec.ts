import {
  type ConnectionId,
  type Instant,
  type RefusedEvent,
  refusedSealContext,
  TOPIC,
  type WorkspaceId,
  writeRefusedEvent,
} from '@penstock/contracts';
import { Questions } from '../deliveries/questions.fixture';
import {
  destinationState,
  Installation,
  seals,
  SOURCE,
  sourceState,
} from '../testing/installation.fixture';
import { pipelineState, WORKSPACE } from '../testing/pipelines.fixture';
import { Receiver } from '../testing/receiver.fixture';
import { until } from '../testing/until.fixture';
import { MAX_ROWS_OF_SOURCE, RefusedEventsTable } from './refused-events-table';

jest.setTimeout(600_000);

const OTHER = 'source000000002' as ConnectionId;
const ELSEWHERE = 'workspace000002' as WorkspaceId;

let installation: Installation;
let receiver: Receiver;
let questions: Questions;

beforeEach(async () => {
  receiver = await Receiver.open();
  installation = await Installation.open();
  questions = new Questions(installation.log);
  await installation.configure(
    sourceState(),
    sourceState(OTHER),
    destinationState(receiver.url),
    pipelineState(),
  );
});

afterEach(async () => {
  await questions.close();
  await installation.close();
  await receiver.close();
});

const time = (number: number): Instant =>
  new Date(Date.UTC(2026, 2, 1) + number * 1_000).toISOString() as Instant;

const refused = (number: number, members: Partial<RefusedEvent> = {}): RefusedEvent => {
  const [id, source] = [`refused-${String(number)}`, members.source ?? SOURCE];
  return {
    id,
    workspace: WORKSPACE,
    source,
    at: time(number),
    index: number,
    messageId: `m${String(number)}`,
    code: 'InvalidEvent',
    path: '/type',
    reason: 'is required',
    users: [],
    sealed: seals.seal(`{"n":${String(number)}}`, WORKSPACE, refusedSealContext({ source, id })),
    isCut: false,
    count: 1,
    ...members,
  };
};

const append = (...events: readonly RefusedEvent[]): Promise<unknown> =>
  installation.log.append(
    TOPIC.refusedEvents,
    events.map((each) => ({ key: each.source, value: writeRefusedEvent(each) })),
  );

const PAGE = { limit: 100, cursor: '', source: SOURCE, withValues: false };

const list = (wanted: Partial<typeof PAGE> & object = {}, workspace?: WorkspaceId) =>
  questions.ask('ListRefusedEvents', { ...PAGE, ...wanted }, workspace);

const ids = async (...wanted: Parameters<typeof list>): Promise<string[]> =>
  (await list(...wanted)).events.map(({ id }) => id);

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

const stored = async (): Promise<number> => {
  const { rows } = await installation.pool.query('SELECT FROM penstock_router.refused_events');
  return rows.length;
};

it('lists them by source, newest first, in pages, with what gateways have recorded', async () => {
  await append(...range(0, 5).map((number) => refused(number)), refused(9, { source: OTHER }));
  await installation.start();
  await installation.start();
  await until(async () => (await stored()) === 6);
  const first = await list({ limit: 2 });
  const { sealed, ...view } = first.events[0]!;
  expect(view).toEqual({
    id: 'refused-4',
    at: time(4),
    index: 4,
    messageId: 'm4',
    code: 'InvalidEvent',
    path: '/type',
    reason: 'is required',
    isCut: false,
    count: 1,
  });
  const place = refusedSealContext({ source: SOURCE, id: 'refused-4' });
  expect(seals.open(sealed!, WORKSPACE, place)).toBe('{"n":4}');
  const second = await list({ limit: 2, cursor: first.cursor });
  await append(refused(7));
  await until(async () => (await stored()) === 7);
  const third = await list({ limit: 2, cursor: second.cursor });
  expect([first, second, third].flatMap(({ events }) => events.map(({ id }) => id))).toEqual(
    [4, 3, 2, 1, 0].map((number) => `refused-${String(number)}`),
  );
  expect(third.cursor).toBe('');
  expect(await ids({ source: OTHER })).toEqual(['refused-9']);
});

it('a record that no gateway has written keeps none of its neighbours out', async () => {
  const odd = [null, 'a\0b', '', 'x'.repeat(10_000), 7, -1, 1.5, 1e300, true, {}, [7], ['a\0b']];
  const members = Object.keys(refused(0)) as readonly (keyof RefusedEvent)[];
  const foreign = members.flatMap((member) =>
    odd.map((value) => refused(1, { id: `${member} ${JSON.stringify(value)}`, [member]: value })),
  );
  await installation.log.append(
    TOPIC.refusedEvents,
    foreign.map((each) => ({ key: 'foreign', value: writeRefusedEvent(each) })),
  );
  await append(refused(2));
  await installation.start();
  await until(async () => (await ids()).includes('refused-2'));
});

it('lists and counts those of a code and a time, and nothing for another workspace', async () => {
  await append(
    ...range(0, 4).map((number) => refused(number)),
    refused(4, { code: 'EventTooLarge' }),
    refused(5, { code: 'EventTooLarge', count: 70, sealed: null, index: null, messageId: null }),
  );
  await installation.start();
  await until(async () => (await stored()) === 6);
  expect(await ids({ code: 'EventTooLarge' } as object)).toEqual(['refused-5', 'refused-4']);
  expect(await ids({ from: time(1), to: time(3) } as object)).toEqual(['refused-2', 'refused-1']);
  const count = (wanted: object = {}, workspace?: WorkspaceId) =>
    questions.ask('CountRefusedEvents', { source: SOURCE, ...wanted }, workspace);
  expect(await count()).toEqual({
    counts: [
      { code: 'EventTooLarge', count: 71 },
      { code: 'InvalidEvent', count: 4 },
    ],
  });
  expect(await count({ to: time(2) })).toEqual({ counts: [{ code: 'InvalidEvent', count: 2 }] });
  expect(await ids({}, ELSEWHERE)).toEqual([]);
  expect(await count({}, ELSEWHERE)).toEqual({ counts: [] });
});

it('refuses a text that is no cursor', async () => {
  await installation.start();
  for (const cursor of ['x', '1-', '1-a b'])
    await expect(list({ cursor })).rejects.toMatchObject({ code: 'BadRequest' });
});

it('records an access to values before it answers', async () => {
  await append(refused(1));
  await installation.start();
  await until(async () => (await stored()) === 1);
  await list();
  await list({ withValues: true });
  const { accesses } = await questions.ask('ListAccesses', { limit: 100, cursor: '' });
  expect(accesses).toMatchObject([
    { key: 'key-1', delivery: `refused-events connection=${SOURCE}` },
  ]);
  await installation.pool.query('ALTER TABLE penstock_router.accesses RENAME TO away');
  await expect(list({ withValues: true })).rejects.toMatchObject({ code: 'InternalError' });
  expect((await list()).events).toHaveLength(1);
});

it('keeps each once, whatever is read again, and passes over what it cannot read', async () => {
  await append(refused(1), refused(1), refused(2));
  await installation.log.append(TOPIC.refusedEvents, [{ key: 'k', value: 'nothing' }]);
  const router = await installation.start();
  await until(async () => (await stored()) === 2);
  await router.close();
  await append(refused(1), refused(3));
  await installation.start();
  await until(async () => (await stored()) === 3);
  expect(await ids()).toEqual(['refused-3', 'refused-2', 'refused-1']);
});

it(`keeps the newest ${String(MAX_ROWS_OF_SOURCE)} of each source, and no more`, async () => {
  const table = new RefusedEventsTable(installation.pool);
  await installation.start();
  const numbers = range(0, MAX_ROWS_OF_SOURCE);
  await table.write([...numbers.map((number) => refused(number)), refused(0, { source: OTHER })]);
  expect(await stored()).toBe(MAX_ROWS_OF_SOURCE + 1);
  await table.write([refused(MAX_ROWS_OF_SOURCE)]);
  expect(await stored()).toBe(MAX_ROWS_OF_SOURCE + 1);
  const found = await table.list(WORKSPACE, PAGE, { limit: 2_000, after: undefined });
  expect([found.at(0)?.view.id, found.at(-1)?.view.id]).toEqual(['refused-1000', 'refused-1']);
  expect(await ids({ source: OTHER })).toEqual(['refused-0']);
});

it('takes texts with characters that PostgreSQL has not', async () => {
  const table = new RefusedEventsTable(installation.pool);
  await installation.start();
  await table.write([refused(1, { messageId: 'a\0b', path: '/\0', reason: 'c\ud800' })]);
  expect((await list()).events).toMatchObject([
    { messageId: 'a\uFFFDb', path: '/\uFFFD', reason: 'c\uFFFD' },
  ]);
});

const hashOf = async (userId: string): Promise<string> => {
  await installation.suppress(userId, false);
  const { records } = await installation.log.read(TOPIC.configurationState, 0, 0, 10_000_000);
  const text = records.at(-1)?.value ?? '';
  return (JSON.parse(text) as { state: { id: string } }).state.id;
};

it('erases what is said about a user who is suppressed, before and afterwards', async () => {
  const users = [await hashOf('Ada')] as unknown as RefusedEvent['users'];
  const others = [await hashOf('Bob')] as unknown as RefusedEvent['users'];
  await append(refused(1, { users }), refused(2, { users: others }));
  await installation.start();
  await until(async () => (await stored()) === 2);
  await installation.suppress('Ada');
  await until(async () => (await list()).events.some(({ sealed }) => sealed === null));
  await append(refused(3, { users }));
  await until(async () => (await stored()) === 3);
  expect(
    (await list()).events.map(({ id, sealed, messageId }) => [id, sealed === null, messageId]),
  ).toEqual([
    ['refused-3', true, null],
    ['refused-2', false, 'm2'],
    ['refused-1', true, null],
  ]);
});

it('has the second of two events with one message id and different bodies, once', async () => {
  await installation.start();
  await installation.accept({ user: 'Ada', messageId: 'm', properties: '{"n":1}' });
  await installation.accept({ user: 'Ada', messageId: 'm', properties: '{"n":1}' });
  await installation.accept({ user: 'Ada', messageId: 'm', properties: '{"n":2}', userId: 'u' });
  await until(async () => (await stored()) === 1);
  const { events } = await list();
  expect(events).toMatchObject([
    { code: 'DifferentBody', messageId: 'm', index: null, path: '', isCut: false, count: 1 },
  ]);
  const [{ id, sealed } = { id: '', sealed: null }] = events;
  expect(seals.open(sealed!, WORKSPACE, refusedSealContext({ source: SOURCE, id }))).toContain(
    '"n":2',
  );
  const { rows } = await installation.pool.query<{ users: string[] }>(
    'SELECT users FROM penstock_router.refused_events',
  );
  expect(rows[0]?.users).toEqual([await hashOf('u')]);
});

it('waits while the database does not take them, and loses none', async () => {
  await installation.start();
  await installation.pool.query('ALTER TABLE penstock_router.refused_events RENAME TO away');
  await append(refused(1));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await installation.pool.query('ALTER TABLE penstock_router.away RENAME TO refused_events');
  await until(async () => (await stored()) === 1);
});
