import { connect } from 'node:net';
import { join } from 'node:path';
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import type { LogHarness, OpenOptions } from '../contract/log-harness';
import { openTcpGate, type TcpGate } from '../contract/tcp-gate';
import { until } from '../contract/until';
import type { LogRecord, MessageLog, TopicSpec } from '../message-log';
import { itKeepsTheMessageLogPromises } from '../message-log.contract';
import { KafkaMessageLog } from './kafka-message-log';
import { testBrokers } from './test-brokers.fixture';

/** Rolls a segment at nearly every append and compacts it at once, which otherwise takes days. */
const EAGER_COMPACTION = {
  'cleanup.policy': 'compact',
  'message.timestamp.type': 'LogAppendTime',
  'segment.ms': '1',
  'min.cleanable.dirty.ratio': '0.001',
};

class EagerlyCompactingLog extends KafkaMessageLog {
  override async ensureTopics(specs: readonly TopicSpec[]): Promise<void> {
    await super.ensureTopics(specs);
    const compacted = specs.filter(({ retention }) => retention === 'compact');
    if (compacted.length === 0) return;
    const configEntries = Object.entries(EAGER_COMPACTION).map(([name, value]) => ({
      name,
      value,
    }));
    const admin = new Kafka({ brokers: testBrokers(), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.alterConfigs({
      validateOnly: false,
      resources: compacted.map(({ name }) => ({
        type: ConfigResourceTypes.TOPIC,
        name,
        configEntries,
      })),
    });
    await admin.disconnect();
  }
}

const readAll = async (log: MessageLog, topic: string): Promise<readonly LogRecord[]> => {
  const records: LogRecord[] = [];
  const onBatch = (_: number, batch: readonly LogRecord[]): Promise<void> => {
    records.push(...batch);
    return Promise.resolve();
  };
  const reader = await log.follow({ topic, onBatch });
  await reader.caughtUp();
  await reader.stop();
  return records;
};

/** Waits until at most two records are left: the active segment, with the last record, is never compacted. */
const untilCompacted = async (log: MessageLog, topic: string): Promise<void> => {
  await until('a compaction', async () => {
    const keys = (await readAll(log, topic)).map(({ key }) => key);
    return keys.length <= new Set(keys).size + 1;
  });
};

/** Deletes all records, as retention does. */
const dropAll = async (topic: string): Promise<void> => {
  const admin = new Kafka({ brokers: testBrokers(), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic);
  const partitions = offsets
    .filter(({ low, high }) => low !== high)
    .map(({ partition, high }) => ({ partition, offset: high }));
  if (partitions.length > 0) await admin.deleteTopicRecords({ topic, partitions });
  await admin.disconnect();
};

const gates = new Map<number, TcpGate>();

beforeAll(async () => {
  for (const broker of testBrokers()) {
    const [host = '', port = ''] = broker.split(':');
    gates.set(Number(port), await openTcpGate(host, Number(port)));
  }
});
afterAll(() => Promise.all([...gates.values()].map((gate) => gate.close())));

const harness: LogHarness = {
  open: (options: OpenOptions = {}) =>
    Promise.resolve(
      new EagerlyCompactingLog({
        brokers: testBrokers(),
        clientId: 'contract',
        endsSharedForMs: 0,
        endsTimeoutMs: 20_000,
        socketFactory: ({ host, port, onConnect }) =>
          connect({ host, port: gates.get(port)?.port ?? port, noDelay: true }, onConnect),
        ...options,
      }),
    ),
  child: { module: join(__dirname, 'test-brokers.fixture.ts'), env: { TEST_SESSION_MS: '6000' } },
  outage: {
    begin: () => {
      gates.forEach((gate) => gate.shut());
      return Promise.resolve();
    },
    end: () => {
      gates.forEach((gate) => gate.open());
      return Promise.resolve();
    },
  },
  compact: untilCompacted,
  drop: (_, topic) => dropAll(topic),
};

describe(KafkaMessageLog.name, () => {
  itKeepsTheMessageLogPromises(harness);
});
