import { Analytics } from '@segment/analytics-node';
import { type ApiClient, ApiError } from '../harness/api-client';
import { type Installation, showingOutput } from '../harness/installation';
import { Receiver } from '../harness/receiver';
import { until } from '../harness/until';
import type { Place, Survivor } from './place';

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

/** Functions that transform events. */
export const functions = (place: () => Place): Survivor => {
  let installation: Installation;
  let receiver: Receiver;
  let api: ApiClient;
  let destination: string;
  let writeKey: string;
  const receivers: Receiver[] = [];

  beforeAll(() => {
    ({ installation } = place());
    ({ api } = place().first);
  });

  afterAll(() => Promise.all(receivers.map((each) => each.close())));

  /** Connects a new source to a new receiver. */
  const connect = async (): Promise<void> => {
    receiver = await Receiver.open();
    receivers.push(receiver);
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
  };

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

  describe('functions', () => {
    it(
      'delivers the results of functions in both languages, except for events on which they fail',
      test(async () => {
        await connect();
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
      'reports the line of an error in a function',
      test(async () => {
        await connect();
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
      }),
    );
  });

  return {
    what: 'events that a function transforms are delivered, all of them',
    begin: async () => {
      await connect();
      receiver.latencyMs = 20;
      await createPipeline(functionOf('JavaScript', JAVASCRIPT));
      await sendAll(installation.address, writeKey);
      await until('a part has arrived', () => receiver.delivered.length > 20);
    },
    end: () => expectAll('JavaScript'),
  };
};
