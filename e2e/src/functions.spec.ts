import { Analytics } from '@segment/analytics-node';
import { ApiClient, ApiError } from './harness/api-client';
import { DISTRIBUTED, EMBEDDED } from './harness/forms';
import { type Installation, showingOutput } from './harness/installation';
import { Receiver } from './harness/receiver';
import { until } from './harness/until';
import { formsOf } from './router-faults/sizes';

jest.setTimeout(300_000);

const JAVASCRIPT = `async function transform(event) {
  if (event.event === 'Bad') throw new RangeError('not this one');
  return { properties: { language: 'JavaScript', user: event.userId, number: event.properties.number } };
}`;

const PYTHON = `def transform(event):
    if event["event"] == "Bad":
        raise ValueError("not this one")
    return {"properties": {"language": "Python", "user": event["userId"], "number": event["properties"]["number"]}}
`;

const functionOf = (language: string, source: string): object => ({
  function: {
    source,
    language,
    preserveJSON: false,
    inPaths: ['event', 'properties', 'userId'],
    outPaths: ['properties'],
  },
});

const OUT_SCHEMA = {
  kind: 'object',
  properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
};

const USERS = ['ada', 'grace', 'edsger'];
const EVENTS = 60;

/** Whether the function throws for the event of this number: the tenth of each user. */
const isBad = (number: number): boolean => number === 9;

const NUMBERS = Array.from({ length: EVENTS }, (_, number) => number).filter(
  (number) => !isBad(number),
);

/** Sends all events in one request, since the SDK does not wait for one batch before it sends the next. */
const sendAll = async (host: string, writeKey: string): Promise<void> => {
  const flushAt = EVENTS * USERS.length;
  const sdk = new Analytics({ host, writeKey, flushAt, flushInterval: 10_000, maxRetries: 10 });
  for (let number = 0; number < EVENTS; number += 1)
    for (const userId of USERS)
      sdk.track({
        userId,
        anonymousId: userId,
        event: isBad(number) ? 'Bad' : 'Good',
        properties: { number },
      });
  await sdk.closeAndFlush({ timeout: 60_000 });
};

describe.each(formsOf(DISTRIBUTED, EMBEDDED))('$form', ({ start }) => {
  let installation: Installation;
  let receiver: Receiver;
  let api: ApiClient;
  let destination: string;
  let writeKey: string;

  beforeAll(async () => {
    installation = await start();
    api = new ApiClient(installation.address, installation.apiKey);
  });

  afterAll(() => installation.destroy());

  beforeEach(async () => {
    receiver = await Receiver.open();
    destination = await api.createConnection({
      name: 'Receiver',
      role: 'Destination',
      connector: 'http',
      settings: { url: receiver.url },
    });
    const source = await api.createConnection({
      name: 'Shop',
      role: 'Source',
      connector: 'nodejs',
      settings: {},
      linkedConnections: [destination],
    });
    writeKey = await api.writeKeyOf(source);
  });

  afterEach(() => receiver.close());

  const createPipeline = (transformation: object): Promise<string> =>
    api.createPipeline({
      name: 'By a function',
      connection: destination,
      eventType: 'send_values',
      enabled: true,
      transformation,
      outSchema: OUT_SCHEMA,
    });

  /** Numbers of the delivered events, in the order of first arrival. */
  const delivered = (language: string, user: string): number[] => {
    const bodies = receiver.delivered.map(({ body }) => body);
    const own = bodies.filter((body) => body['language'] === language && body['user'] === user);
    return [...new Set(own.map((body) => Number(body['number'])))];
  };

  const expectAll = async (language: string): Promise<void> => {
    for (const user of USERS) {
      const what = `${language} has transformed the events of ${user}`;
      await until(what, () => delivered(language, user).length === NUMBERS.length);
      expect(delivered(language, user)).toEqual(NUMBERS);
    }
  };

  const test = (work: () => Promise<void>) => showingOutput(() => installation, work);

  it(
    'delivers the results of functions in both languages, except for events on which they fail',
    test(async () => {
      const id = await createPipeline(functionOf('JavaScript', JAVASCRIPT));
      await createPipeline(functionOf('Python', PYTHON));
      expect(await api.call('GET', `/v1/pipelines/${id}`)).toMatchObject({
        transformation: { mapping: null, ...functionOf('JavaScript', JAVASCRIPT) },
      });
      await sendAll(installation.address, writeKey);
      await expectAll('JavaScript');
      await expectAll('Python');
    }),
  );

  it(
    'delivers everything when the processes are killed',
    test(async () => {
      receiver.latencyMs = 20;
      await createPipeline(functionOf('JavaScript', JAVASCRIPT));
      await sendAll(installation.address, writeKey);
      await until('a part has arrived', () => receiver.delivered.length > 20);
      await Promise.all(installation.onTheWay.map((service) => service.kill9()));
      await Promise.all(installation.onTheWay.map((service) => service.start()));
      await expectAll('JavaScript');
    }),
  );

  it(
    'reports the line of an error in a function, and a function that does not end',
    test(async () => {
      const refusal = async (language: string, source: string): Promise<unknown> => {
        const error = await createPipeline(functionOf(language, source)).catch(
          (thrown: unknown) => thrown,
        );
        if (!(error instanceof ApiError)) throw new Error('was not refused', { cause: error });
        expect(error.status).toBe(422);
        return JSON.parse(error.body);
      };
      const wrong = (message: unknown, line: number): object => ({
        error: {
          code: 'TransformationFailed',
          message: expect.stringMatching(/^transformation failed: /) as string,
          details: [{ path: '/transformation/function/source', message, line }],
        },
      });
      expect(await refusal('JavaScript', 'const transform =\n= 1;')).toMatchObject(
        wrong(expect.stringMatching(/^JavaScript: SyntaxError/), 2),
      );
      expect(await refusal('Python', 'def transform(event):\nreturn {}')).toMatchObject(
        wrong(expect.stringMatching(/^Python: IndentationError/), 2),
      );
      expect(await refusal('JavaScript', 'for (;;);')).toMatchObject(
        wrong('JavaScript: time limit of 10 s exceeded', 0),
      );
    }),
  );
});
