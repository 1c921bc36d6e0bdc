import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionState, readAcceptedEvent, TOPIC } from '@penstock/contracts';
import { KafkaMessageLog, type MessageLog, PostgresMessageLog } from '@penstock/messaging';
import { type FreshDatabase, freshDatabase, testBrokers } from '@penstock/test-servers';
import { GatewayLog } from '../testing/gateway-log.fixture';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, send } from '../testing/http.fixture';
import { messagesOf, organization, source, workspace } from '../testing/installation.fixture';

jest.setTimeout(120_000);

let database: FreshDatabase;
beforeAll(async () => (database = await freshDatabase()));
afterAll(() => database.drop());

/** @param shareMs for how long a known end of the configuration topic may be reused for appends. */
type Row = [name: string, shareMs: number, open: () => MessageLog];
const kafka = (options: { endsSharedForMs?: number } = {}) =>
  new KafkaMessageLog({ brokers: testBrokers(), clientId: 'spec', ...options });
const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';
const LOGS: Row[] = [
  [
    'PostgreSQL',
    0,
    () => new PostgresMessageLog({ connection: { connectionString: database.url } }),
  ],
  ['Kafka', 250, () => kafka()],
  ...(IS_LONG
    ? [['Kafka, with a look for each append', 0, () => kafka({ endsSharedForMs: 0 })] as Row]
    : []),
];

const isUndecided = ({ status, text }: Answered): boolean =>
  status === 503 && text.includes('the configuration cannot be read');

describe.each(LOGS)('two gateways on %s', (_, shareMs, open) => {
  const prefix = `exact-${randomUUID()}.`;
  const { state, key } = source('nodejs');
  const other = source('nodejs');
  let logs: GatewayLog[];
  let stands: GatewayStand[];
  let position = 0;
  let version = 1;

  /**
   * Publishes changes. Resolves when they would be answered and every append checks an end of the topic that includes
   * them.
   */
  const publish = async (...states: Parameters<typeof messagesOf>[1][]): Promise<number> => {
    for (const each of states) {
      position += 1;
      await logs[0]!.append(TOPIC.configurationState, messagesOf(position, each));
    }
    if (shareMs > 0) await sleep(shareMs + 50);
    return position;
  };
  const rename = (): Promise<number> => {
    version += 1;
    return publish({ ...state, name: `Source ${String(version)}`, version });
  };
  const postOnce = (gateway: number, messageIds: string[], writeKey = key): Promise<Answered> => {
    const batch = messageIds.map((messageId) => ({ type: 'page', userId: messageId, messageId }));
    return send(stands[gateway]!.url('/v1/events'), {
      headers: { Authorization: `Bearer ${writeKey}` },
      body: JSON.stringify({ batch }),
    });
  };
  /** Retries requests that a slow machine answered 503 before anything was appended. */
  const post: typeof postOnce = async (...request) => {
    let answered = await postOnce(...request);
    for (let times = 0; times < 20 && isUndecided(answered); times += 1)
      answered = await postOnce(...request);
    return answered;
  };

  const stamps = async (): Promise<ReadonlyMap<string, number>> => {
    const found = new Map<string, number>();
    const reader = await logs[0]!.follow({
      topic: TOPIC.events,
      onBatch: (_partition, records) => {
        for (const { value } of records) {
          const { messageId, seen } = readAcceptedEvent(value ?? '');
          expect(found.has(messageId)).toBe(false);
          found.set(messageId, seen);
        }
        return Promise.resolve();
      },
    });
    await reader.caughtUp();
    await reader.stop();
    return found;
  };

  beforeAll(async () => {
    logs = [open(), open()].map((log) => new GatewayLog(log, prefix));
    await logs[0]!.ensureTopics([
      { name: TOPIC.configurationState, partitions: 1, retention: 'compact' },
      { name: TOPIC.events, partitions: 3, retention: 600_000 },
      { name: TOPIC.replies, partitions: 1, retention: 600_000 },
      { name: TOPIC.commands, partitions: 1, retention: 600_000 },
      { name: TOPIC.queries, partitions: 1, retention: 600_000 },
    ]);
    await publish(organization(), workspace(), state, other.state);
    stands = logs.map(() => new GatewayStand());
    await Promise.all(stands.map((stand, nth) => stand.start({ log: logs[nth]! })));
  });
  afterAll(async () => {
    for (const log of logs) log.goOn();
    await Promise.all(stands.map((stand) => stand.stop()));
    await Promise.all(logs.map((log) => log.close()));
  });

  it('stamp events after the answer to a change with its position or a later one', async () => {
    const least = new Map<string, number>();
    const answers: Promise<Answered>[] = [];
    for (let round = 0; round < (IS_LONG ? 40 : 12); round += 1) {
      const seen = round % 2 === 0 ? await rename() : position;
      for (const gateway of [0, 1]) {
        const ids = Array.from({ length: 5 }, (_each, nth) => `${round}-${gateway}-${nth}`);
        for (const id of ids) least.set(id, seen);
        answers.push(post(gateway, ids));
      }
      if (round % 4 === 0) await answers.at(-1);
    }
    for (const answered of await Promise.all(answers))
      expect(answered).toMatchObject({ status: 200, text: '{"accepted":5}' });
    const found = await stamps();
    expect([...found.keys()].sort()).toEqual([...least.keys()].sort());
    for (const [id, seen] of found) {
      expect(seen).toBeGreaterThanOrEqual(least.get(id) ?? Infinity);
      expect(seen).toBeLessThanOrEqual(position);
    }
  });

  it('both refuse a deleted key as soon as the deletion is answered', async () => {
    expect(await post(1, ['before'], other.key)).toMatchObject({ status: 200 });
    await publish({ ...other.state, version: 2, deleted: true } satisfies ConnectionState);
    const answers = [0, 1].map((gateway) => post(gateway, [`after-${gateway}`], other.key));
    for (const answered of await Promise.all(answers)) expect(answered.status).toBe(401);
  });

  it('stamp nothing by an outdated replica when the reader of one hangs', async () => {
    logs[1]!.hang();
    const seen = await rename();
    const refused = await Promise.all([postOnce(1, ['late-1']), postOnce(1, ['late-2'])]);
    for (const { status, headers } of refused) {
      expect(status).toBe(503);
      expect(headers).toHaveProperty('retry-after');
    }
    expect(await post(0, ['in time'])).toMatchObject({ status: 200 });
    logs[1]!.goOn();
    expect(await post(1, ['late-3'])).toMatchObject({ status: 200 });
    const found = await stamps();
    expect([found.get('late-1'), found.get('late-2')]).toEqual([undefined, undefined]);
    expect([found.get('in time'), found.get('late-3')]).toEqual([seen, seen]);
  });
});
