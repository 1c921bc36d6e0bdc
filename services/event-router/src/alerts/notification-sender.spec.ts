import type { AlertId, AlertState, NotificationId, PipelineId } from '@penstock/contracts';
import { WORKSPACE } from '../testing/pipelines.fixture';
import { FakeClock } from '../testing/fake-clock';
import { MemoryDatabase } from '../store/memory/memory-database';
import { MemoryAlerts } from '../store/memory/memory-alerts';
import type { TakenNotification } from '../store/alerts/alert-store';
import {
  NOTIFICATION_MAX_AGE_MS,
  NotificationSender,
  type SentNotification,
} from './notification-sender';

jest.setTimeout(30_000);

const ALERT = 'alert00000000001' as AlertId;

const ALERT_STATE: AlertState = {
  kind: 'alert',
  id: ALERT,
  workspace: WORKSPACE,
  name: 'An alert',
  enabled: true,
  alertKind: 'health',
  connection: null,
  pipeline: null,
  threshold: null,
  window: null,
  webhook: '',
  version: 1,
  deleted: false,
};

const OK: SentNotification = { outcome: { kind: 'delivered', status: 200 }, status: 200 };
const NOT: SentNotification = {
  outcome: { kind: 'unavailable', reason: 'answered 500', status: 500 },
  status: 500,
};
const GONE: SentNotification = {
  outcome: { kind: 'rejected', reason: 'answered 410', status: 410 },
  status: 410,
};

let clock: FakeClock;
let store: MemoryAlerts;
let alert: AlertState | undefined;
let sent: TakenNotification[];
let answer: (notification: TakenNotification) => SentNotification | Promise<SentNotification>;
let errors: unknown[];
let senders: NotificationSender[];

beforeEach(() => {
  clock = new FakeClock();
  store = new MemoryAlerts(new MemoryDatabase(() => clock.wallMs()));
  alert = ALERT_STATE;
  sent = [];
  answer = () => OK;
  errors = [];
  senders = [];
});

/** Stops it, however long what is under way takes. */
const stop = async (sender: NotificationSender | undefined): Promise<void> => {
  const stopping = sender?.stop();
  await clock.advance(2_000);
  await stopping;
};

afterEach(async () => {
  for (const sender of senders) await stop(sender);
});

const started = (): NotificationSender => {
  const sender = new NotificationSender({
    clock,
    store,
    alerts: { get: () => alert },
    send: async (notification) => {
      sent.push(notification);
      return answer(notification);
    },
    onError: (error) => errors.push(error),
  });
  sender.start();
  senders.push(sender);
  return sender;
};

const record = (workspace = WORKSPACE, ...names: readonly string[]): Promise<boolean> =>
  store.evaluate({
    seen: () => 1,
    pipelines: [],
    measureMs: 1,
    decide: () =>
      names.map((name) => ({
        alert: ALERT,
        workspace,
        subject: 'pipeline',
        id: name as PipelineId,
        change: 'Began',
        notification: { id: `of-${name}` as NotificationId, body: '{}' },
      })),
  });

const listed = async () => {
  const [first] = await store.list({ alert: ALERT, workspace: WORKSPACE }, { limit: 1 });
  return first;
};

it('sends what is due once, and records how it ended', async () => {
  started();
  await record(WORKSPACE, 'one');
  await clock.advance(5_000);
  expect(sent.map(({ id, attempts }) => `${id} ${String(attempts)}`)).toEqual(['of-one 1']);
  expect(await listed()).toMatchObject({
    state: 'Delivered',
    status: 200,
    attempts: 1,
    reason: '',
  });
  expect(errors).toEqual([]);
});

it.each([NOT, GONE])('tries again after each failure, whatever was answered', async (failure) => {
  answer = ({ attempts }) => (attempts < 3 ? failure : OK);
  started();
  await record(WORKSPACE, 'one');
  await clock.advance(20_000);
  expect(sent.map(({ attempts }) => attempts)).toEqual([1, 2, 3]);
  expect(await listed()).toMatchObject({ state: 'Delivered', attempts: 3 });
});

it('keeps to the wait that the receiver asks for', async () => {
  const outcome = { kind: 'unavailable', reason: 'later', retryAfterMs: 60_000 } as const;
  answer = ({ attempts }) => (attempts === 1 ? { outcome, status: 429 } : OK);
  started();
  await record(WORKSPACE, 'one');
  await clock.advance(59_000);
  expect(sent).toHaveLength(1);
  await clock.advance(5_000);
  expect(sent).toHaveLength(2);
});

it('gives up a notification that is a day old, and not before', async () => {
  answer = () => NOT;
  started();
  await record(WORKSPACE, 'one');
  await clock.advance(NOTIFICATION_MAX_AGE_MS - 330_000);
  expect(await listed()).toMatchObject({ state: 'Waiting', endedMs: null });
  await clock.advance(700_000);
  expect(await listed()).toMatchObject({ state: 'Failed', status: 500, reason: 'answered 500' });
  const attempts = sent.length;
  expect(attempts).toBeGreaterThan(200);
  expect(Math.max(...sent.map(({ ageMs }) => ageMs))).toBeLessThanOrEqual(NOTIFICATION_MAX_AGE_MS);
  await clock.advance(3_600_000);
  expect(sent).toHaveLength(attempts);
  // A day of seconds, one after the other.
}, 120_000);

it('gives up what a deleted alert has not sent, and waits for an alert that it does not know yet', async () => {
  started();
  alert = undefined;
  await record(WORKSPACE, 'one');
  await clock.advance(2_000);
  expect(await listed()).toMatchObject({ state: 'Waiting' });
  alert = { ...ALERT_STATE, deleted: true };
  await clock.advance(20_000);
  expect(await listed()).toMatchObject({ state: 'Failed', reason: 'the alert was deleted' });
  expect(sent).toEqual([]);
});

it('sends a notification again, under the same id, that a killed router has taken', async () => {
  answer = () => new Promise(() => undefined);
  started();
  await record(WORKSPACE, 'one');
  await clock.advance(2_000);
  expect(sent).toHaveLength(1);
  await stop(senders.pop());
  answer = () => OK;
  started();
  await clock.advance(20_000);
  expect(sent).toHaveLength(1);
  await clock.advance(20_000);
  expect(sent.map(({ id }) => id)).toEqual(['of-one', 'of-one']);
  expect(await listed()).toMatchObject({ state: 'Delivered', attempts: 2 });
});

it('reports what it cannot do, and goes on', async () => {
  answer = ({ attempts }) => {
    if (attempts === 1) throw new Error('a defect');
    return OK;
  };
  started();
  await record(WORKSPACE, 'one', 'two');
  await clock.advance(60_000);
  expect(errors).toHaveLength(2);
  expect(await listed()).toMatchObject({ state: 'Delivered' });
});

it('sends those of one workspace however many of another are never answered', async () => {
  const other = 'another00000001' as typeof WORKSPACE;
  answer = ({ workspace }) => (workspace === other ? new Promise(() => undefined) : OK);
  started();
  started();
  await record(other, ...Array.from({ length: 100 }, (_, index) => `dead${String(index)}`));
  await clock.advance(3_000);
  expect(sent).toHaveLength(2);
  await record(WORKSPACE, ...Array.from({ length: 20 }, (_, index) => `well${String(index)}`));
  await clock.advance(3_000);
  expect(sent.filter(({ workspace }) => workspace === WORKSPACE)).toHaveLength(20);
  expect(sent.filter(({ workspace }) => workspace === other)).toHaveLength(2);
});
