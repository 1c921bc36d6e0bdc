import {
  applicationState,
  Installation,
  proposedPipelineState,
  sourceState,
  type TestEvent,
} from './testing/installation.fixture';
import { Receiver } from './testing/receiver.fixture';
import { until } from './testing/until.fixture';

jest.setTimeout(600_000);

let installation: Installation;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await Receiver.open();
  installation = await Installation.open();
});

afterEach(async () => {
  await installation.close();
  await receiver.close();
});

const ended = async (): Promise<number> =>
  Object.values(await installation.counts()).reduce((sum, count) => sum + count, 0);

const configure = (connector: string, settings: object, eventType: string): Promise<void> =>
  installation.configure(
    sourceState(),
    applicationState(connector, { ...settings, baseURL: receiver.url }),
    proposedPipelineState(connector, eventType),
  );

const events = (user: string, count: number): TestEvent[] =>
  Array.from({ length: count }, (_, n) => ({
    user,
    messageId: `${user}-${n}`,
    event: `E${n}`,
    properties: '{"price":12.50}',
  }));

const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `E${n}`);

it('sends proposed events to PostHog, in the order of each user', async () => {
  await configure('posthog', { apiKey: 'key', cloud: { projectRegion: 'EU' } }, 'capture');
  await installation.start();
  await installation.accept(...events('a', 40), ...events('b', 40));
  await until(async () => (await ended()) === 80);
  const sent = receiver.taken.flatMap(({ body }) => {
    expect(body['api_key']).toBe('key');
    return body['batch'] as { event: string; properties: Record<string, unknown> }[];
  });
  for (const user of ['a', 'b']) {
    const own = sent.filter(({ properties }) => properties['distinct_id'] === user);
    expect(own.map(({ event }) => event)).toEqual(names(40));
    expect(own[0]?.properties).toMatchObject({ price: 12.5 });
  }
  expect(receiver.requests).toBeLessThan(40);
  expect(await installation.counts()).toEqual({ Delivered: 80 });
});

it('rejects the failed events of a request to Mixpanel, and delivers the others', async () => {
  await configure('mixpanel', { projectID: '1', projectToken: 'token' }, 'track');
  const isBad = ({ event }: Record<string, unknown>) => event === 'E3';
  receiver.answer = (body) => (isBad(body) ? 400 : 200);
  receiver.answerText = (_, bodies) =>
    JSON.stringify({
      failed_records: bodies.flatMap((body, index) =>
        isBad(body) ? [{ index, field: 'event', message: 'is not wanted' }] : [],
      ),
    });
  await installation.start();
  await installation.accept(...events('a', 10));
  await until(async () => (await ended()) === 10);
  expect(await installation.counts()).toEqual({ Delivered: 9, 'Rejected 400': 1 });
  expect(await installation.storedDeliveries()).toEqual([
    { state: 'Rejected', code: '400', reason: 'answered 400: is not wanted' },
  ]);
});
