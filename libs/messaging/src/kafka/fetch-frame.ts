import { type AbortedTransaction, type Decoder, newDecoder } from './kafkajs-internals';

/** What a broker has answered for one partition. */
export interface FetchedPartition {
  readonly partition: number;
  /** 0: none. Then alone the other fields mean something. */
  readonly errorCode: number;
  /** The offset behind the last record that could have been read. */
  readonly end: number;
  /** The offset of the first record still kept. */
  readonly begin: number;
  readonly abortedTransactions: readonly AbortedTransaction[];
  /** Record batches as they stand in the log; the last may be cut off. */
  readonly recordSet: Buffer;
}

export interface FetchFrame {
  /** For kafkajs: milliseconds for which the broker wants no more requests. */
  readonly clientSideThrottleTime: number;
  readonly errorCode: number;
  readonly partitions: readonly FetchedPartition[];
}

/** From here on the answer says where the log begins: Kafka 1.0. */
const OLDEST_VERSION = 5;
const WITH_SESSIONS = 7;
const WITH_REPLICAS = 11;

const abortedTransaction = (decoder: Decoder): AbortedTransaction => ({
  producerId: decoder.readInt64().toString(),
  firstOffset: decoder.readInt64().toString(),
});

const fetchedPartition = (decoder: Decoder, version: number): FetchedPartition => {
  const partition = decoder.readInt32();
  const errorCode = decoder.readInt16();
  decoder.readInt64();
  const end = Number(decoder.readInt64());
  const begin = Number(decoder.readInt64());
  const abortedTransactions = decoder.readArray(abortedTransaction);
  if (version >= WITH_REPLICAS) decoder.readInt32();
  const recordSet = decoder.readBytes(Math.max(0, decoder.readInt32()));
  return { partition, errorCode, end, begin, abortedTransactions, recordSet };
};

/**
 * The answer to a fetch of one topic, its records not yet decoded. kafkajs' own decoder leaves out what is needed to pass
 * over batches without records, and fails as a whole when one partition has.
 *
 * Source: Kafka's protocol guide, Fetch Response (Version: 5 to 11).
 */
export const decodeFetchFrame = (raw: Buffer, version: number): FetchFrame => {
  if (version < OLDEST_VERSION) throw new Error('the brokers are older than Kafka 1.0');
  const decoder = newDecoder(raw);
  const clientSideThrottleTime = decoder.readInt32();
  const errorCode = version >= WITH_SESSIONS ? decoder.readInt16() : 0;
  if (version >= WITH_SESSIONS) decoder.readInt32();
  const topics = decoder.readArray((topic) => {
    topic.readString();
    return topic.readArray((partition) => fetchedPartition(partition, version));
  });
  return { clientSideThrottleTime, errorCode, partitions: topics.flat() };
};
