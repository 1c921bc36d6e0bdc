import type { AlertId, NotificationId, PipelineId, WorkspaceId } from '@penstock/contracts';
import type {
  AlertStore,
  AlertTurn,
  MeasuredPipeline,
  Standing,
  TakenNotification,
  WatchedObject,
} from '../alerts/alert-store';
import { type Counted, countKey } from '../changes';
import { acquired, changesOf, LANE, OTHER_PIPELINE, PIPELINE } from './changes.fixture';
import { DEAD_LETTER_DAYS, type StoreHarness } from './store-harness';

const WORKSPACE = 'workspace00000a' as WorkspaceId;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LIMITS = { ofWorkspace: 2, most: 100, forMs: 30_000 };

const object = (number: number, given: Partial<WatchedObject> = {}): WatchedObject => ({
  alert: 'alert00000000a' as AlertId,
  workspace: WORKSPACE,
  subject: 'pipeline',
  id: `pipeline000${String(number)}` as PipelineId,
  ...given,
});

let numbers = 0;
const turn = (of: WatchedObject, change: AlertTurn['change'] = 'Began'): AlertTurn => {
  numbers += 1;
  const id = `notification${String(numbers).padStart(6, '0')}` as NotificationId;
  return { ...of, change, notification: { id, body: `{"number":${String(numbers)}}` } };
};

const idOf = ({ notification }: AlertTurn): string => notification?.id ?? '';

const evaluated = async (
  alerts: AlertStore,
  decide: (standing: Standing) => readonly AlertTurn[],
  { seen = 1, pipelines = [] as readonly MeasuredPipeline[], measureMs = MINUTE_MS } = {},
): Promise<boolean> => alerts.evaluate({ seen: () => seen, pipelines, measureMs, decide });

const record = (alerts: AlertStore, ...turns: readonly AlertTurn[]): Promise<boolean> =>
  evaluated(alerts, () => turns);

const standing = async (alerts: AlertStore, ...rest: [object?]): Promise<Standing> => {
  const found: Standing[] = [];
  await evaluated(
    alerts,
    (each) => {
      found.push(each);
      return [];
    },
    ...rest,
  );
  return found[0]!;
};

const delivered = { state: 'Delivered', status: 200, reason: '', afterMs: 0 } as const;
const failed = (afterMs: number) =>
  ({ state: 'Waiting', status: 500, reason: 'answered 500', afterMs }) as const;

const itEvaluates = ({ open, pass }: StoreHarness): void => {
  it('shows the next evaluation where conditions hold', async () => {
    const [one, other] = [(await open('one')).alerts, (await open('other')).alerts];
    expect((await standing(one)).holding).toEqual([]);
    await record(one, turn(object(1)), turn(object(2)), turn(object(1, { subject: 'connection' })));
    expect((await standing(other)).holding).toEqual([
      object(1, { subject: 'connection' }),
      object(1),
      object(2),
    ]);
    await record(other, turn(object(1), 'Ended'), {
      ...object(2),
      change: 'Ended',
      notification: null,
    });
    expect((await standing(one)).holding).toEqual([object(1, { subject: 'connection' })]);
    const listed = await one.list(object(1), { limit: 10 });
    expect(listed.map(({ id, change }) => `${id} ${change}`)).toEqual([
      'pipeline0001 Ended',
      'pipeline0001 Began',
      'pipeline0002 Began',
      'pipeline0001 Began',
    ]);
  });

  it('does nothing by an older configuration than the evaluation before', async () => {
    const { alerts } = await open('one');
    expect(await evaluated(alerts, () => [], { seen: 5 })).toBe(true);
    expect(await evaluated(alerts, () => [turn(object(1))], { seen: 4 })).toBe(false);
    expect(await evaluated(alerts, () => [turn(object(2))], { seen: 5 })).toBe(true);
    expect((await standing(alerts, { seen: 6 })).holding).toEqual([object(2)]);
  });

  it('records nothing of an evaluation that fails', async () => {
    const { alerts } = await open('one');
    const failing = new Promise<boolean>((resolve) => {
      resolve(
        evaluated(alerts, () => {
          throw new Error('no');
        }),
      );
    });
    await expect(failing).rejects.toThrow('no');
    expect((await standing(alerts)).measures).not.toBeNull();
  });

  it('measures once in each interval, whichever router evaluates', async () => {
    const [one, other] = [(await open('one')).alerts, (await open('other')).alerts];
    expect((await standing(one)).measures).toEqual(new Map());
    expect((await standing(other)).measures).toBeNull();
    await pass(MINUTE_MS - 10_000);
    expect((await standing(other)).measures).toBeNull();
    await pass(11_000);
    expect((await standing(other)).measures).toEqual(new Map());
    expect((await standing(one)).measures).toBeNull();
  });
};

const itMeasures = ({ open, pass, nowMs }: StoreHarness): void => {
  const ended = (state: Counted['state'], code: string, atMs: number, pipeline = PIPELINE) =>
    countKey(pipeline, { state, step: 'Finalize', code }, atMs);
  const pipelines = [PIPELINE, OTHER_PIPELINE].map((pipeline) => ({
    pipeline,
    connection: LANE,
    workspace: WORKSPACE,
  }));
  const measured = async (alerts: AlertStore) =>
    (await standing(alerts, { pipelines, measureMs: 0 })).measures!;

  it('counts the endings of deliveries, and the dead letters among them, in each window', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const now = await nowMs();
    const counts = new Map([
      [ended('Matched', '', now), 100],
      [ended('Filtered', 'Suppressed', now), 100],
      [ended('Delivered', '', now), 5],
      [ended('Rejected', '400', now), 3],
      [ended('Parked', 'RetryBudgetSpent', now), 2],
      [ended('Parked', 'Deleted', now), 1],
      [ended('Parked', 'Expired', now), 1],
      [ended('Rejected', '400', now - 6 * MINUTE_MS), 10],
      [ended('Delivered', '', now - 16 * MINUTE_MS), 20],
      [ended('Rejected', '400', now - 61 * MINUTE_MS), 1_000],
      [ended('Rejected', '400', now, OTHER_PIPELINE), -4],
    ]);
    await store.commit([changesOf(grant, 1, { counts })]);
    expect(await measured(store.alerts)).toEqual(
      new Map([
        [
          PIPELINE,
          {
            endings: {
              5: { all: 12, deadLetters: 5 },
              15: { all: 22, deadLetters: 15 },
              60: { all: 42, deadLetters: 15 },
            },
            lagSeconds: 0,
          },
        ],
        [
          OTHER_PIPELINE,
          {
            endings: {
              5: { all: 0, deadLetters: 0 },
              15: { all: 0, deadLetters: 0 },
              60: { all: 0, deadLetters: 0 },
            },
            lagSeconds: 0,
          },
        ],
      ]),
    );
  });

  it('takes the oldest event that waits for the pipeline or its destination', async () => {
    const store = await open('one');
    const [grant, next] = [await acquired(store, 0), await acquired(store, 1)];
    const lag = async (pipeline: PipelineId) =>
      (await measured(store.alerts)).get(pipeline)?.lagSeconds ?? NaN;
    const now = await nowMs();
    await store.noteWaiting(grant, new Map([[PIPELINE, now - 100_000]]));
    await store.noteWaiting(next, new Map([[LANE, now - 50_000]]));
    expect(Math.abs((await lag(PIPELINE)) - 100)).toBeLessThan(5);
    expect(Math.abs((await lag(OTHER_PIPELINE)) - 50)).toBeLessThan(5);
    await pass(1_000_000);
    expect(Math.abs((await lag(PIPELINE)) - 1_100)).toBeLessThan(5);
  });
};

const itSends = ({ open, pass, nowMs }: StoreHarness): void => {
  const ids = (taken: readonly TakenNotification[]): string[] => taken.map(({ id }) => id).sort();

  it('gives a notification to one router at a time, and again when it was not settled', async () => {
    const [one, other] = [(await open('one')).alerts, (await open('other')).alerts];
    const began = turn(object(1));
    await record(one, began);
    const [taken] = await one.take(LIMITS);
    expect(taken).toMatchObject({
      id: idOf(began),
      alert: began.alert,
      workspace: WORKSPACE,
      body: began.notification?.body,
      attempts: 1,
    });
    expect(taken!.ageMs).toBeLessThan(60_000);
    expect(await other.take(LIMITS)).toEqual([]);
    await pass(LIMITS.forMs + 1_000);
    const [again] = await other.take(LIMITS);
    expect(again).toMatchObject({ id: idOf(began), attempts: 2 });
    await one.settle(taken!, failed(0));
    expect(await one.take(LIMITS)).toEqual([]);
    await one.settle(taken!, delivered);
    await other.settle(again!, failed(0));
    const [listed] = await one.list(began, { limit: 1 });
    expect(listed).toMatchObject({ state: 'Delivered', status: 200, attempts: 2 });
  });

  it('tries again when it is time, until the notification has ended', async () => {
    const { alerts } = await open('one');
    const began = turn(object(1));
    await record(alerts, began);
    const [first] = await alerts.take(LIMITS);
    await alerts.settle(first!, failed(20_000));
    expect(await alerts.take(LIMITS)).toEqual([]);
    const [waiting] = await alerts.list(began, { limit: 1 });
    expect(waiting).toMatchObject({ state: 'Waiting', status: 500, reason: 'answered 500' });
    expect(Math.abs(waiting!.dueMs - (await nowMs()) - 20_000)).toBeLessThan(10_000);
    expect(waiting!.endedMs).toBeNull();
    await pass(21_000);
    const [second] = await alerts.take(LIMITS);
    expect(second!.ageMs).toBeGreaterThanOrEqual(21_000);
    await alerts.settle(second!, { ...failed(0), state: 'Failed' });
    await pass(DAY_MS);
    expect(await alerts.take(LIMITS)).toEqual([]);
    const [ended] = await alerts.list(began, { limit: 1 });
    expect(ended).toMatchObject({ state: 'Failed', attempts: 2 });
    expect(ended!.endedMs).not.toBeNull();
  });

  it('keeps the order of the notifications of one object', async () => {
    const { alerts } = await open('one');
    const [began, ended, another] = [
      turn(object(1)),
      turn(object(1), 'Ended'),
      turn(object(1, { subject: 'connection' })),
    ];
    await record(alerts, began);
    await record(alerts, ended, another);
    const first = await alerts.take(LIMITS);
    expect(ids(first)).toEqual([idOf(began), idOf(another)].sort());
    await alerts.settle(
      first.find(({ id }) => id === idOf(began))!,
      failed(60_000),
    );
    await alerts.settle(
      first.find(({ id }) => id === idOf(another))!,
      delivered,
    );
    expect(await alerts.take(LIMITS)).toEqual([]);
    await pass(61_000);
    const [again] = await alerts.take(LIMITS);
    expect(again!.id).toBe(idOf(began));
    await alerts.settle(again!, delivered);
    expect(ids(await alerts.take(LIMITS))).toEqual([idOf(ended)]);
  });

  it('takes at most the share of a workspace, in all routers together, and of each workspace in turn', async () => {
    const [one, other] = [(await open('one')).alerts, (await open('other')).alerts];
    const ofOthers = ['workspace00000b', 'workspace00000c'].map((workspace, index) =>
      turn(object(10 + index, { workspace: workspace as WorkspaceId })),
    );
    const many = Array.from({ length: 5 }, (_, index) => turn(object(index)));
    await record(one, ...many);
    await pass(1_000);
    await record(one, ...ofOthers);
    const first = await one.take({ ...LIMITS, most: 3 });
    expect(first.map(({ workspace }) => workspace).sort()).toEqual([
      'workspace00000a',
      'workspace00000b',
      'workspace00000c',
    ]);
    expect(await other.take(LIMITS)).toHaveLength(1);
    expect(await one.take(LIMITS)).toEqual([]);
    await one.settle(
      first.find(({ workspace }) => workspace === WORKSPACE)!,
      delivered,
    );
    expect(await other.take(LIMITS)).toHaveLength(1);
    expect(await other.take({ ...LIMITS, ofWorkspace: 4 })).toHaveLength(2);
  });

  it('lists those of an alert in pages, newest first, for as long as dead letters are kept', async () => {
    const store = await open('one');
    const { alerts } = store;
    const turns = [1, 2, 3].map((number) => turn(object(number)));
    const elsewhere = turn(object(4, { alert: 'alert00000000b' as AlertId }));
    await record(alerts, ...turns, elsewhere);
    const page = async (limit: number, before?: string) =>
      (
        await alerts.list(object(1), { limit, ...(before && { before: before as NotificationId }) })
      ).map(({ notification }) => notification as string);
    const [first, second, third] = turns.map(idOf);
    expect(await page(2)).toEqual([third, second]);
    expect(await page(5, second)).toEqual([first]);
    expect(
      await alerts.list({ ...object(1), workspace: 'x' as WorkspaceId }, { limit: 5 }),
    ).toEqual([]);
    const [taken] = await alerts.take({ ...LIMITS, most: 1 });
    await alerts.settle(taken!, delivered);
    await pass((DEAD_LETTER_DAYS - 1) * DAY_MS);
    await store.sweep();
    expect(await page(5)).toHaveLength(3);
    await pass(2 * DAY_MS);
    await store.sweep();
    expect(await page(5)).toHaveLength(2);
  });
};

/** Changes of alerts are recorded once, with notifications that one router at a time sends. */
export const itKeepsAlerts = (harness: StoreHarness): void => {
  itEvaluates(harness);
  itMeasures(harness);
  itSends(harness);
};
