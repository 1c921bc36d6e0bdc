import { type AbortedTransaction, type Decoder, newDecoder } from './kafkajs-internals';

/** A broker's answer for one partition. */
export interface FetchedPartition {
  readonly partition: number;
  /** 0: no error. The other fields are valid only then. */
  readonly errorCode: number;
  /** Offset after the last record that was readable. */
  readonly end: number;
  /** Offset of the first record still kept. */
  readonly begin: number;
  readonly abortedTransactions: readonly AbortedTransaction[];
  /** Record batches as stored in the log; the last may be truncated. */
  readonly recordSet: Buffer;
}

export interface FetchFrame {
  /** Read by kafkajs: milliseconds for which the broker wants no more requests. */
  readonly clientSideThrottleTime: number;
  readonly errorCode: number;
  readonly partitions: readonly FetchedPartition[];
}

/** The first version whose answer contains the beginning of the log: Kafka 1.0. */
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
 * Decodes the answer to a fetch of one topic, with its records still encoded. kafkajs' own decoder omits the fields
 * that are needed to skip batches without records, and fails entirely when one partition has an error.
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
