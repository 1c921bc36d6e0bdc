import { Analytics as Segment } from '@segment/analytics-node';
import RudderStack from '@rudderstack/rudder-sdk-node';
import { type Flow, makeFlow } from '../harness/flow';
import { type Installation, showingOutput } from '../harness/installation';
import { Receiver } from '../harness/receiver';
import { until } from '../harness/until';
import type { Place } from './place';

/** A filter that matches everything but tracks that are not orders. */
const FILTER = {
  logical: 'or',
  conditions: [
    { property: 'type', operator: 'is one of', values: ['identify', 'page', 'group', 'alias'] },
    { property: 'event', operator: 'is', values: ['Order Completed'] },
  ],
};

const MAPPING = `map(
  "type", type, "user", upper(userId), "event", event, "page", name, "group", groupId, "previous", previousId,
  "email", traits.email, "price", properties.price)`;

interface Sdk {
  track(message: { userId: string; event: string; properties?: { price: number } }): unknown;
  identify(message: { userId: string; traits: { email: string } }): unknown;
  page(message: { userId: string; name: string }): unknown;
  group(message: { userId: string; groupId: string }): unknown;
  alias(message: { userId: string; previousId: string }): unknown;
}

const BATCH = 25;

/** Sends one event of each type, one that the filter does not match, and a batch. */
const sendAll = (sdk: Sdk): void => {
  sdk.track({ userId: 'ada', event: 'Order Completed', properties: { price: 12.5 } });
  sdk.track({ userId: 'ada', event: 'Product Viewed' });
  sdk.identify({ userId: 'ada', traits: { email: 'ada@example.com' } });
  sdk.page({ userId: 'ada', name: 'Home' });
  sdk.group({ userId: 'ada', groupId: 'acme' });
  sdk.alias({ userId: 'ada', previousId: 'visitor' });
  for (let number = 0; number < BATCH; number += 1)
    sdk.track({ userId: `user-${String(number)}`, event: 'Order Completed' });
};

const EXPECTED: readonly object[] = [
  { type: 'track', user: 'ADA', event: 'Order Completed', price: 12.5 },
  { type: 'identify', user: 'ADA', email: 'ada@example.com' },
  { type: 'page', user: 'ADA', page: 'Home' },
  { type: 'group', user: 'ADA', group: 'acme' },
  { type: 'alias', user: 'ADA', previous: 'visitor' },
  ...Array.from({ length: BATCH }, (_, number) => ({
    type: 'track',
    user: `USER-${String(number)}`,
    event: 'Order Completed',
  })),
];

const throughSegment = async ({ address }: Installation, { writeKey }: Flow): Promise<void> => {
  const sdk = new Segment({
    host: address,
    writeKey,
    flushAt: 10,
    flushInterval: 200,
    maxRetries: 10,
  });
  const errors: unknown[] = [];
  sdk.on('error', (error) => errors.push(error));
  sendAll(sdk);
  await sdk.closeAndFlush({ timeout: 60_000 });
  expect(errors).toEqual([]);
};

const throughRudderStack = async ({ address }: Installation, { writeKey }: Flow): Promise<void> => {
  const errors: unknown[] = [];
  const sdk = new RudderStack(writeKey, {
    dataPlaneUrl: address,
    flushAt: 10,
    flushInterval: 200,
    errorHandler: (error: unknown) => errors.push(error),
  });
  sendAll(sdk);
  await sdk.flush();
  expect(errors).toEqual([]);
};

/** The SDKs of others, unchanged. */
export const sdks = (place: () => Place): void => {
  let installation: Installation;
  let receiver: Receiver;
  let flow: Flow;

  beforeEach(async () => {
    ({ installation } = place());
    receiver = await Receiver.open();
    const { address, apiKey } = installation;
    const workspace = place().first.id;
    flow = await makeFlow(
      { address, apiKey, workspace },
      { url: receiver.url, filter: FILTER, mapping: MAPPING },
    );
  });

  afterEach(() => receiver.close());

  it.each([
    { name: "Segment's", send: throughSegment },
    { name: "RudderStack's", send: throughRudderStack },
  ])('delivers the events of the unchanged $name SDK', ({ send }) =>
    showingOutput(
      () => installation,
      async () => {
        await send(installation, flow);
        await until('everything is delivered', () => receiver.delivered.length >= EXPECTED.length);
        const bodies = receiver.delivered.map(({ body }) => body);
        expect(bodies).toHaveLength(EXPECTED.length);
        expect(bodies).toEqual(expect.arrayContaining([...EXPECTED]));
        const keys = new Set(receiver.delivered.map(({ idempotencyKey }) => idempotencyKey));
        expect(keys.size).toBe(EXPECTED.length);
      },
    )(),
  );
};
