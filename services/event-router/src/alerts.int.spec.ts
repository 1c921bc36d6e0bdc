import {
  type AlertId,
  type AlertState,
  HEALTH_CAUSES,
  instant,
  type OrganizationId,
} from '@penstock/contracts';
import { FanOut } from './testing/fan-out.fixture';
import { seals } from './testing/installation.fixture';
import { WORKSPACE } from './testing/pipelines.fixture';
import { Receiver } from './testing/receiver.fixture';
import { until } from './testing/until.fixture';

jest.setTimeout(600_000);

const NAMES = ['healthy', 'failing', 'picky'] as const;

let fanOut: FanOut<(typeof NAMES)[number]>;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await Receiver.open();
  fanOut = await FanOut.open(NAMES);
  await fanOut.configure();
  await fanOut.installation.configure({
    kind: 'workspace',
    id: WORKSPACE,
    organization: 'organization' as OrganizationId,
    name: 'Main',
    version: 1,
    deleted: false,
  });
});

afterEach(async () => {
  await fanOut.close();
  await receiver.close();
});

const webhook = (url: string): string =>
  seals.seal(JSON.stringify({ url, signingSecret: 'a signing secret' }), WORKSPACE);

const alertState = (members: Partial<AlertState> = {}): AlertState => ({
  kind: 'alert',
  id: 'alert00000000001' as AlertId,
  workspace: WORKSPACE,
  name: 'An alert',
  enabled: true,
  alertKind: 'health',
  connection: null,
  pipeline: null,
  threshold: null,
  window: null,
  webhook: webhook(receiver.url),
  version: 1,
  deleted: false,
  ...members,
});

/** Publishes a health as the pipeline service does. */
const record = (code: 'DestinationFails' | ''): Promise<void> =>
  fanOut.installation.configure({
    kind: 'health',
    subject: 'connection',
    id: fanOut.destination('failing'),
    workspace: WORKSPACE,
    status: HEALTH_CAUSES[code].status,
    code,
    since: instant(new Date()),
    objectVersion: 1,
    version: 1,
    changedAt: [instant(new Date())],
  });

const changes = (): unknown[] => receiver.taken.map(({ body }) => body['change']);

it('notifies once of each change, by one of two routers, when the webhook answers, and to the address that it has then', async () => {
  const { installation } = fanOut;
  await installation.configure(alertState({ webhook: webhook('http://127.0.0.1:9/') }));
  const first = await installation.start();
  await installation.start();
  await record('DestinationFails');
  const attempts = async (): Promise<number> => {
    const { rows } = await installation.pool.query<{ attempts: number }>(
      'SELECT attempts FROM penstock_router.alert_notifications',
    );
    return rows[0]?.attempts ?? 0;
  };
  await until(async () => (await attempts()) > 0);
  await installation.configure(alertState({ version: 2 }));
  await until(() => receiver.taken.length === 1);
  expect(receiver.taken[0]).toMatchObject({
    idempotencyKey: receiver.taken[0]?.body['id'],
    body: {
      change: 'Began',
      connection: fanOut.destination('failing'),
      health: { code: 'DestinationFails' },
    },
  });
  await first.close();
  await record('');
  await until(() => receiver.taken.length === 2);
  expect(changes()).toEqual(['Began', 'Ended']);
  expect(new Set(receiver.taken.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
});

it('notifies of dead letters while events go on to the other destinations', async () => {
  const { installation, receivers } = fanOut;
  const pipeline = fanOut.pipeline('failing');
  const kind = { alertKind: 'deadLetterRate', threshold: 100, window: 5 } as const;
  await installation.configure(alertState({ ...kind, pipeline }));
  receivers.failing.answer = () => 400;
  await installation.accept(...fanOut.events(50));
  await installation.start();
  await until(() => receiver.taken.length === 1);
  expect(receiver.taken[0]?.body).toMatchObject({ change: 'Began', pipeline, value: 100 });
  expect(receivers.healthy.taken).toHaveLength(50);
  expect(receivers.picky.taken).toHaveLength(5);
});
