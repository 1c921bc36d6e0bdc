import {
  instant,
  type PipelineId,
  type SendingPipelineState,
  type ReplayCounts,
  type ReplayView,
  type ReplayWanted,
  type WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { destinationState, sourceState } from '../testing/installation.fixture';
import { functionState, onlyEvent, pipelineState } from '../testing/pipelines.fixture';
import { until } from '../testing/until.fixture';
import { numbered, PAGE, PIPELINE, ReplayStand } from './replays.fixture';

jest.setTimeout(600_000);

let stand: ReplayStand;
let { installation, receiver, questions } = {} as ReplayStand;

beforeEach(async () => {
  stand = await ReplayStand.open('shadow');
  ({ installation, receiver, questions } = stand);
});

afterEach(() => stand.close());

const create: ReplayStand['create'] = (...given) => stand.create(...given);
const get: ReplayStand['get'] = (...given) => stand.get(...given);
const ended: ReplayStand['ended'] = (...given) => stand.ended(...given);

const schemaOf = (...names: readonly string[]): string =>
  JSON.stringify({
    kind: 'object',
    properties: names.map((name) => ({ name, type: { kind: 'string' }, createRequired: true })),
  });

/** A pipeline whose mapping gives one text. */
const mapped = (
  expression: string,
  members: Partial<SendingPipelineState> = {},
): SendingPipelineState =>
  pipelineState({
    transformation: { mapping: { text: expression }, function: null },
    outSchema: schemaOf('text'),
    ...members,
  });

const replayed = async (wanted: Partial<ReplayWanted> = {}): Promise<ReplayView> =>
  ended(await create(wanted));

const countsOf = ({ summary }: ReplayView): Partial<ReplayCounts> =>
  Object.fromEntries(Object.entries(summary ?? {}).filter(([, count]) => count !== 0));

const draftOf = ({
  name,
  enabled,
  eventType,
  filter,
  transformation,
  outSchema,
}: SendingPipelineState) => {
  return { name, enabled, eventType, filter, transformation, outSchema };
};

const differences = (id: string, withValues = true) =>
  questions.ask('ListReplayDifferences', {
    ...PAGE,
    pipeline: PIPELINE,
    id,
    kind: null,
    withValues,
  });

it('finds the same for the version by which the events were routed', async () => {
  await installation.configure(sourceState(), destinationState(receiver.url), mapped('event'));
  await installation.start();
  await installation.accept(...numbered(20), ...numbered(5, 'Other'));
  const replay = await replayed();
  expect(replay).toMatchObject({
    pipeline: PIPELINE,
    mode: 'shadow',
    state: 'Succeeded',
    reason: '',
    version: 1,
    createdBy: 'key-1',
    progress: { read: 25, total: 25, rate: 0, remainingSeconds: null },
  });
  expect(countsOf(replay)).toEqual({ events: 25, matched: 25, same: 25 });
  expect(await differences(replay.id)).toEqual({ differences: [], cursor: '' });
});

it('compares a draft with the version that each event was routed by, and sends nothing', async () => {
  await installation.configure(
    sourceState(),
    destinationState(receiver.url),
    mapped('event', { filter: onlyEvent('A') }),
  );
  await installation.start();
  await installation.accept(...numbered(3, 'A'), ...numbered(4, 'B'), ...numbered(5, 'C'));
  await until(async () => (await installation.counts())['Delivered'] === 3);
  const sent = receiver.requests;
  const changed = mapped('messageId', {
    filter: JSON.stringify({
      logical: 'or',
      conditions: ['A', 'B'].map((name) => ({ property: 'event', operator: 'is', values: [name] })),
    }),
  });
  const replay = await replayed({ draft: draftOf(changed) });
  expect(replay).toMatchObject({ version: null, state: 'Succeeded' });
  expect(countsOf(replay)).toEqual({
    events: 12,
    matched: 7,
    different: 3,
    onlyNow: 4,
    neither: 5,
  });
  const { differences: found } = await differences(replay.id);
  expect(found).toHaveLength(7);
  expect(found.find(({ messageId }) => messageId === 'message A 1')).toMatchObject({
    kind: 'Different',
    source: sourceState().id,
    before: { values: '{"text":"A"}', digest: expect.any(String) as string, rejectedAt: null },
    now: { values: '{"text":"message A 1"}', rejectedAt: null },
  });
  expect(found.find(({ messageId }) => messageId === 'message B 2')).toMatchObject({
    kind: 'OnlyNow',
    before: null,
    now: { values: '{"text":"message B 2"}' },
  });
  expect(receiver.requests).toBe(sent);
});

it('replays an earlier version, and what was not matched then is only before', async () => {
  const destination = destinationState(receiver.url);
  await installation.configure(
    sourceState(),
    destination,
    mapped('event', { filter: onlyEvent('A') }),
  );
  await installation.configure(mapped('event', { version: 2 }));
  await installation.start();
  await installation.accept(...numbered(2, 'A'), ...numbered(3, 'B'));
  expect(countsOf(await replayed({ version: 1 }))).toEqual({
    events: 5,
    matched: 2,
    same: 2,
    onlyBefore: 3,
  });
  expect(countsOf(await replayed({ version: 2 }))).toEqual({ events: 5, matched: 5, same: 5 });
  await expect(create({ version: 3 })).rejects.toMatchObject({
    code: 'PipelineVersionNotExist',
    details: [{ path: '/version', message: 'must be a version of the pipeline: 1 to 2' }],
  });
});

it('leaves out repetitions, suppressed users, other sources and what its filter does not match', async () => {
  const other = 'source000000002' as never;
  await installation.configure(
    sourceState(),
    sourceState(other, []),
    destinationState(receiver.url),
    mapped('event'),
  );
  await installation.start();
  await installation.accept(
    { user: 'u', messageId: 'one' },
    { user: 'u', messageId: 'one' },
    { user: 'u', messageId: 'two', userId: 'Eve' },
    { user: 'u', messageId: 'three', event: 'Unwanted' },
    { user: 'u', messageId: 'four', source: other },
  );
  await installation.suppress('Eve');
  const wanted = { filter: onlyEvent('E') };
  expect(countsOf(await replayed(wanted))).toEqual({
    duplicates: 1,
    suppressed: 1,
    events: 1,
    matched: 1,
    same: 1,
  });
  const input = { pipeline: PIPELINE, wanted: stand.all(wanted) };
  expect(await questions.ask('CountReplayEvents', input)).toEqual({ count: 3, isComplete: true });
});

it('counts what a mapping rejects, before and now', async () => {
  const required = JSON.stringify({
    kind: 'object',
    properties: [{ name: 'text', type: { kind: 'string', values: ['A'] }, createRequired: true }],
  });
  await installation.configure(
    sourceState(),
    destinationState(receiver.url),
    mapped('event', { outSchema: required }),
  );
  await installation.start();
  await installation.accept(...numbered(2, 'A'), ...numbered(3, 'B'));
  expect(countsOf(await replayed())).toEqual({ events: 5, matched: 5, rejected: 3, same: 5 });
  const lenient = await replayed({ draft: draftOf(mapped('event')) });
  expect(countsOf(lenient)).toEqual({ events: 5, matched: 5, same: 2, onlyNow: 3 });
  const [found] = (await differences(lenient.id)).differences;
  expect(found).toMatchObject({ before: { values: null, rejectedAt: 'OutputValidation' } });
});

it('compares what a function made of each event, as it was recorded, with what one makes now', async () => {
  const source = (made: string): SendingPipelineState =>
    functionState(`function transform(event) {
      if (event.event === 'Bad') throw new RangeError('bad');
      return { properties: { name: ${made} } };
    }`);
  await installation.configure(
    sourceState(),
    destinationState(receiver.url),
    source('event.event'),
  );
  await installation.start();
  receiver.answer = ({ name }) => (name === 'No' ? 400 : 200);
  await installation.accept(...numbered(90, 'E'), ...numbered(5, 'No'), ...numbered(4, 'Bad'));
  await until(async () => (await installation.counts())['Delivered'] === 90);
  await until(async () => (await installation.counts())['Rejected'] === 4);
  await until(async () => (await installation.counts())['Rejected 400'] === 5);
  expect(countsOf(await replayed())).toEqual({ events: 99, matched: 99, rejected: 4, same: 99 });
  const changed = source(`event.messageId === 'message E 7' ? 'seven' : event.event`);
  const other = await replayed({ draft: draftOf(changed) });
  expect(countsOf(other)).toEqual({
    ...{ events: 99, matched: 99, rejected: 4, same: 98, different: 1 },
  });
  expect((await differences(other.id)).differences).toMatchObject([
    {
      kind: 'Different',
      messageId: 'message E 7',
      before: { values: null, digest: expect.stringMatching(/^[\w-]{11}$/) as string },
      now: { values: '{"properties":{"name":"seven"}}' },
    },
  ]);
  const mapping = pipelineState({ transformation: null, outSchema: null });
  expect(countsOf(await replayed({ draft: draftOf(mapping) }))).toEqual({
    ...{ events: 99, matched: 99, different: 95, onlyNow: 4 },
  });
  await installation.pool.query('DELETE FROM penstock_router.trails');
  const withoutRecord = await replayed();
  expect(countsOf(withoutRecord)).toEqual({ events: 99, matched: 99, rejected: 4, unknown: 99 });
});

it('runs functions, beside what a mapping made before', async () => {
  const destination = destinationState(receiver.url);
  await installation.configure(sourceState(), destination, mapped('event'));
  await installation.start();
  await installation.accept(...numbered(150));
  const fn = functionState(
    'function transform(event) { return { properties: { name: event.event } }; }',
  );
  const replay = await replayed({ draft: draftOf(fn) });
  expect(countsOf(replay)).toEqual({ events: 150, matched: 150, different: 150 });
  expect((await differences(replay.id)).differences[0]?.now?.values).toBe(
    '{"properties":{"name":"E"}}',
  );
  await installation.configure({ ...fn, version: 2 });
  await installation.accept(...numbered(10, 'F'));
  const later = await replayed({ filter: onlyEvent('F') });
  expect(countsOf(later)).toMatchObject({ events: 10, matched: 10 });
});

describe('differences', () => {
  const replayedWithDifferences = async (): Promise<string> => {
    await installation.configure(sourceState(), destinationState(receiver.url), mapped('event'));
    await installation.start();
    await installation.accept(
      { user: 'u', messageId: 'm1', userId: 'Eve' },
      { user: 'u', messageId: 'm2' },
      { user: 'u', messageId: 'm3' },
    );
    return (await replayed({ draft: draftOf(mapped('messageId')) })).id;
  };

  it('are answered in pages, newest first, and each access to values is recorded', async () => {
    const id = await replayedWithDifferences();
    const seen: string[] = [];
    let cursor = '';
    do {
      const input = { limit: 2, cursor, pipeline: PIPELINE, id, kind: null, withValues: true };
      const page = await questions.ask('ListReplayDifferences', input);
      seen.push(...page.differences.map(({ delivery }) => delivery));
      ({ cursor } = page);
    } while (cursor !== '');
    expect(new Set(seen).size).toBe(3);
    const { accesses } = await questions.ask('ListAccesses', PAGE);
    expect(accesses.map(({ delivery }) => delivery).sort()).toEqual(seen.sort());
  });

  it('have no values, nor digests of them, for a caller who may not see them', async () => {
    const id = await replayedWithDifferences();
    const { differences: masked } = await differences(id, false);
    expect(masked[0]).toMatchObject({
      before: { values: '{"text":"••••"}', digest: '••••' },
      now: { values: '{"text":"••••"}', digest: '••••' },
    });
    expect((await questions.ask('ListAccesses', PAGE)).accesses).toEqual([]);
  });

  it('are kept for each kind up to a limit, while all are counted', async () => {
    await installation.configure(sourceState(), destinationState(receiver.url), mapped('event'));
    await installation.start();
    await installation.accept(...numbered(301));
    const replay = await replayed({ draft: draftOf(mapped('messageId')) });
    expect(countsOf(replay)).toMatchObject({ different: 301 });
    const input = { limit: 1_000, cursor: '', pipeline: PIPELINE, id: replay.id, kind: null };
    const kept = await questions.ask('ListReplayDifferences', { ...input, withValues: false });
    expect(kept.differences).toHaveLength(300);
    const only = { ...input, kind: 'OnlyNow', withValues: false } as const;
    expect((await questions.ask('ListReplayDifferences', only)).differences).toEqual([]);
  });

  it('of a user who is suppressed later are erased', async () => {
    const id = await replayedWithDifferences();
    expect((await differences(id)).differences).toHaveLength(3);
    await installation.suppress('Eve');
    await until(async () => (await differences(id)).differences.length === 2);
  });
});

describe('a replay', () => {
  const configured = async (events = 0): Promise<void> => {
    await installation.configure(sourceState(), destinationState(receiver.url), mapped('event'));
    await installation.start();
    await installation.accept(...numbered(events));
  };

  /** Lets no router work, by a lease that nobody renews. */
  const held = async (): Promise<void> => {
    await installation.pool.query(
      `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN NEW.owner = 'nobody'; NEW.leased_until = 'infinity'; RETURN NEW; END $$;
       CREATE TRIGGER hold BEFORE INSERT ON penstock_router.replays FOR EACH ROW EXECUTE FUNCTION hold()`,
    );
  };

  const lapse = () =>
    installation.pool.query(`UPDATE penstock_router.replays SET leased_until = '-infinity'`);

  it('reads exactly the events of its window', async () => {
    await configured(3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const from = instant(new Date());
    await installation.accept(...numbered(4, 'F'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const to = instant(new Date());
    await installation.accept(...numbered(5, 'G'));
    expect(countsOf(await replayed({ from, to }))).toEqual({ events: 4, matched: 4, same: 4 });
    expect(countsOf(await replayed({ from: to, to: from }))).toEqual({});
  });

  it('of a time from which retention has removed events is refused, with the oldest time', async () => {
    await configured(3);
    await installation.forget();
    await expect(create()).rejects.toMatchObject({
      code: 'EventsExpired',
      details: [
        { path: '/from', message: expect.stringMatching(/^must be 20.*Z or later/) as string },
      ],
    });
    const from = instant(new Date(Date.now() - 29 * 86_400_000));
    expect(countsOf(await replayed({ from }))).toEqual({});
  });

  it('is created once for a command, and alone of its pipeline', async () => {
    await configured(1);
    await held();
    const id = await create({}, 'command 1');
    expect(await create({}, 'command 1')).toBe(id);
    await expect(create({}, 'command 2')).rejects.toMatchObject({ code: 'ReplayAlreadyRunning' });
    await lapse();
    expect((await ended(id)).state).toBe('Succeeded');
    expect(await create({}, 'command 1')).toBe(id);
    expect(await create({}, 'command 2')).not.toBe(id);
  });

  it('that is cancelled has ended at once, for good', async () => {
    await configured(10);
    await held();
    const id = await create();
    await questions.ask('CancelReplay', { pipeline: PIPELINE, id });
    const cancelled = await get(id);
    expect(cancelled).toMatchObject({ state: 'Cancelled', endedAt: expect.any(String) as string });
    await lapse();
    await questions.ask('CancelReplay', { pipeline: PIPELINE, id });
    // A router that took it up would do so within a tenth of a second.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await get(id)).toEqual(cancelled);
  });

  it('is found by its workspace, pipeline and id only', async () => {
    await configured();
    const { id } = await replayed();
    const [another, workspace] = [
      'pipeline0000009' as PipelineId,
      'workspace000009' as WorkspaceId,
    ];
    const names = [
      ['GetReplay', {}],
      ['CancelReplay', {}],
      ['ListReplayDifferences', { ...PAGE, kind: null, withValues: false }],
    ] as const;
    for (const [name, more] of names) {
      const ask = (input: object, of?: WorkspaceId) =>
        questions.ask(name, { ...more, ...input } as never, of);
      const missing = expect.objectContaining({ code: 'ReplayNotExist' }) as Error;
      await expect(ask({ pipeline: another, id })).rejects.toEqual(missing);
      await expect(ask({ pipeline: PIPELINE, id: newId() })).rejects.toEqual(missing);
      if (name === 'GetReplay') continue;
    }
    expect(await questions.ask('ListReplays', { ...PAGE, pipeline: another })).toEqual({
      replays: [],
      cursor: '',
    });
    await expect(
      questions.ask('GetReplay', { pipeline: PIPELINE, id }, workspace),
    ).rejects.toThrow();
  });

  it('is in the list of its pipeline, newest first', async () => {
    await configured();
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1) ids.unshift((await replayed()).id);
    const first = await questions.ask('ListReplays', { limit: 2, cursor: '', pipeline: PIPELINE });
    expect(first.replays.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const next = { limit: 2, cursor: first.cursor, pipeline: PIPELINE };
    const second = await questions.ask('ListReplays', next);
    expect(second.replays.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(second.cursor).toBe('');
  });

  it('ends when its pipeline is deleted', async () => {
    await configured(1);
    await held();
    const id = await create();
    await installation.configure(mapped('event', { version: 2, deleted: true }));
    await lapse();
    expect(await ended(id)).toMatchObject({
      state: 'Cancelled',
      reason: 'pipeline was deleted',
    });
  });

  it('counts the records that retention removes before they are read', async () => {
    await configured(6);
    await held();
    const id = await create();
    await installation.forget();
    await lapse();
    const replay = await ended(id);
    expect(replay).toMatchObject({ state: 'Succeeded', progress: { read: 6, total: 6 } });
    expect(countsOf(replay)).toEqual({ expired: 6 });
  });

  it('fails when the log ends before its window does', async () => {
    await configured(2);
    await held();
    const id = await create();
    await installation.pool.query('UPDATE penstock_router.replays SET ends = ARRAY[9, 9]');
    await lapse();
    expect(await ended(id)).toMatchObject({
      state: 'Failed',
      reason: expect.stringMatching(/^the log ends before the window/) as string,
    });
  });

  it('is worked on by one router at a time, and counts once what two have begun', async () => {
    await configured();
    await installation.start();
    await installation.accept(...numbered(3_000));
    const id = await create({ draft: draftOf(mapped('messageId')) });
    // Another router takes it over at any moment.
    for (let round = 0; round < 30; round += 1) {
      await lapse();
      await installation.pool.query('UPDATE penstock_router.replays SET epoch = epoch + 1');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(countsOf(await ended(id))).toEqual({ events: 3_000, matched: 3_000, different: 3_000 });
  });

  it('goes on after an outage of the database', async () => {
    await configured(500);
    const id = await create();
    await installation.endSessions();
    await until(() =>
      get(id).then(
        ({ state }) => state === 'Succeeded',
        () => false,
      ),
    );
    expect(countsOf(await get(id))).toEqual({ events: 500, matched: 500, same: 500 });
  });
});
