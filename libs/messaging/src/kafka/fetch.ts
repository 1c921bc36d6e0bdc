import { decodeFetchFrame, type FetchedPartition } from './fetch-frame';
import {
  type Broker,
  FETCH_API_KEY,
  fetchDefinition,
  protocolError,
  READ_COMMITTED,
} from './kafkajs-internals';

/** Kafka's error code OFFSET_OUT_OF_RANGE: the offset is below the beginning of the log, or above its end. */
export const OUT_OF_RANGE = 1;

const CONSUMER = -1;
const [EARLIEST, LATEST] = [-2, -1];
/** Index of the connection for fetches among the connections to a broker. */
const FETCHES = 1;

export interface Fetch {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number; readonly offset: number }[];
  /** Time that the broker waits for the first byte. */
  readonly maxWaitMs: number;
  /** Limits for all partitions together, and for each; a single batch is returned whatever its size. */
  readonly maxBytes: number;
  readonly maxPartitionBytes: number;
}

const connecting = new WeakMap<Broker, Promise<unknown>>();

/**
 * Opens the connection before the first request: for concurrent first requests, kafkajs would open one connection each
 * and keep only one.
 */
const connected = async (broker: Broker): Promise<void> => {
  const { connectionPool } = broker;
  if (connectionPool.pool[FETCHES].isConnected()) return;
  const known = connecting.get(broker);
  const connection = known ?? connectionPool.getConnection(FETCHES);
  if (!known) connecting.set(broker, connection);
  await connection.finally(() => connecting.delete(broker));
  if (!connectionPool.pool[FETCHES].isConnected()) throw new Error('a connection was lost at once');
};

/**
 * Fetches once from the node that leads the partitions. Errors of single partitions are in their answers.
 *
 * @throws KafkaJSError of the connection, or of the whole request.
 */
export const fetch = async (
  broker: Broker,
  { topic, partitions, maxWaitMs, maxBytes, maxPartitionBytes }: Fetch,
): Promise<readonly FetchedPartition[]> => {
  await connected(broker);
  const { request, ...rest } = broker.lookupRequest(
    FETCH_API_KEY,
    fetchDefinition,
  )({
    replicaId: CONSUMER,
    isolationLevel: READ_COMMITTED,
    maxWaitTime: maxWaitMs,
    minBytes: 1,
    maxBytes,
    rackId: '',
    topics: [
      {
        topic,
        partitions: partitions.map(({ partition, offset }) => ({
          partition,
          fetchOffset: String(offset),
          maxBytes: maxPartitionBytes,
        })),
      },
    ],
  });
  const response = {
    decode: (raw: Buffer) => Promise.resolve(decodeFetchFrame(raw, request.apiVersion)),
    parse: (frame: unknown) => Promise.resolve(frame),
  };
  const sent = broker.connectionPool.send({ ...rest, request, response, logResponseError: false });
  const { errorCode, partitions: fetched } = (await sent) as ReturnType<typeof decodeFetchFrame>;
  if (errorCode !== 0) throw protocolError(errorCode);
  return fetched;
};

const listOffset = async (
  broker: Broker,
  topic: string,
  partition: number,
  timestamp: number,
): Promise<number> => {
  const { responses } = await broker.listOffsets({
    isolationLevel: READ_COMMITTED,
    topics: [{ topic, partitions: [{ partition, timestamp }] }],
  });
  const offset = Number(responses[0]?.partitions[0]?.offset);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new Error(`no offset of partition ${partition} of ${topic}`);
  return offset;
};

/** Returns the offset that the next record will get, as the leader knows it. */
export const endOf = (broker: Broker, topic: string, partition: number): Promise<number> =>
  listOffset(broker, topic, partition, LATEST);

/** Returns the offset of the first record still kept. */
export const beginningOf = (broker: Broker, topic: string, partition: number): Promise<number> =>
  listOffset(broker, topic, partition, EARLIEST);
